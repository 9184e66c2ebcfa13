#include "nsmb/core/dense_cholesky.hpp"

namespace nsmb {

DenseCholesky::DenseCholesky(Index n) : llt_(n) {}

void DenseCholesky::compute(const ConstMatrixRef& A) { llt_.compute(A); }

void DenseCholesky::solve(VectorRef b) const {
  llt_.matrixL().solveInPlace(b);
  llt_.matrixU().solveInPlace(b);
}

void DenseCholesky::solve_columns(MatrixRef B) const {
  llt_.matrixL().solveInPlace(B);
  llt_.matrixU().solveInPlace(B);
}

void DenseCholesky::solve_lower(VectorRef b) const { llt_.matrixL().solveInPlace(b); }

void DenseCholesky::solve_lower_columns(MatrixRef B) const { llt_.matrixL().solveInPlace(B); }

void DenseCholesky::solve_upper(VectorRef b) const { llt_.matrixU().solveInPlace(b); }

void DenseCholesky::multiply_upper(const ConstVectorRef& x, VectorRef y) const {
  y.noalias() = llt_.matrixU() * x;
}

DenseLdlt::DenseLdlt(Index n) : ldlt_(n) {}

void DenseLdlt::compute(const ConstMatrixRef& A) { ldlt_.compute(A); }

void DenseLdlt::solve(VectorRef b) const { ldlt_.solveInPlace(b); }

void DenseLdlt::solve_columns(MatrixRef B) const { ldlt_.solveInPlace(B); }

bool cholesky_in_place(MatrixRef A) {
  return Eigen::LLT<Eigen::Ref<Matrix>>(A).info() == Eigen::Success;
}

}  // namespace nsmb
