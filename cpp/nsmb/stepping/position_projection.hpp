// Out of penetration: the smallest displacement, in the kinetic metric, that leaves no gap
// negative.
#pragma once

#include <vector>

#include "nsmb/contact_laws/contact_problem.hpp"
#include "nsmb/simulation/mechanics.hpp"

namespace nsmb {

/// Workspace. q -> q + B M⁻¹W_N ν with 0 <= g_N ⟂ ν >= 0, linearised anew until it holds.
class PositionProjection {
 public:
  explicit PositionProjection(Mechanics& mechanics);

  /// (t, y) out of all contacts that penetrate there by more than `allowed`, m, and back onto the
  /// bilateral constraints.
  void apply(double t, VectorRef y, double allowed, ContactSolver& solver);

  /// m, what is left.
  double deepest() const { return deepest_; }

 private:
  void list(double allowed);

  Mechanics& mechanics_;
  std::vector<Index> contacts_;
  std::vector<bool> needed_;
  double deepest_ = 0.0;
  Vector displacement_, q_step_;
};

}  // namespace nsmb
