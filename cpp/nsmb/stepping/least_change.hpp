// The smallest change of velocities, in the metric of M, that changes the rates Hᵀv by given
// values:
//
//   v = M⁻¹H x,   Hᵀ M⁻¹ H x = r
//
// The system is solved by conjugate gradients. Rows that depend on others are not corrected. The
// same holds for nearly dependent rows, which would need excessive impulses.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_mass.hpp"

namespace nsmb {

/// A workspace for the smallest change of velocities.
class LeastChange {
 public:
  /// Solve with M and H of `problem` for the rates r (rows), to the accuracy `enough`.
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
