// Orthogonal factorisations of dense matrices and what they solve. Eigen's templates are
// instantiated in the source file alone: each further file would take seconds longer to compile.
#pragma once

#include <Eigen/QR>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// A P = Q T Z, the complete orthogonal decomposition: solutions of least norm where columns depend
/// on each other.
class RankedQr {
 public:
  RankedQr() = default;
  /// Pivots up to this part of the largest one count as zero; without it, what rounding leaves.
  explicit RankedQr(double threshold) { set_threshold(threshold); }
  void set_threshold(double threshold);
  void compute(const ConstMatrixRef& A);
  Index rank() const;
  /// All of Q; its first rank() columns span those of A.
  Matrix Q() const;
  Vector solve(const ConstVectorRef& b) const;
  Matrix solve_columns(const ConstMatrixRef& B) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Matrix> qr_;
};

/// x with the smallest |A x - b|; the columns of A are independent.
Vector least_squares(const ConstMatrixRef& A, const ConstVectorRef& b);
/// The same with exchanges of columns: dependent ones get zeros.
Vector pivoted_least_squares(const ConstMatrixRef& A, const ConstVectorRef& b);
/// B := QᵀB with the Q of A = Q R.
void rotate_by_columns(const ConstMatrixRef& A, Matrix& B);

}  // namespace nsmb
