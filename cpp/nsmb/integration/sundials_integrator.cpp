#include "nsmb/integration/sundials_integrator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/integration/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

SundialsIntegrator::SundialsIntegrator(std::string_view name, OdeProblem& problem,
                                       const IntegratorOptions& options)
    : problem_(problem),
      n_(problem.dimension()),
      rtol_(options.rtol),
      max_step_(options.max_step),
      atol_(options.atol),
      y_old_(Vector::Zero(n_)),
      y_(Vector::Zero(n_)),
      y_new_(Vector::Zero(n_)),
      natural_step_(options.initial_step),
      name_(name),
      y_start_(Vector::Zero(n_)),
      work_(Vector::Zero(n_)) {
  dense_.coefficients = Matrix::Zero(n_, kMaxDegree + 1);
  dense_.bend = Vector::Zero(n_);
}

void SundialsIntegrator::restart(double t, const ConstVectorRef& y) {
  check_finite("t", t);
  check_size("y", y, n_);
  check_finite("y", y);
  if (started_) ++statistics_.restarts;
  started_ = true;
  // Events may have cut every step so far, so the error test has not seen a step of this length.
  // The solver then chooses.
  longest_ = std::max(longest_, t_ - t_old_);
  if (longest_ > 0.0 && natural_step_ > step_control::kBeyondSeen * longest_) natural_step_ = 0.0;
  t_ = t_old_ = t_reached_ = t;
  y_ = y;
  needs_begin_ = true;
}

void SundialsIntegrator::set_atol(const ConstVectorRef& atol) {
  check_size("atol", atol, n_);
  for (Index i = 0; i < n_; ++i) check_positive("atol", atol[i]);
  atol_ = atol;
  tolerances_changed_ = true;
}

StepStatus SundialsIntegrator::step(double t_stop) {
  if (!started_) reject("step", "a call after restart()", "a call before restart()");
  if (!(t_stop > t_)) reject("t_stop", "a time after t = " + to_text(t_), to_text(t_stop));
  message_.clear();
  const StepStatus status = advance(t_stop);
  t_reached_ = t_;
  return status;
}

/// Take one accepted step from (t, y). Until it is accepted, t_old() == t().
StepStatus SundialsIntegrator::advance(double t_stop) {
  t_old_ = t_;
  y_old_ = y_;
  dense_.ready = false;
  crossed_rounding_ = t_stop - t_ <= steps::kArrival * (std::abs(t_) + last_step_);
  if (crossed_rounding_) {
    return cross_rounding(t_stop) ? StepStatus::Ok : StepStatus::RhsNotFinite;
  }
  if (tolerances_changed_ && !needs_begin_) take_tolerances();
  tolerances_changed_ = false;
  double h = natural_step_;
  rhs_was_not_finite_ = false;
  for (int tries = 1;; ++tries) {
    if (needs_begin_) begin(t_, y_, h);
    needs_begin_ = true;  // unless the step succeeds
    rhs_was_not_finite_ = false;
    const StepStatus status = take_step(t_stop);
    rethrow_from_callback();
    if (status == StepStatus::RhsNotFinite && tries < kTriesNotFinite) {
      const double tried = tried_step();
      h = step_control::kShrinkNotFinite *
          (tried > 0.0 ? std::min(tried, t_stop - t_) : finite_stop(t_stop) - t_);
      if (t_ + h > t_) continue;
    }
    if (status != StepStatus::Ok) return status;
    // A step as short as the crossed rounding may end before t. The solver then starts at t.
    if (!(t_new_ > t_) && tries == 1) continue;
    break;
  }
  if (!(t_new_ > t_)) {
    set_message("the error test asks for a step below the resolution of t");
    return StepStatus::StepTooSmall;
  }
  needs_begin_ = false;
  t_ = t_new_;
  y_ = y_new_;
  last_step_ = t_ - t_old_;
  ++statistics_.steps;
  if (t_ < t_stop) {
    // A proposal that would pass the stop time is returned as the time that is left.
    const double h_next = proposed_step();
    const bool cut = h_next > steps::kNearlyAll * (t_stop - t_);
    natural_step_ = cut ? std::max(h_next, last_step_) : h_next;
  } else if (last_step_ < step_control::kCut * natural_step_) {
    needs_begin_ = true;
  }
  return StepStatus::Ok;
}

/// Cross a few ulp(t) by one explicit Euler step, which is exact to rounding. The solver does not
/// move.
bool SundialsIntegrator::cross_rounding(double t_stop) {
  evaluate(t_, y_, work_);
  if (!work_.allFinite()) return false;
  y_new_ = y_ + (t_stop - t_) * work_;
  problem_.project(t_stop, y_new_);
  if (!y_new_.allFinite()) return false;
  y_ = y_new_;
  t_ = t_stop;
  ++statistics_.steps;
  return true;
}

