#include "nsmb/integration/linear_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "nsmb/integration/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Compute q_{k+1} = h u_k/(k + 1) and (u, x)_{k+1} = h A (q, u, x, w)_k/(k + 1) from the non-zero
// columns of A. N is the number of coordinates, without states, or 0 for any number. Loops of known
// length pay for matrices of a few rows.
template <int N>
void fill_series(const LinearOde& ode, Index any, Index ny, Index rows, double h, double* series) {
  const Index n = N > 0 ? N : any;
  const Index m = N > 0 ? N : ny - any;  // velocities and states
  const double* A = ode.A.data();
  for (Index k = 0; k < LinearFlow::kOrder; ++k) {
    const double factor = h / static_cast<double>(k + 1);
    const double* now = series + k * rows;
    double* q = series + (k + 1) * rows;
    double* u = q + n;
    for (Index i = 0; i < n; ++i) q[i] = factor * now[n + i];
    for (Index i = 0; i < m; ++i) u[i] = 0.0;
    const auto add = [&](Index j) {
      const double z = now[j];
      const double* column = A + j * m;
      for (Index i = 0; i < m; ++i) u[i] += column[i] * z;
    };
    for (const Index j : ode.columns) add(j);
    for (Index j = n + m; j < rows; ++j) {
      if (now[j] != 0.0) add(j);
    }
    for (Index i = 0; i < m; ++i) u[i] *= factor;
  }
}

// Add up the rows of y over the columns 0 ... degree, in this order. These are 2N rows for N
// coordinates without states.
template <int N>
void add_columns(const double* series, Index ny, Index rows, Index degree, double* sum) {
  const Index n = N > 0 ? 2 * N : ny;
  std::array<double, static_cast<std::size_t>(N > 0 ? 2 * N : 1)> own;  // stays in registers
  double* total = N > 0 ? own.data() : sum;
  for (Index i = 0; i < n; ++i) total[i] = series[i];
  for (Index k = 1; k <= degree; ++k) {
    const double* c = series + k * rows;
    for (Index i = 0; i < n; ++i) total[i] += c[i];
  }
  if (N > 0) std::copy(own.begin(), own.end(), sum);
}

// A few rows at a time stay in registers.
template <Index kRows>
void evaluate_rows(const ConstMatrixRef& series, Index degree, double s, Index first, VectorRef y) {
  std::array<double, static_cast<std::size_t>(kRows)> p;
  const double* c = series.data() + degree * series.outerStride() + first;
  std::copy(c, c + kRows, p.begin());
  for (Index k = degree; k > 0; --k) {
    c -= series.outerStride();
    for (Index i = 0; i < kRows; ++i) {
      double& p_i = p[static_cast<std::size_t>(i)];
      p_i = p_i * s + c[i];
    }
  }
  std::copy(p.begin(), p.end(), y.data() + first);
}

}  // namespace

void TimeBasis::series(double t, double h, MatrixRef series) const {
  series(0, 0) = 1.0;
  series(1, 0) = t;
  series(1, 1) = h;
  for (std::size_t k = 0; k < omegas_.size(); ++k) {
    const Index c = 2 + 2 * static_cast<Index>(k);
    const double x = omegas_[k] * h;
    series(c, 0) = std::cos(omegas_[k] * t);
    series(c + 1, 0) = std::sin(omegas_[k] * t);
    for (Index i = 1; i < series.cols(); ++i) {
      const double factor = x / static_cast<double>(i);
      series(c, i) = -factor * series(c + 1, i - 1);
      series(c + 1, i) = factor * series(c, i - 1);
    }
  }
  series.col(0).tail(inputs_.size()) = inputs_;
}

void TimeBasis::value(double t, VectorRef w) const {
  w(0) = 1.0;
  w(1) = t;
  for (std::size_t k = 0; k < omegas_.size(); ++k) {
    const Index c = 2 + 2 * static_cast<Index>(k);
    w(c) = std::cos(omegas_[k] * t);
    w(c + 1) = std::sin(omegas_[k] * t);
  }
  w.tail(inputs_.size()) = inputs_;
}

