// Orthogonal factorisations of dense matrices and their solutions. Eigen's templates are
// instantiated only in the source file, because each further file would take seconds longer to
// compile.
#pragma once

#include <Eigen/QR>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Complete orthogonal decomposition A P = Q T Z: solutions of minimum norm if columns are linearly
/// dependent.
class RankedQr {
 public:
  RankedQr() = default;
  /// Pivots up to this fraction of the largest one count as zero; by default those below rounding.
  explicit RankedQr(double threshold) { set_threshold(threshold); }
  void set_threshold(double threshold);
  void compute(const ConstMatrixRef& A);
  Index rank() const;
  /// Return all of Q; its first rank() columns span the range of A.
  Matrix Q() const;
  Vector solve(const ConstVectorRef& b) const;
  Matrix solve_columns(const ConstMatrixRef& B) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Matrix> qr_;
};

/// Return x with the smallest |A x - b|; the columns of A must be linearly independent.
Vector least_squares(const ConstMatrixRef& A, const ConstVectorRef& b);
/// Return a least-squares solution with column exchanges: unknowns of dependent columns are zero.
Vector pivoted_least_squares(const ConstMatrixRef& A, const ConstVectorRef& b);
/// Compute B := QᵀB with the Q of A = Q R.
void rotate_by_columns(const ConstMatrixRef& A, Matrix& B);

}  // namespace nsmb
