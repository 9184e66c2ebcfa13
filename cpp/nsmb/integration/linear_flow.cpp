#include "nsmb/integration/linear_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nsmb {

namespace {

// Up to this size a product costs less than the call that makes it.
constexpr Index kSmall = 6;

}  // namespace

void TimeBasis::series(double t, double h, MatrixRef series) const {
  series.setZero();
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
}

void TimeBasis::value(double t, VectorRef w) const {
  w(0) = 1.0;
  w(1) = t;
  for (std::size_t k = 0; k < omegas_.size(); ++k) {
    const Index c = 2 + 2 * static_cast<Index>(k);
    w(c) = std::cos(omegas_[k] * t);
    w(c + 1) = std::sin(omegas_[k] * t);
  }
}

void evaluate_series(const ConstMatrixRef& series, Index degree, double s, VectorRef y) {
  y = series.col(degree);
  for (Index k = degree - 1; k >= 0; --k) y = y * s + series.col(k);
}

LinearFlow::LinearFlow(Index n, TimeBasis basis)
    : n_(n),
      basis_(std::move(basis)),
      series_(Matrix::Zero(2 * n + basis_.size(), kOrder + 1)),
      y_(Vector::Zero(2 * n)) {}

void LinearFlow::set_equations(const LinearOde& ode) {
  if (ode_ != &ode) growth_ = 4.0;
  ode_ = &ode;
  const auto norm = [&](Index from) {
    return ode.A.middleCols(from, n_).cwiseAbs().rowwise().sum().maxCoeff();
  };
  rate_ = std::sqrt(norm(0)) + norm(n_);  // ü = A_q q + A_u u + ...
}

void LinearFlow::reset() {
  last_step_ = 0.0;
  growth_ = 4.0;
  statistics_ = {};
}

void LinearFlow::restart(double t, const ConstVectorRef& y) {
  t_old_ = t_ = t;
  y_ = y;
  ++statistics_.restarts;
}

// q_{k+1} = h u_k/(k + 1), u_{k+1} = h A (q, u, w)_k/(k + 1)
void LinearFlow::expand(double h) {
  basis_.series(t_old_, h, series_.bottomRows(basis_.size()));
  series_.col(0).head(2 * n_) = y_;
  degree_ = 0;
  for (Index k = 0; k < kOrder; ++k) {
    const double factor = h / static_cast<double>(k + 1);
    auto next = series_.col(k + 1);
    next.head(n_) = factor * series_.col(k).segment(n_, n_);
    if (n_ <= kSmall) {
      next.segment(n_, n_) = ode_->A.lazyProduct(series_.col(k));
    } else {
      next.segment(n_, n_).noalias() = ode_->A * series_.col(k);
    }
    next.segment(n_, n_) *= factor;
    if (!next.isZero(0.0)) degree_ = k + 1;
  }
  ++statistics_.rhs_evaluations;
}

// Largest fraction of the step at which the last two terms are below rounding, component by
// component, against the size the component has on the step.
double LinearFlow::usable_fraction() const {
  if (degree_ < kOrder - 1) return 1.0;
  constexpr double eps = 0.25 * std::numeric_limits<double>::epsilon();
  double fraction = 1.0;
  for (Index i = 0; i < series_.rows(); ++i) {
    const double last = std::max(std::abs(series_(i, kOrder)), std::abs(series_(i, kOrder - 1)));
    if (last == 0.0) continue;
    double r = fraction;
    // The size shrinks with the step, so the bound is iterated; it converges from above.
    for (int pass = 0; pass < 60; ++pass) {
      double size = 0.0, power = 1.0;
      for (Index k = 0; k <= kOrder; ++k, power *= r) {
        size = std::max(size, std::abs(series_(i, k)) * power);
      }
      const double bound = std::pow(eps * size / last, 1.0 / static_cast<double>(kOrder - 1));
      if (bound >= r) break;
      const bool settled = bound > 0.99 * r;
      r = bound;
      if (settled) break;
    }
    fraction = std::min(fraction, r);
  }
  return fraction;
}

void LinearFlow::rescale(double fraction) {
  double power = fraction;
  for (Index k = 1; k <= degree_; ++k, power *= fraction) series_.col(k) *= power;
}

StepStatus LinearFlow::step(double t_stop) {
  t_old_ = t_;
  double h = t_stop - t_old_;
  // Far beyond the usable step the terms would overflow before they are scaled back; little beyond
  // it the search for the usable part is short.
  if (last_step_ > 0.0) h = std::min(h, growth_ * last_step_);
  if (rate_ * h > 1e6) h = 1e6 / rate_;
  expand(h);
  if (!series_.allFinite()) return StepStatus::RhsNotFinite;
  const double fraction = usable_fraction();
  if (fraction < 1.0) rescale(fraction);
  growth_ = fraction < 1.0 ? 1.1 : 4.0;
  const double reached = t_old_ + fraction * h;
  if (reached <= t_old_) return StepStatus::StepTooSmall;
  // A step that only t_stop ended says nothing about the next one.
  last_step_ = fraction < 1.0 ? fraction * h : 0.0;
  const bool complete = fraction == 1.0 && h == t_stop - t_old_;
  t_ = complete ? t_stop : reached;
  duration_ = fraction * h;
  y_ = series_.topRows(2 * n_).rowwise().sum();
  ++statistics_.steps;
  return StepStatus::Ok;
}

StepStatus LinearFlow::redo(double t_end) {
  cut((t_end - t_old_) / (t_ - t_old_));
  t_ = t_end;
  return StepStatus::Ok;
}

void LinearFlow::cut(double s) {
  rescale(s);
  duration_ *= s;
  t_ = t_old_ + duration_;
  y_ = series_.topRows(2 * n_).rowwise().sum();
}

void LinearFlow::interpolate(double t, VectorRef y) const {
  const double h = t_ - t_old_;
  evaluate_series(series_.topRows(2 * n_), degree_, h > 0.0 ? (t - t_old_) / h : 0.0, y);
}

}  // namespace nsmb
