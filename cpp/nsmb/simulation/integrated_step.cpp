#include "nsmb/simulation/integrated_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

IntegratedStep::IntegratedStep(OdeProblem& problem, std::string_view method,
                               const IntegratorOptions& options)
    : problem_(problem),
      method_(method),
      options_(options),
      y_(Vector::Zero(problem.dimension())),
      y_stage_(problem.dimension()),
      slopes_(problem.dimension(), 4) {}

void IntegratedStep::reset(const Vector& atol) {
  options_.atol = atol;
  integrator_ = make_integrator(method_, problem_, options_);
}

void IntegratedStep::begin(double t, const ConstVectorRef& y) {
  integrator_->restart(t, y);
  t_ = t;
  y_ = y;
  ++version_;
}

void IntegratedStep::take_end() {
  t_ = integrator_->t();
  duration_ = whole_ = t_ - integrator_->t_old();
  y_ = integrator_->y();
  ++version_;
}

StepStatus IntegratedStep::take_end(StepStatus status) {
  if (status == StepStatus::Ok) take_end();
  return status;
}

StepStatus IntegratedStep::advance(double t_stop) {
  t_stop_ = t_stop;
  is_tiny_ = false;
  return take_end(integrator_->step(t_stop));
}

StepStatus IntegratedStep::stop_at(double t_end) {
  t_stop_ = t_end;
  return shorten_to(t_end);
}

StepStatus IntegratedStep::shorten_to(double t_end) { return take_end(integrator_->redo(t_end)); }

StepStatus IntegratedStep::end_at(double t_end) {
  const StepStatus status = integrator_->redo(t_end);
  take_end();
  return status;
}

StepStatus IntegratedStep::go_to(double dt) {
  const double t_old = integrator_->t_old();
  ++version_;
  is_tiny_ = dt <= event_times::kShortestStep * std::abs(t_old);
  if (is_tiny_) {
    t_ = t_old;
    duration_ = 0.0;
    integrator_->interpolate(t_old, y_);
    small_step(dt);
    return StepStatus::Ok;
  }
  const StepStatus status = integrator_->redo(std::min(t_old + dt, t_stop_));
  t_ = integrator_->t();
  y_ = integrator_->y();
  duration_ = t_ - t_old;
  // The rest of a step that came to its end is tiny.
  if (status == StepStatus::Ok) small_step(dt - (t_ - t_old));
  return status;
}

// Take one step of the classical Runge-Kutta method from the end.
void IntegratedStep::extrapolate(double h, Vector& y) {
  constexpr double node[4] = {0.0, 0.5, 0.5, 1.0};
  for (Index k = 0; k < 4; ++k) {
    y_stage_ = y_;
    if (k > 0) y_stage_ += node[k] * h * slopes_.col(k - 1);
    problem_.rhs(t_ + node[k] * h, y_stage_, slopes_.col(k));
  }
  y = y_ +
      h / 6.0 * (slopes_.col(0) + 2.0 * slopes_.col(1) + 2.0 * slopes_.col(2) + slopes_.col(3));
}

void IntegratedStep::small_step(double h) {
  extrapolate(h, y_);
  t_ += h;
  duration_ += h;
  ++version_;
}

void IntegratedStep::move_on(double dt, const Vector& slope) {
  y_ += dt * slope;
  t_ += dt;
  duration_ += dt;
  ++version_;
}

void IntegratedStep::keep_inside() { t_ = std::max(integrator_->t_old(), std::min(t_, t_stop_)); }

double IntegratedStep::interpolate(double s, VectorRef y) const {
  const double t_old = integrator_->t_old();
  const double t = std::min(t_old + s * (t_ - t_old), integrator_->t());
  integrator_->interpolate(t, y);
  return t;
}

double IntegratedStep::at(double s, VectorRef y) const {
  if (s != 1.0) return interpolate(s, y);
  y = y_;
  return t_;
}

}  // namespace nsmb
