#include "nsmb/core/dense_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace nsmb {

Vector symmetric_eigenvalues(const ConstMatrixRef& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

bool symmetric_eigenvectors(const ConstMatrixRef& A, Vector& values, Matrix& vectors) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A);
  if (solver.info() != Eigen::Success) return false;
  values = solver.eigenvalues();
  vectors = solver.eigenvectors();
  return true;
}

}  // namespace nsmb
