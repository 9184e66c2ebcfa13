#include "nsmb/core/dense_lu.hpp"

namespace nsmb {

DenseLu::DenseLu(Index n) : lu_(n) {}

void DenseLu::compute(const ConstMatrixRef& A) { lu_.compute(A); }

bool DenseLu::is_regular() const {
  return lu_.matrixLU().diagonal().allFinite() &&
         lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
}

double DenseLu::determinant() const { return lu_.determinant(); }

// Uses the factors: PartialPivLU::solve would allocate.
void DenseLu::solve_to(const ConstVectorRef& b, VectorRef x) const {
  x.noalias() = lu_.permutationP() * b;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
}

void DenseLu::solve_columns_to(const ConstMatrixRef& B, MatrixRef X) const {
  X.noalias() = lu_.permutationP() * B;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(X);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(X);
}

void ComplexLu::compute(const Eigen::Ref<const Eigen::MatrixXcd>& A) { lu_.compute(A); }

void ComplexLu::solve_to(const Eigen::Ref<const Eigen::VectorXcd>& b,
                         Eigen::Ref<Eigen::VectorXcd> x) const {
  x.noalias() = lu_.permutationP() * b;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
}

FullLu::FullLu(const ConstMatrixRef& A) : lu_(A) {}

double FullLu::smallest_pivot() const { return lu_.matrixLU().diagonal().cwiseAbs().minCoeff(); }

double FullLu::largest_pivot() const { return lu_.maxPivot(); }

Vector FullLu::solve(const ConstVectorRef& b) const { return lu_.solve(b); }

Matrix FullLu::inverse() const { return lu_.inverse(); }

Matrix FullLu::kernel(double threshold) {
  lu_.setThreshold(threshold);
  // Eigen's kernel of a regular matrix has one column of zeros.
  if (lu_.dimensionOfKernel() == 0) return Matrix(lu_.cols(), 0);
  return lu_.kernel();
}

}  // namespace nsmb