StepStatus SundialsIntegrator::redo(double t_end) {
  if (!(t_end > t_old_ && t_end <= t_reached_)) {
    reject("t_end", "a time in (" + to_text(t_old_) + ", " + to_text(t_reached_) + "]",
           to_text(t_end));
  }
  if (t_end == t_) return StepStatus::Ok;
  message_.clear();
  // Keep the polynomial of the step that passed its test, in case the shorter one needs several
  // steps. It still describes [t_old, t_end], bent by about the tolerance to meet the new y.
  prepare_dense_output();
  const double t_start = t_old_, h_natural = natural_step_;
  t_ = t_start;
  y_ = y_start_ = y_old_;
  needs_begin_ = true;
  natural_step_ = t_end - t_start;
  int steps = 0;
  StepStatus status = StepStatus::Ok;
  try {
    for (; status == StepStatus::Ok && t_ < t_end; ++steps) status = advance(t_end);
  } catch (...) {
    natural_step_ = h_natural;
    throw;
  }
  natural_step_ = h_natural;
  if (status != StepStatus::Ok) return status;
  if (t_end - t_start < step_control::kCut * natural_step_) needs_begin_ = true;
  if (steps > 1) {
    t_old_ = t_start;
    y_old_ = y_start_;
    evaluate_dense_output(t_end, work_);
    dense_.bend += (y_ - work_) / (t_end - t_start);
    dense_.ready = true;
  }
  return StepStatus::Ok;
}

void SundialsIntegrator::interpolate(double t, VectorRef y) const {
  check_size("y", y, n_);
  check_range("t", t, t_old_, t_);
  if (t == t_) {
    y = y_;
  } else if (t == t_old_) {
    y = y_old_;
  } else {
    prepare_dense_output();
    evaluate_dense_output(t, y);
  }
}

void SundialsIntegrator::prepare_dense_output() const {
  if (dense_.ready) return;
  dense_.bend.setZero();
  if (crossed_rounding_) {
    dense_.anchor = t_old_;
    dense_.h = t_ - t_old_;
    dense_.degree = 1;
    dense_.coefficients.col(0) = y_old_;
    dense_.coefficients.col(1) = y_ - y_old_;
  } else {
    fill_dense_output(dense_);
    rethrow_from_callback();
    if (!dense_.coefficients.leftCols(dense_.degree + 1).allFinite()) {
      throw std::domain_error("the right-hand side is not finite between t = " + to_text(t_old_) +
                              " and " + to_text(t_));
    }
  }
  dense_.ready = true;
}

void SundialsIntegrator::evaluate_dense_output(double t, VectorRef y) const {
  const double s = (t - dense_.anchor) / dense_.h;
  y = dense_.coefficients.col(dense_.degree);
  for (int k = dense_.degree; k-- > 0;) y = s * y + dense_.coefficients.col(k);
  y += (t - t_old_) * dense_.bend;
}

void SundialsIntegrator::evaluate(double t, const ConstVectorRef& y, VectorRef ydot) const {
  ++statistics_.rhs_evaluations;
  problem_.rhs(t, y, ydot);
}

int SundialsIntegrator::call_rhs(double t, const double* y, double* ydot) noexcept {
  try {
    ++statistics_.rhs_evaluations;
    Eigen::Map<Vector> out(ydot, n_);
    problem_.rhs(t, Eigen::Map<const Vector>(y, n_), out);
    if (out.allFinite()) return 0;
    rhs_was_not_finite_ = true;
    return 1;
  } catch (...) {
    exception_ = std::current_exception();
    return -1;
  }
}

int SundialsIntegrator::call_jacobian(double t, const double* y, double* dfdy) noexcept {
  try {
    ++statistics_.jacobian_evaluations;
    Eigen::Map<Matrix> out(dfdy, n_, n_);
    if (!problem_.jacobian(t, Eigen::Map<const Vector>(y, n_), out)) {
      set_message("the Jacobian was available at the start but no longer is");
      return -1;
    }
    if (out.allFinite()) return 0;
    rhs_was_not_finite_ = true;
    return 1;
  } catch (...) {
    exception_ = std::current_exception();
    return -1;
  }
}

int SundialsIntegrator::call_project(double t, double* y) noexcept {
  try {
    Eigen::Map<Vector> out(y, n_);
    problem_.project(t, out);
    if (out.allFinite()) return 0;
    rhs_was_not_finite_ = true;
    return 1;
  } catch (...) {
    exception_ = std::current_exception();
    return -1;
  }
}

int SundialsIntegrator::call_project(double t, const double* y, double* correction) noexcept {
  try {
    const Eigen::Map<const Vector> before(y, n_);
    Eigen::Map<Vector> out(correction, n_);
    work_ = before;
    out.setZero();
    if (problem_.project(t, work_)) out = work_ - before;
    if (out.allFinite()) return 0;
    rhs_was_not_finite_ = true;
    return 1;
  } catch (...) {
    exception_ = std::current_exception();
    return -1;
  }
}

int SundialsIntegrator::call_weights(const double* y, double* weights) const noexcept {
  for (Index i = 0; i < n_; ++i) weights[i] = 1.0 / (rtol_ * std::abs(y[i]) + atol_[i]);
  return 0;
}

void SundialsIntegrator::call_error_handler(const char* text) noexcept { set_message(text); }

void SundialsIntegrator::set_message(const char* text) const noexcept {
  try {
    message_ = name_ + ": " + text;
  } catch (...) {
    message_.clear();
  }
}

void SundialsIntegrator::rethrow_from_callback() const {
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
}

double SundialsIntegrator::finite_stop(double t_stop) const {
  return std::min(t_stop, std::numeric_limits<double>::max());
}

/// Return a time for the first guess of a step, which is bounded by a fraction of the distance to
/// it.
double SundialsIntegrator::direction(double t_stop) const {
  return std::isfinite(t_stop) ? t_stop : t_ + std::min(max_step_, 1.0 + std::abs(t_));
}

}  // namespace nsmb
