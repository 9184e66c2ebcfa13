#include "nsmb/simulation/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsmb/core/dense_eigen.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

ConstraintProjection::ConstraintProjection(Index nu, Index nb)
    : Y_(nu, nb),
      Q_(nu, nb),
      R_(nb, nb),
      pivot_(static_cast<std::size_t>(nb)),
      coefficients_(nb),
      continued_velocity_(nb),
      continued_rate_(nb),
      scratch_(nu) {}

// Orthogonalise by Gram-Schmidt, twice per column. The column with the largest remaining part is
// taken next.
void ConstraintProjection::update(const DenseCholesky& M, const ConstraintKinematics& constraints) {
  const Index nb = R_.rows();
  Y_ = constraints.W;
  M.solve_lower_columns(Y_);
  Q_ = Y_;
  R_.setZero();
  rank_ = strong_ = 0;
  largest_ = 0.0;
  for (Index k = 0; k < nb; ++k) {
    pivot_[static_cast<std::size_t>(k)] = k;
    coefficients_(k) = Q_.col(k).norm();  // reference sizes of the remaining parts
    largest_ = std::max(largest_, coefficients_(k));
  }
  for (Index k = 0; k < nb; ++k) {
    Index best = -1;
    double largest = 0.0;
    for (Index j = k; j < nb; ++j) {
      const double left = Q_.col(j).norm();
      if (left <= std::max(constraint_columns::kDependentColumn * coefficients_(j),
                           constraint_columns::kZeroColumn * largest_))
        continue;
      const double part =
          left / std::max(coefficients_(j), constraint_columns::kShortColumn * largest_);
      if (part > largest) {
        largest = part;
        best = j;
      }
    }
    if (best < 0) break;
    if (best != k) {
      Q_.col(k).swap(Q_.col(best));
      R_.col(k).swap(R_.col(best));
      std::swap(coefficients_(k), coefficients_(best));
      std::swap(pivot_[static_cast<std::size_t>(k)], pivot_[static_cast<std::size_t>(best)]);
    }
    for (Index i = 0; i < k; ++i) {  // again, because cancellation leaves parts along the others
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
  strong_ = rank_;
}

Index ConstraintProjection::weak(double part) const {
  Index count = R_.rows() - rank_;
  for (Index k = 0; k < rank_; ++k) count += R_(k, k) < part * largest_ ? 1 : 0;
  return count;
}

bool ConstraintProjection::has_weaker_than(double part, const ConstVectorRef& sizes) const {
  if (is_continued()) return true;
  for (Index k = 0; k < R_.rows(); ++k) {
    const Index i = pivot_[static_cast<std::size_t>(k)];
    const double left = k < rank_ ? R_(k, k) : Y_.col(i).norm();
    if (left < part * sizes(i)) return true;
  }
  return false;
}

bool ConstraintProjection::is_weak(Index i, double part) const {
  for (Index k = 0; k < strong_; ++k) {
    if (pivot_[static_cast<std::size_t>(k)] == i) return R_(k, k) < part * largest_;
  }
  return true;
}

// Keep the strong columns. The other columns span the rest of the continued projector.
bool ConstraintProjection::continue_with(const DenseCholesky& M, double part,
                                         const ConstraintContinuation& continuation) {
  Index strong = 0;
  while (strong < rank_ && R_(strong, strong) >= part * largest_) ++strong;
  const Index missing = continuation.rank - strong;
  if (missing < 1 || continuation.rank > Q_.cols()) return false;
  const auto Q = Q_.leftCols(strong);
  Matrix rest = continuation.projector;
  rest -= Q * (Q.transpose() * rest);
  rest -= (rest * Q) * Q.transpose();
  Vector values;
  Matrix vectors;
  const Index n = rest.rows();
  const bool fits = symmetric_eigenvectors(rest, values, vectors) &&
                    values(n - missing) > constraint_columns::kDistinct &&
                    (missing == n || values(n - missing - 1) < constraint_columns::kDistinct);
  if (!fits) return false;
  Q_.middleCols(strong, missing) = vectors.rightCols(missing);
  strong_ = strong;
  rank_ = strong + missing;
  for (Index k = strong_; k < rank_; ++k) {
    M.multiply_upper(continuation.velocity, scratch_);
    continued_velocity_(k) = Q_.col(k).dot(scratch_);
    M.multiply_upper(continuation.acceleration, scratch_);
    continued_rate_(k) = Q_.col(k).dot(scratch_);
  }
  return true;
}

void ConstraintProjection::project(const DenseCholesky& M, MatrixRef B) {
  // P = L⁻ᵀ (I - Q Qᵀ) L⁻¹, and Lᵀ M⁻¹ = L⁻¹.
  for (Index j = 0; j < B.cols(); ++j) {
    M.multiply_upper(B.col(j), scratch_);
    for (Index k = 0; k < rank_; ++k) scratch_ -= Q_.col(k).dot(scratch_) * Q_.col(k);
    M.solve_upper(scratch_);
    B.col(j) = scratch_;
  }
}

void ConstraintProjection::project_acceleration(const DenseCholesky& M, const ConstVectorRef& w_bar,
                                                VectorRef a) {
  project(M, a);
  correction(M, w_bar, scratch_);
  a += scratch_;
  if (!is_continued()) return;
  scratch_.setZero();
  for (Index k = strong_; k < rank_; ++k) scratch_ += continued_rate_(k) * Q_.col(k);
  M.solve_upper(scratch_);
  a += scratch_;
}

void ConstraintProjection::correction(const DenseCholesky& M, const ConstVectorRef& value,
                                      VectorRef step) {
  for (Index k = 0; k < strong_; ++k) {
    coefficients_(k) = -value(pivot_[static_cast<std::size_t>(k)]);
  }
  auto c = coefficients_.head(strong_);
  R_.topLeftCorner(strong_, strong_).triangularView<Eigen::Upper>().transpose().solveInPlace(c);
  step.setZero();
  for (Index k = 0; k < strong_; ++k) step += c(k) * Q_.col(k);
  M.solve_upper(step);
}

void ConstraintProjection::velocity_correction(const DenseCholesky& M, const ConstVectorRef& u,
                                               const ConstVectorRef& gamma, VectorRef step) {
  correction(M, gamma, step);
  if (!is_continued()) return;
  M.multiply_upper(u, scratch_);
  for (Index k = strong_; k < rank_; ++k) {
    coefficients_(k) = continued_velocity_(k) - Q_.col(k).dot(scratch_);
  }
  scratch_.setZero();
  for (Index k = strong_; k < rank_; ++k) scratch_ += coefficients_(k) * Q_.col(k);
  M.solve_upper(scratch_);
  step += scratch_;
}

void ConstraintProjection::forces(const DenseCholesky& M, const ConstVectorRef& force,
                                  VectorRef lambda) {
  scratch_ = force;
  M.solve_lower(scratch_);
  auto c = coefficients_.head(strong_);
  for (Index k = 0; k < strong_; ++k) c(k) = Q_.col(k).dot(scratch_);
  R_.topLeftCorner(strong_, strong_).triangularView<Eigen::Upper>().solveInPlace(c);
  lambda.setZero();
  for (Index k = 0; k < strong_; ++k) lambda(pivot_[static_cast<std::size_t>(k)]) = c(k);
}

}  // namespace nsmb
