// Cholesky factorisations of dense symmetric matrices. Eigen's templates are instantiated in the
// source file alone: each further file that factorises by itself takes seconds longer to compile.
#pragma once

#include <Eigen/Cholesky>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// A = L Lᵀ of a positive definite A, of which the lower half is read. Workspace: allocates where
/// the size changes; solving allocates nothing.
class DenseCholesky {
 public:
  DenseCholesky() = default;
  explicit DenseCholesky(Index n);
  void compute(const ConstMatrixRef& A);
  /// True if A was positive definite.
  bool is_definite() const { return llt_.info() == Eigen::Success; }
  /// L in the lower half; above it whatever A had there.
  const Matrix& entries() const { return llt_.matrixLLT(); }

  /// b := A⁻¹b
  void solve(VectorRef b) const;
  /// B := A⁻¹B by columns
  void solve_columns(MatrixRef B) const;
  /// b := L⁻¹b
  void solve_lower(VectorRef b) const;
  /// B := L⁻¹B by columns
  void solve_lower_columns(MatrixRef B) const;
  /// b := L⁻ᵀb
  void solve_upper(VectorRef b) const;
  /// y := Lᵀx; y is not x.
  void multiply_upper(const ConstVectorRef& x, VectorRef y) const;

 private:
  Eigen::LLT<Matrix> llt_;
};

/// A = PᵀL D LᵀP of a semidefinite A.
class DenseLdlt {
 public:
  DenseLdlt() = default;
  explicit DenseLdlt(Index n);
  void compute(const ConstMatrixRef& A);
  /// b := A⁻¹b, with zeros in place of divisions by zero
  void solve(VectorRef b) const;
  /// The same for the columns of B.
  void solve_columns(MatrixRef B) const;

 private:
  Eigen::LDLT<Matrix> ldlt_;
};

/// L over the lower half of A = L Lᵀ; false if A is not positive definite.
bool cholesky_in_place(MatrixRef A);

}  // namespace nsmb
