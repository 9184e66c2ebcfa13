// Cholesky factorisations of dense symmetric matrices. Eigen's templates are instantiated only in
// the source file, because each further file that factorises takes seconds longer to compile.
#pragma once

#include <Eigen/Cholesky>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Factorisation A = L Lᵀ of a positive definite A; only the lower half of A is read. A workspace:
/// allocates when the size changes; solving allocates nothing.
class DenseCholesky {
 public:
  DenseCholesky() = default;
  explicit DenseCholesky(Index n);
  void compute(const ConstMatrixRef& A);
  /// Return true if A was positive definite.
  bool is_definite() const { return llt_.info() == Eigen::Success; }
  /// L in the lower half, entries of A above it.
  const Matrix& entries() const { return llt_.matrixLLT(); }

  /// Compute b := A⁻¹b.
  void solve(VectorRef b) const;
  /// Compute B := A⁻¹B by columns.
  void solve_columns(MatrixRef B) const;
  /// Compute b := L⁻¹b.
  void solve_lower(VectorRef b) const;
  /// Compute B := L⁻¹B by columns.
  void solve_lower_columns(MatrixRef B) const;
  /// Compute b := L⁻ᵀb.
  void solve_upper(VectorRef b) const;
  /// Compute y := Lᵀx; y must not be x.
  void multiply_upper(const ConstVectorRef& x, VectorRef y) const;

 private:
  Eigen::LLT<Matrix> llt_;
};

/// Factorisation A = PᵀL D LᵀP of a semidefinite A.
class DenseLdlt {
 public:
  DenseLdlt() = default;
  explicit DenseLdlt(Index n);
  void compute(const ConstMatrixRef& A);
  /// Compute b := A⁻¹b, with zeros in place of divisions by zero.
  void solve(VectorRef b) const;
  /// Compute B := A⁻¹B by columns, likewise.
  void solve_columns(MatrixRef B) const;

 private:
  Eigen::LDLT<Matrix> ldlt_;
};

/// Overwrite the lower half of A = L Lᵀ with L. Return false if A is not positive definite.
bool cholesky_in_place(MatrixRef A);

}  // namespace nsmb
