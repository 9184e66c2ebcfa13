#include "nsmb/core/dense_qr.hpp"

namespace nsmb {

void RankedQr::set_threshold(double threshold) { qr_.setThreshold(threshold); }

void RankedQr::compute(const ConstMatrixRef& A) { qr_.compute(A); }

Index RankedQr::rank() const { return qr_.rank(); }

Matrix RankedQr::Q() const { return qr_.householderQ(); }

Vector RankedQr::solve(const ConstVectorRef& b) const { return qr_.solve(b); }

Matrix RankedQr::solve_columns(const ConstMatrixRef& B) const { return qr_.solve(B); }

Vector least_squares(const ConstMatrixRef& A, const ConstVectorRef& b) {
  return Eigen::HouseholderQR<Matrix>(A).solve(b);
}

Vector pivoted_least_squares(const ConstMatrixRef& A, const ConstVectorRef& b) {
  return Eigen::ColPivHouseholderQR<Matrix>(A).solve(b);
}

void rotate_by_columns(const ConstMatrixRef& A, Matrix& B) {
  const Eigen::HouseholderQR<Matrix> qr(A);
  B.applyOnTheLeft(qr.householderQ().adjoint());
}

}  // namespace nsmb
