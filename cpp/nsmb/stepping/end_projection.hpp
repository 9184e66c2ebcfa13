// Contacts that last, at the end of a step: with S those that carried an impulse and do not leave,
//
//   q ← q + B M⁻¹ W_S (W_Sᵀ M⁻¹ W_S)⁺ (-g_S),   u ← u - M⁻¹ W_S' (W_S'ᵀ M⁻¹ W_S')⁺ (W_S'ᵀ u + w̃)
//
// with S' their normal rows and the tangential ones of those that stick: what bends within a step
// leaves neither gaps nor velocities behind. Flat contacts have none of either.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/stepping/least_change.hpp"
#include "nsmb/stepping/set_problem.hpp"

namespace nsmb {

/// Workspace.
class EndProjection {
 public:
  EndProjection(Mechanics& mechanics, ContactModel& model);

  struct Options {
    double gap_tolerance;    // m, gaps below it are none
    double margin;           // m, where contacts are looked for
    double speed_tolerance;  // m/s, rates below it are none
    double rest;             // s, from the middle of the step
  };

  /// See StepInertia.
  void know_as(const EndProjection& other) { inertia_.know_as(other.inertia_); }
  void begin() { kept_.clear(), pairs_.clear(); }
  enum class Way : std::int8_t {
    Rests,   // in S, without tangential rows in S'
    Sticks,  // in S, with them
    Lifts,   // leaves, and is put out of penetration
  };
  /// Contact k of the step.
  void keep(const FoundContact& contact, std::size_t k, Way way);
  /// (t, y), `loads` (nu) acting there. What is at rest stays.
  void apply(double t, const ConstVectorRef& loads, const Options& options,
             const std::vector<char>* at_rest, VectorRef y);

  /// What has held rates: contact k of the step, and N s by its rows.
  struct Impulse {
    std::size_t k;
    std::array<double, 3> Lambda;
  };
  const std::vector<Impulse>& impulses() const { return impulses_; }
  /// m, the deepest penetration that is left of contacts that were looked at.
  double deepest() const { return deepest_; }
  /// J, kinetic energy that it has taken, and work of loads that has become none.
  double loss() const { return loss_; }
  /// J, of loads, which velocities at the end do not tell.
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
  std::vector<std::pair<Index, Index>> pairs_;  // of shapes, of kept ones
  std::vector<ContactIdentity> lifted_;         // in this projection
  ContactSet set_;
  std::vector<Index> rows_;  // of each contact of set_
  double deepest_ = 0.0, loss_ = 0.0, work_ = 0.0;
  ConstraintKinematics constraints_;
  std::vector<Impulse> impulses_;
  Vector left_;                   // (rows)
  Vector step_, moved_, q_step_;  // (nu) twice, (nq)
  DenseCholesky llt_;
  Vector part_, w_;  // scratch
};

}  // namespace nsmb