void evaluate_series(const ConstMatrixRef& series, Index degree, double s, VectorRef y) {
  Index first = 0;
  for (; first + 4 <= series.rows(); first += 4) evaluate_rows<4>(series, degree, s, first, y);
  for (; first + 2 <= series.rows(); first += 2) evaluate_rows<2>(series, degree, s, first, y);
  for (; first < series.rows(); ++first) evaluate_rows<1>(series, degree, s, first, y);
}

LinearOde::LinearOde(Matrix matrix, Index n) : A(std::move(matrix)) {
  const Index nx = A.rows() - n;
  for (Index j = 0; j < 2 * n + nx; ++j) {
    if (!A.col(j).isZero(0.0)) columns.push_back(j);
  }
  const auto norm = [&](Index first, Index rows, Index from, Index count) {
    if (rows == 0 || count == 0) return 0.0;
    return A.block(first, from, rows, count).cwiseAbs().rowwise().sum().maxCoeff();
  };
  // ü = A_q q + A_u u + A_x x, ẋ = B_q q + B_u u + B_x x: each cycle counts by its length.
  rate = std::sqrt(norm(0, n, 0, n)) + norm(0, n, n, n);
  if (nx == 0) return;
  rate += norm(n, nx, 2 * n, nx);
  rate += std::sqrt(norm(0, n, 2 * n, nx) * norm(n, nx, n, n));
  rate += std::cbrt(norm(0, n, 2 * n, nx) * norm(n, nx, 0, n));
}

LinearFlow::LinearFlow(Index n, Index nx, TimeBasis basis)
    : n_(n),
      ny_(2 * n + nx),
      basis_(std::move(basis)),
      series_(Matrix::Zero(ny_ + basis_.size(), kOrder + 1)),
      y_(Vector::Zero(ny_)) {}

void LinearFlow::set_equations(const LinearOde& ode) {
  if (ode_ != &ode) growth_ = 4.0;
  ode_ = &ode;
}

void LinearFlow::reset() {
  ode_ = nullptr;
  last_step_ = 0.0;
  growth_ = 4.0;
  statistics_ = {};
}

void LinearFlow::restart(double t, const ConstVectorRef& y) {
  t_old_ = t_ = t;
  y_ = y;
  ++statistics_.restarts;
}

void LinearFlow::expand(double h) {
  const Index rows = series_.rows();
  basis_.series(t_old_, h, series_.bottomRows(basis_.size()));
  series_.col(0).head(ny_) = y_;
  double* series = series_.data();
  switch (ny_ == 2 * n_ ? n_ : 0) {
    case 1:
      fill_series<1>(*ode_, n_, ny_, rows, h, series);
      break;
    case 2:
      fill_series<2>(*ode_, n_, ny_, rows, h, series);
      break;
    case 3:
      fill_series<3>(*ode_, n_, ny_, rows, h, series);
      break;
    case 4:
      fill_series<4>(*ode_, n_, ny_, rows, h, series);
      break;
    default:
      fill_series<0>(*ode_, n_, ny_, rows, h, series);
  }
  degree_ = kOrder;
  while (degree_ > 0 && series_.col(degree_).isZero(0.0)) --degree_;
  ++statistics_.rhs_evaluations;
}

