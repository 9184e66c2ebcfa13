#include "nsmb/simulation/constraints.hpp"

#include <cmath>
#include <utility>

namespace nsmb {

namespace {

// What is left of a column after the others, below this part of it, is dependent on them.
constexpr double kDependent = 1e-9;

}  // namespace

ConstraintProjection::ConstraintProjection(Index nu, Index nb)
    : Q_(nu, nb),
      R_(nb, nb),
      pivot_(static_cast<std::size_t>(nb)),
      coefficients_(nb),
      scratch_(nu) {}

// Gram-Schmidt, each column twice, the one with the largest remaining part next.
void ConstraintProjection::update(const Eigen::LLT<Matrix>& M,
                                  const ConstraintKinematics& constraints) {
  const Index nb = R_.rows();
  Q_ = constraints.W;
  M.matrixL().solveInPlace(Q_);
  R_.setZero();
  rank_ = 0;
  for (Index k = 0; k < nb; ++k) {
    pivot_[static_cast<std::size_t>(k)] = k;
    coefficients_(k) = Q_.col(k).norm();  // sizes the remaining parts are compared with
  }
  for (Index k = 0; k < nb; ++k) {
    Index best = -1;
    double largest = kDependent;
    for (Index j = k; j < nb; ++j) {
      const double part = coefficients_(j) > 0.0 ? Q_.col(j).norm() / coefficients_(j) : 0.0;
      if (part > largest) {
        largest = part;
        best = j;
      }
    }
    if (best < 0) return;
    if (best != k) {
      Q_.col(k).swap(Q_.col(best));
      R_.col(k).swap(R_.col(best));
      std::swap(coefficients_(k), coefficients_(best));
      std::swap(pivot_[static_cast<std::size_t>(k)], pivot_[static_cast<std::size_t>(best)]);
    }
    for (Index i = 0; i < k; ++i) {  // again: cancellation has left parts along the others
      const double part = Q_.col(i).dot(Q_.col(k));
      R_(i, k) += part;
      Q_.col(k) -= part * Q_.col(i);
    }
    R_(k, k) = Q_.col(k).norm();
    Q_.col(k) /= R_(k, k);
    ++rank_;
    for (Index j = k + 1; j < nb; ++j) {
      R_(k, j) = Q_.col(k).dot(Q_.col(j));
      Q_.col(j) -= R_(k, j) * Q_.col(k);
    }
  }
}

void ConstraintProjection::project(const Eigen::LLT<Matrix>& M, MatrixRef B) {
  // P = L⁻ᵀ (I - Q Qᵀ) L⁻¹, and Lᵀ M⁻¹ = L⁻¹.
  for (Index j = 0; j < B.cols(); ++j) {
    scratch_.noalias() = M.matrixU() * B.col(j);
    for (Index k = 0; k < rank_; ++k) scratch_ -= Q_.col(k).dot(scratch_) * Q_.col(k);
    M.matrixU().solveInPlace(scratch_);
    B.col(j) = scratch_;
  }
}

void ConstraintProjection::project_acceleration(const Eigen::LLT<Matrix>& M,
                                                const ConstVectorRef& w_bar, VectorRef a) {
  project(M, a);
  correction(M, w_bar, scratch_);
  a += scratch_;
}

void ConstraintProjection::correction(const Eigen::LLT<Matrix>& M, const ConstVectorRef& value,
                                      VectorRef step) {
  for (Index k = 0; k < rank_; ++k) {
    coefficients_(k) = -value(pivot_[static_cast<std::size_t>(k)]);
  }
  auto c = coefficients_.head(rank_);
  R_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(c);
  step.setZero();
  for (Index k = 0; k < rank_; ++k) step += c(k) * Q_.col(k);
  M.matrixU().solveInPlace(step);
}

void ConstraintProjection::forces(const Eigen::LLT<Matrix>& M, const ConstVectorRef& force,
                                  VectorRef lambda) {
  scratch_ = force;
  M.matrixL().solveInPlace(scratch_);
  auto c = coefficients_.head(rank_);
  for (Index k = 0; k < rank_; ++k) c(k) = Q_.col(k).dot(scratch_);
  R_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(c);
  lambda.setZero();
  for (Index k = 0; k < rank_; ++k) lambda(pivot_[static_cast<std::size_t>(k)]) = c(k);
}

}  // namespace nsmb
