#include "nsmb/complementarity/start_point.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/complementarity/lcp.hpp"
#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb {
namespace {

using namespace tolerances;

/// Gaussian elimination with scaled row pivoting. Columns without pivot wait for more equations.
class Elimination {
 public:
  Elimination(const ConstMatrixRef& A, const ConstVectorRef& b, const Vector& x_start,
              StartPointScratch& scratch)
      : A_(A), b_(b), x_start_(x_start), s_(scratch), n_(b.size()) {}

  bool solve(Vector& x);

 private:
  double* row(Index k) { return s_.rows.data() + k * stride_; }
  void append(Index equation, double distance);
  void append_vanishing();
  void reduce_columns();
  void eliminate(Index pivot_row, Index column, Index target);

  const ConstMatrixRef& A_;
  const ConstVectorRef& b_;
  const Vector& x_start_;
  StartPointScratch& s_;
  const Index n_;
  Index m_ = 0;       // unknowns
  Index stride_ = 0;  // m + 1
  Index done_ = 0;    // pivots so far
};

bool Elimination::solve(Vector& x) {
  s_.positive.clear();
  for (Index i = 0; i < n_; ++i) {
    if (x_start_[i] > 0.0) s_.positive.push_back(i);
  }
  m_ = static_cast<Index>(s_.positive.size());
  stride_ = m_ + 1;
  s_.equation.clear();
  s_.row_order.clear();
  s_.column_order.clear();
  s_.inverse_size.clear();
  s_.distance.clear();
  const auto capacity = static_cast<std::size_t>(n_ * (n_ + 1));
  if (s_.rows.size() < capacity) {
    s_.rows.resize(capacity);
    for (auto* v : {&s_.positive, &s_.equation, &s_.row_order, &s_.column_order}) v->reserve(n_);
    s_.inverse_size.reserve(n_);
    s_.distance.reserve(n_);
  }
  for (const Index i : s_.positive) append(i, 0.0);
  for (Index c = 0; c < m_; ++c) s_.column_order.push_back(c);
  reduce_columns();
  if (done_ < m_) {
    append_vanishing();
    reduce_columns();
    if (done_ < m_) return false;
  }
  x.setZero(n_);
  for (Index k = m_ - 1; k >= 0; --k) {
    const double* const e = row(s_.row_order[k]);
    double value = e[m_];
    for (Index l = k + 1; l < m_; ++l) {
      const Index c = s_.column_order[l];
      value -= e[c] * x[s_.positive[c]];
    }
    const Index c = s_.column_order[k];
    x[s_.positive[c]] = value / e[c];
  }
  return true;
}

/// Add the equation y_i = 0, with the columns of all pivots so far eliminated.
void Elimination::append(Index equation, double distance) {
  const auto k = static_cast<Index>(s_.equation.size());
  double* const e = row(k);
  double largest = 0.0;
  for (Index c = 0; c < m_; ++c) {
    e[c] = A_(equation, s_.positive[c]);
    largest = std::max(largest, std::abs(e[c]));
  }
  e[m_] = -b_[equation];
  s_.equation.push_back(equation);
  s_.row_order.push_back(k);
  s_.distance.push_back(distance);
  s_.inverse_size.push_back(largest > 0.0 ? 1.0 / largest : 0.0);
  for (Index p = 0; p < done_; ++p) eliminate(s_.row_order[p], s_.column_order[p], k);
}

void Elimination::append_vanishing() {
  s_.y_start.resize(n_);
  s_.size_start.resize(n_);
  s_.y_start = b_;
  s_.size_start = b_.cwiseAbs();
  for (const Index j : s_.positive) {
    s_.y_start += x_start_[j] * A_.col(j);
    s_.size_start += x_start_[j] * A_.col(j).cwiseAbs();
  }
  for (Index i = 0; i < n_; ++i) {
    const double distance = std::abs(s_.y_start[i]);
    if (x_start_[i] > 0.0 || !(distance <= basic_points::kMayVanish * s_.size_start[i])) continue;
    append(i, distance > 0.0 ? distance / s_.size_start[i] : 0.0);
  }
}

/// Find pivots for the columns from `done_` on, until none of them has one.
void Elimination::reduce_columns() {
  const auto rows = static_cast<Index>(s_.row_order.size());
  for (Index waiting = done_; waiting < m_;) {
    const Index column = s_.column_order[waiting];
    double largest = basic_points::kStartPivot;
    Index best = -1;
    for (Index k = done_; k < rows; ++k) {
      const Index r = s_.row_order[k];
      const double size = std::abs(row(r)[column]) * s_.inverse_size[r];
      if (!(size > largest)) continue;
      largest = size;
      best = k;
    }
    if (best < 0) {
      ++waiting;
      continue;
    }
    for (Index k = done_; k < rows; ++k) {
      const Index r = s_.row_order[k];
      if (s_.distance[r] >= s_.distance[s_.row_order[best]]) continue;
      if (std::abs(row(r)[column]) * s_.inverse_size[r] >= pivoting::kSoundPivot * largest)
        best = k;
    }
    std::swap(s_.row_order[done_], s_.row_order[best]);
    std::swap(s_.column_order[done_], s_.column_order[waiting]);
    const Index pivot_row = s_.row_order[done_];
    ++done_;
    for (Index k = done_; k < rows; ++k) eliminate(pivot_row, column, s_.row_order[k]);
    waiting = done_;
  }
}

void Elimination::eliminate(Index pivot_row, Index column, Index target) {
  const double* __restrict const p = row(pivot_row);
  double* __restrict const e = row(target);
  if (e[column] == 0.0) return;
  const double factor = e[column] / p[column];
  for (Index c = 0; c < stride_; ++c) e[c] -= factor * p[c];
  e[column] = 0.0;
}

}  // namespace

bool solve_start_point(const ConstMatrixRef& A, const ConstVectorRef& b, const Vector& x_start,
                       StartPointScratch& scratch, Vector& x, Vector& y) {
  Elimination elimination(A, b, x_start, scratch);
  if (!elimination.solve(x)) return false;
  const double largest = x.lpNorm<Eigen::Infinity>();
  for (const Index i : scratch.positive) {
    if (x[i] >= 0.0) continue;
    if (!(x[i] >= -basic_points::kStartAccepted * largest)) return false;
    x[i] = 0.0;
  }
  const double sum = x.sum();
  if (!std::isfinite(sum)) return false;
  evaluate_lcp(A, b, x, y);
  for (std::size_t k = 0; k < scratch.positive.size(); ++k) {
    const Index i = scratch.positive[k];
    const double size = scratch.inverse_size[k] > 0.0 ? sum / scratch.inverse_size[k] : 0.0;
    if (!(std::abs(y[i]) <= basic_points::kStartAccepted * (size + std::abs(b[i])))) return false;
  }
  for (Index i = 0; i < b.size(); ++i) {
    if (y[i] >= 0.0 || x_start[i] > 0.0) continue;
    double size = std::abs(b[i]);
    for (const Index j : scratch.positive) size += std::abs(A(i, j)) * x[j];
    if (!(y[i] >= -basic_points::kStartAccepted * size)) return false;
  }
  return true;
}

}  // namespace nsmb