// Return the largest fraction of the step at which the last two terms are below rounding. Each
// component is compared with its size on the step.
double LinearFlow::usable_fraction() const {
  if (degree_ < kOrder - 1) return 1.0;
  double fraction = 1.0, whole = 1.0;  // whole = fraction^(kOrder - 1)
  const Index rows = series_.rows();
  for (Index i = 0; i < rows; ++i) {
    const double last = std::max(std::abs(series_(i, kOrder)), std::abs(series_(i, kOrder - 1)));
    if (last == 0.0) continue;
    double r = fraction, r_last = whole;
    // The size shrinks with the step, so the bound is iterated. It converges from above.
    for (int pass = 0; pass < 60; ++pass) {
      const double* c = series_.data() + i;
      // Check the first two terms alone, which are usually the largest.
      if (roots::kLastTerms * std::max(std::abs(c[0]), std::abs(c[rows]) * r) >= last * r_last)
        break;
      double size = 0.0, power = 1.0;
      for (Index k = 0; k <= kOrder; ++k, power *= r, c += rows) {
        size = std::max(size, std::abs(*c) * power);
      }
      if (roots::kLastTerms * size >= last * r_last) break;  // the terms are below rounding up to r
      const double bound =
          std::pow(roots::kLastTerms * size / last, 1.0 / static_cast<double>(kOrder - 1));
      const bool settled = bound > 0.99 * r;
      r = bound;
      if (settled || !(r > 0.0)) break;
      r_last = roots::kLastTerms * size / last;
    }
    if (r < fraction) {
      fraction = r;
      whole = std::pow(r, static_cast<double>(kOrder - 1));
    }
  }
  return fraction;
}

void LinearFlow::rescale(double fraction) {
  const Index rows = series_.rows();
  double power = fraction;
  for (Index k = 1; k <= degree_; ++k, power *= fraction) {
    double* c = series_.data() + k * rows;
    for (Index i = 0; i < rows; ++i) c[i] *= power;
  }
}

// Compute y at the end of the step.
void LinearFlow::sum_series() {
  const double* series = series_.data();
  const Index rows = series_.rows();
  switch (ny_ == 2 * n_ ? n_ : 0) {
    case 1:
      return add_columns<1>(series, ny_, rows, degree_, y_.data());
    case 2:
      return add_columns<2>(series, ny_, rows, degree_, y_.data());
    case 3:
      return add_columns<3>(series, ny_, rows, degree_, y_.data());
    case 4:
      return add_columns<4>(series, ny_, rows, degree_, y_.data());
    default:
      return add_columns<0>(series, ny_, rows, degree_, y_.data());
  }
}

StepStatus LinearFlow::step(double t_stop) {
  t_old_ = t_;
  double h = t_stop - t_old_;
  // Far beyond the usable step the terms would overflow before they are scaled back. Slightly
  // beyond it, the search for the usable part is short.
  if (last_step_ > 0.0) h = std::min(h, growth_ * last_step_);
  if (ode_->rate * h > 1e6) h = 1e6 / ode_->rate;
  expand(h);
  if (!((0.0 * series_.array()).sum() == 0.0)) return StepStatus::RhsNotFinite;
  const double fraction = usable_fraction();
  if (fraction < 1.0) rescale(fraction);
  growth_ = fraction < 1.0 ? 1.1 : 4.0;
  const double reached = t_old_ + fraction * h;
  if (reached <= t_old_) return StepStatus::StepTooSmall;
  // A step that was ended only by t_stop does not limit the next one.
  last_step_ = fraction < 1.0 ? fraction * h : 0.0;
  const bool complete = fraction == 1.0 && h == t_stop - t_old_;
  t_ = complete ? t_stop : reached;
  duration_ = fraction * h;
  sum_series();
  ++statistics_.steps;
  return StepStatus::Ok;
}

StepStatus LinearFlow::redo(double t_end) {
  if (t_end < t_) cut((t_end - t_old_) / (t_ - t_old_));
  t_ = t_end;
  return StepStatus::Ok;
}

void LinearFlow::cut(double s) {
  if (s >= 1.0) return;
  rescale(s);
  duration_ *= s;
  t_ = std::min(t_old_ + duration_, t_);
  sum_series();
}

void LinearFlow::interpolate(double t, VectorRef y) const {
  const double h = t_ - t_old_;
  evaluate_series(series_.topRows(ny_), degree_, h > 0.0 ? (t - t_old_) / h : 0.0, y);
}

}  // namespace nsmb
