// The smallest change of velocities, in the metric of M, that changes rates Hᵀv by what is asked:
//
//   v = M⁻¹H x,   Hᵀ M⁻¹ H x = r
//
// by conjugate gradients. What depends on others is left as it comes, and so is what would need
// impulses beyond all others because it nearly does.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_mass.hpp"

namespace nsmb {

/// Workspace.
class LeastChange {
 public:
  /// M and H of `problem`; r (rows) to `enough`.
  void solve(const SparseFrictionProblem& problem, const Vector& r, double enough);
  const Vector& velocities() const { return v_; }
  const Vector& impulses() const { return x_; }

 private:
  void find_sizes(const SparseFrictionProblem& problem);

  internal::MassMatrix mass_;
  Vector v_, x_;
  Vector size_;  // (rows) 1/(wᵀ M⁻¹ w)
  std::vector<Index> nodes_;
  Vector left_, along_, scaled_, image_, part_;
};

}  // namespace nsmb
