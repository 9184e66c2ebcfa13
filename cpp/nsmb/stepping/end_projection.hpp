// Projection of persistent contacts at the end of a step. With S the contacts that carried an
// impulse and do not separate,
//
//   q ← q + B M⁻¹ W_S (W_Sᵀ M⁻¹ W_S)⁺ (-g_S),   u ← u - M⁻¹ W_S' (W_S'ᵀ M⁻¹ W_S')⁺ (W_S'ᵀ u + w̃)
//
// where S' contains their normal rows, and the tangential rows of those that stick. The projection
// removes the gaps and velocities that curvature causes within a step. Flat contacts have neither.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/stepping/least_change.hpp"
#include "nsmb/stepping/set_problem.hpp"

namespace nsmb {

/// A workspace for the projection at the end of a step.
class EndProjection {
 public:
  EndProjection(Mechanics& mechanics, ContactModel& model);

  struct Options {
    double gap_tolerance;    // m, smaller gaps count as zero
    double margin;           // m, range of the search for contacts
    double speed_tolerance;  // m/s, smaller rates count as zero
    double rest;             // s, time from the middle of the step to its end
  };

  /// Take over constant masses, see StepInertia.
  void know_as(const EndProjection& other) { inertia_.know_as(other.inertia_); }
  void begin() { kept_.clear(), pairs_.clear(); }
  enum class Way : std::int8_t {
    Rests,   // in S, without tangential rows in S'
    Sticks,  // in S, with tangential rows in S'
    Lifts,   // separates, and is moved out of penetration
  };
  /// Register contact k of the step.
  void keep(const FoundContact& contact, std::size_t k, Way way);
  /// Project (t, y), where the loads `loads` (nu) act. Bodies at rest do not move.
  void apply(double t, const ConstVectorRef& loads, const Options& options,
             const std::vector<char>* at_rest, VectorRef y);

  /// Impulses that correct the rates of contact k of the step, in N s, in the order of its rows.
  struct Impulse {
    std::size_t k;
    std::array<double, 3> Lambda;
  };
  const std::vector<Impulse>& impulses() const { return impulses_; }
  /// Largest penetration in m that remains in the contacts considered.
  double deepest() const { return deepest_; }
  /// Kinetic energy in J removed by the projection, plus the work of loads that the impact has
  /// lost.
  double loss() const { return loss_; }
  /// Work of loads in J that the velocities at the end do not include.
  double work() const { return work_; }

 private:
  struct Kept {
    ContactIdentity identity;
    std::size_t k;
    Way way;
  };

  double find(double t, const ConstVectorRef& y, const Options& options,
              const std::vector<char>* at_rest);
  const Kept* find_kept(const FoundContact& contact) const;
  void prepare(double t, const ConstVectorRef& y);
  bool solve(double enough);
  bool is_near(double largest) const;
  void move(double t, VectorRef y);

  Mechanics& mechanics_;
  ContactModel& model_;
  StepInertia inertia_;
  SetProblem problem_;
  LeastChange change_;
  std::vector<Kept> kept_;
  std::vector<std::pair<Index, Index>> pairs_;  // pairs of shapes of the kept contacts
  std::vector<ContactIdentity> lifted_;         // contacts lifted in this projection
  ContactSet set_;
  std::vector<Index> rows_;  // (contacts of set_) number of rows
  double deepest_ = 0.0, loss_ = 0.0, work_ = 0.0;
  ConstraintKinematics constraints_;
  std::vector<Impulse> impulses_;
  Vector left_;                   // (rows)
  Vector step_, moved_, q_step_;  // (nu) twice, (nq)
  DenseCholesky llt_;
  Vector part_, w_;  // scratch
};

}  // namespace nsmb
