// The derivative of the velocity jump at an instant, with all its decisions frozen. The jump
// consists of impacts
//   u⁺ = u⁻ + M⁻¹W Λ(G, γ),  γ = Wᵀu⁻ + w̃,
// one after the other, then rest of the rows that are at rest at the start of the next phase.
#pragma once

#include <map>
#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/transition.hpp"

namespace nsmb {

/// The decisions of one instant.
struct InstantDecisions {
  std::vector<ImpactCourse> impacts;
  std::vector<Index> touching;  // I_S
  std::vector<bool> held;       // (rows of G) γ = 0 before, also for neighbouring motions
  std::vector<Index> resting;   // rows of G with γ = 0 at the start of the next phase
  std::vector<bool> walls;      // (ne) walls at the position of the mass after the instant
  ContactFeatures features;
};

/// A system at one (t, y), or at a neighbouring one.
class JumpMechanics {
 public:
  JumpMechanics(const System& system, const TransitionOptions& options);

  void update(double t, const ConstVectorRef& y, const InstantDecisions& decisions);
  /// Compute γ of all rows of G.
  void velocities(const ConstVectorRef& u, VectorRef gamma) const;
  /// Compute Λ of all rows under the laws of this system. Return false if the impact problem has no
  /// solution. `resolution` is that of an ImpactProblem.
  bool impulses(const Matrix& G, const ConstVectorRef& gamma,
                const std::vector<Index>& participants, const Vector* resolution,
                ImpactCourse course, VectorRef Lambda);
  const ImpactResult& result() const { return result_; }
  double rest_velocity() const { return options_.rest_velocity; }

  Mechanics mechanics;

 private:
  TransitionOptions options_;
  ContactSolver solver_;
  ImpactResult result_;
  Vector gamma_N_, gamma_T_;
};

class Jump {
 public:
  Jump(const System& system, const TransitionOptions& options);

  /// Trace the impacts of an instant at (t, y).
  void trace(double t, const ConstVectorRef& y, const InstantDecisions& decisions);
  /// Replace du, the change before the instant, by the change after it.
  void change(VectorRef du) { change(nullptr, nullptr, 1.0, du); }
  /// Do the same if the system itself changes from `minus` to `plus`, per unit of `distance`.
  void change(JumpMechanics* plus, JumpMechanics* minus, double distance, VectorRef du);
  /// Return true if since trace() all impacts were solved, and none lies between two pieces of the
  /// impact law.
  bool is_smooth() const { return smooth_; }

  JumpMechanics base;

 private:
  struct Impact {
    ImpactCourse course = ImpactCourse::Collision;
    Vector u, gamma, Lambda;  // u and γ before the impact, and its impulses
    std::vector<Index> struck;
    double speed = 0.0;  // largest |γ|, m/s
  };
  struct RowSolver {
    explicit RowSolver(Index n) : G(n, n), gamma(n), ldlt(n) {}
    Matrix G;
    Vector gamma;
    DenseLdlt ldlt;
  };
  bool trace(Impact& impact, ImpactCourse course);
  void velocity_change(JumpMechanics* plus, JumpMechanics* minus, double distance, const Vector& u,
                       const ConstVectorRef& du);
  void impulse_change(const Impact& impact, bool turns, double longest);
  bool impulse_change(const Impact& impact, bool turns, double step, bool last);
  void keep_constraints(JumpMechanics* plus, JumpMechanics* minus, double distance, VectorRef du);
  void rest(VectorRef du);

  const InstantDecisions* decisions_ = nullptr;
  std::vector<Impact> impacts_;
  std::size_t count_ = 0;
  bool smooth_ = true;
  Vector correction_, gamma_B_;  // of bilateral constraints
  Vector resolution_;            // (rows) m/s
  Vector u_plus_, dgamma_, dLambda_, plus_, minus_, trial_;
  Matrix dG_, G_trial_;
  std::map<std::size_t, RowSolver> row_solvers_;  // one per number of rows
};

}  // namespace nsmb
