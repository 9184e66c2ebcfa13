// How a SmoothPhase ends its last step where something happens.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// Polynomials through the nodes are good enough that no root lies further behind the one found, in
// parts of the step: beyond there may be other events.
constexpr double kFarthest = 0.05;
// A way back to zero that differs by less than this part from the one to the start is that to zero.
constexpr double kReturn = 1e-3;

}  // namespace

StepStatus SmoothPhase::end_at(double t) {
  const StepStatus status = integrator_->redo(t);
  t_ = integrator_->t();
  duration_ = whole_ = t_ - integrator_->t_old();
  y_ = integrator_->y();
  sampled_ = false;
  return status;
}

StepStatus SmoothPhase::cut(double s) {
  const double t_old = integrator_->t_old();
  return end_at(t_old + s * (t_ - t_old));
}

void SmoothPhase::state_at(double s, VectorRef y) {
  const double t_old = integrator_->t_old();
  if (s == 1.0) {
    y = y_;
  } else {
    integrator_->interpolate(t_old + s * (t_ - t_old), y);
  }
}

// Chords of the slope that the dense output has there: what it is wrong by is small.
StepStatus SmoothPhase::cut_at_zero(const TimedFunction& f, double s) {
  constexpr double apart = 1e-5, farthest = 1e-4;
  constexpr int most_passes = 4;
  const double t_old = integrator_->t_old(), t_end = t_, h = t_end - t_old;
  const double before = std::max(s - apart, 0.0), behind = std::min(s + apart, 1.0);
  state_at(before, y_scratch_);
  const double at_before = f(t_old + before * h, y_scratch_);
  state_at(behind, y_scratch_);
  const double slope = (f(t_old + behind * h, y_scratch_) - at_before) / (behind - before);
  double place = s;
  for (int pass = 0;; ++pass) {
    const StepStatus status = end_at(std::min(t_old + place * h, t_end));
    if (status != StepStatus::Ok || pass == most_passes) return status;
    const double correction = -f(t_, y_) / slope;
    const double resolved = std::numeric_limits<double>::epsilon() * (4.0 + std::abs(t_) / h);
    if (!(std::abs(correction) > resolved) || std::abs(correction) > farthest) return status;
    if (!(place + correction > 0.0) || place + correction > 1.0) return status;
    place += correction;
  }
}

// One step of the classical Runge-Kutta method from (t_, y_): for corrections so small that any
// method would be exact.
void SmoothPhase::small_step(double h) {
  constexpr double node[4] = {0.0, 0.5, 0.5, 1.0};
  for (Index k = 0; k < 4; ++k) {
    y_scratch_ = y_;
    if (k > 0) y_scratch_ += node[k] * h * small_step_slopes_.col(k - 1);
    rhs(t_ + node[k] * h, y_scratch_, small_step_slopes_.col(k));
  }
  y_ += h / 6.0 *
        (small_step_slopes_.col(0) + 2.0 * small_step_slopes_.col(1) +
         2.0 * small_step_slopes_.col(2) + small_step_slopes_.col(3));
  t_ += h;
  duration_ += h;
}

// Time derivative at (t_, y_) of an indicator with value f there, dt behind the start of the step.
double SmoothPhase::slope_at_end(const Indicator& indicator, double f, double dt) {
  double observed = 0.0;
  if (indicator.quantity->slope(indicator, samples_[0], observed)) return observed;
  // Forces: a difference over a short way back.
  const double back = 1e-4 * dt;
  const double t = t_, duration = duration_;
  y_end_ = y_;
  small_step(-back);
  observe(t_, y_, samples_[0]);
  const double slope = (f - watched_value(indicator, samples_[0])) / back;
  t_ = t;
  y_ = y_end_;
  duration_ = duration;
  return slope;
}

// The integrator goes to the root of the polynomial; what t cannot resolve is left to small steps.
StepStatus SmoothPhase::go_to(double dt) {
  constexpr double resolution = 1e3 * std::numeric_limits<double>::epsilon();
  const double t_old = integrator_->t_old();
  if (dt <= resolution * std::abs(t_old)) {
    t_ = t_old;
    duration_ = 0.0;
    integrator_->interpolate(t_old, y_);
    small_step(dt);
    tiny_ = true;
    return StepStatus::Ok;
  }
  tiny_ = false;
  const StepStatus status = integrator_->redo(std::min(t_old + dt, t_stop_));
  t_ = integrator_->t();
  y_ = integrator_->y();
  duration_ = t_ - t_old;
  small_step(dt - (t_ - t_old));
  return status;
}

// Newton's method on the integrated state moves on by what the polynomial left. A root that lies
// further away is integrated to again.
StepStatus SmoothPhase::locate(const Indicator& indicator, double s_guess) {
  const double h = whole_;
  // What counted as zero at the start, a gap within its tolerance, is zero where it comes back to,
  // if that makes a difference: a slow return would else be looked for far away, beyond other
  // events.
  const bool returns =
      phase_starts_ && indicator.zeros > 0 && (is_gap(indicator) || is_slip(indicator));
  const double start = returns && sampled_ ? watched_value(indicator, samples_[0]) : 0.0;
  if (is_watched_in_plane(indicator) && armed_[static_cast<std::size_t>(indicator.contact)]) {
    return locate_rest(indicator, s_guess);
  }
  sampled_ = false;
  double dt = s_guess * h;
  StepStatus status = go_to(dt);
  // Where the law ends is known, and any place near the end of the margin will do.
  if (indicator.quantity->place() != Place::Root) return status;
  const double farthest = std::min(h, dt + kFarthest * h);
  for (int pass = 0; pass < 8 && status == StepStatus::Ok; ++pass) {
    observe(t_, y_, samples_[0]);
    double f = watched_value(indicator, samples_[0]);
    const double slope = slope_at_end(indicator, f, dt);
    if (std::abs(start) > kReturn * std::abs(slope) * dt) f -= start;
    // A gap that is rounding says less than the polynomial, which is made of its derivatives.
    if (is_gap(indicator) && std::abs(f) <= rounding(indicator.contact)) break;
    if (!(slope < 0.0)) break;  // grazing: the guess is as good as it gets
    const double correction = -f / slope;
    if (std::abs(correction) <= 1e-14 * h || !(dt + correction > 0.0)) break;
    if (std::abs(correction) > 1e-6 * h) {
      if (pass >= 4) break;
      dt = std::min(dt + correction, farthest);
      status = go_to(dt);
    } else {
      const double rest = std::min(correction, farthest - dt);
      dt += rest;
      small_step(rest);
    }
  }
  t_ = std::min(t_, t_stop_);  // small steps may have rounded it up
  return status;
}

}  // namespace nsmb
