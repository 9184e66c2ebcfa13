// What a run keeps of its steps: samples, polynomials, work lost to friction.
#include <algorithm>
#include <array>
#include <limits>

#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

void EventDriven::record_sample(double t, const ConstVectorRef& y) {
  if (is_part_) return;  // samples are those of the whole
  phase_->observe(t, y, observation_);
  trajectory_.add_sample(t, y, observation_, sample_loss_, sample_work_, states_, modes_);
  if (system_.has_features()) trajectory_.add_features(features_);
}

void EventDriven::find_friction_power() {
  if (power_known_) return;
  slips_ = phase_->expand_friction_power(friction_power_);
  drives_ = phase_->expand_drive_power(drive_power_);
  power_known_ = true;
}

// ∫ of the friction power from the start of the last step to its part s.
void EventDriven::integrate_power(double s, VectorRef loss) const {
  if (!slips_) return;
  const double h = phase_->t() - phase_->integrator().t_old();
  std::array<double, 2 * LinearFlow::kOrder + 1> factors;
  double power = h * s;
  for (std::size_t k = 0; k < factors.size(); ++k, power *= s) {
    factors[k] = power / static_cast<double>(k + 1);
  }
  for (Index i = 0; i < loss.size(); ++i) {
    if (!is_slip(states_[static_cast<std::size_t>(i)])) continue;
    double sum = loss(i);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      sum += friction_power_(i, static_cast<Index>(k)) * factors[k];
    }
    loss(i) = sum;
  }
}

// The same of the power of what moves contacts and constraints.
double EventDriven::integrate_drive(double s) const {
  if (!drives_) return 0.0;
  double power = (phase_->t() - phase_->integrator().t_old()) * s, work = 0.0;
  for (Index k = 0; k < drive_power_.size(); ++k, power *= s) {
    work += drive_power_(k) * (power / static_cast<double>(k + 1));
  }
  return work;
}

// Infinite behind the last one.
double EventDriven::next_output_time() const {
  if (output_times_.empty()) return t_start_ + static_cast<double>(next_output_) * output_step_;
  const auto k = static_cast<std::size_t>(next_output_ - 1);
  return k < output_times_.size() ? output_times_[k] : std::numeric_limits<double>::infinity();
}

// Grid samples inside the last step; an event at its end has samples of its own.
void EventDriven::record_grid(bool include_end) {
  if (!has_output() || is_part_) return;
  const double t_old = phase_->integrator().t_old();
  const double t_new = phase_->t();
  for (;; ++next_output_) {
    const double t = next_output_time();
    if (t > t_new || (t == t_new && !include_end)) return;
    if (t <= t_old) continue;
    // The location of an event may end a little beyond the step of the integrator.
    if (t < std::min(t_new, phase_->integrator().t())) {
      phase_->integrator().interpolate(t, sample_y_);
    } else {
      sample_y_ = phase_->y();
    }
    sample_loss_ = friction_loss_;
    integrate_power((t - t_old) / (t_new - t_old), sample_loss_);
    sample_work_ = drive_work_ + integrate_drive((t - t_old) / (t_new - t_old));
    record_sample(t, sample_y_);
  }
}

// Take over the last step: samples, polynomial, friction work, state.
void EventDriven::commit_step(bool event) {
  const Integrator& integrator = phase_->integrator();
  if (variation_) {
    variation_->step(*phase_);
    part_is_open_ = true;
  }
  find_friction_power();
  record_grid(!event);
  if (options_.dense_output && phase_->t() > integrator.t_old()) {
    const Matrix& series = phase_->series();
    trajectory_.add_step(integrator.t_old(), phase_->t(), series, phase_->series_degree(),
                         y_.size(), states_);
  }
  integrate_power(1.0, friction_loss_);
  sample_loss_ = friction_loss_;
  sample_work_ = drive_work_ += integrate_drive(1.0);
  t_ = phase_->t();
  y_ = phase_->y();
  phase_starts_ = false;
  if (users_ && users_->fired().empty()) users_->pass(fires_ ? s_event_ : std::min(cut_, 1.0));
}

// The start itself failed: there are no forces.
void EventDriven::observe_failed_start() {
  const Mechanics& mechanics = transition_.mechanics();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  observation_.contacts.setConstant(nan);
  observation_.contacts.col(kGap) = mechanics.contacts.g_N;
  observation_.contacts.col(kGammaN) = mechanics.gamma_N;
  observation_.gamma_T = mechanics.gamma_T;
  observation_.lambda_T.setConstant(nan);
  observation_.lambda_B.setConstant(nan);
  observation_.element_force.setConstant(nan);
  observation_.element_gamma = mechanics.elements.kinematics.gamma;
}

// A run that stops early has a sample where it stopped, too.
void EventDriven::complete_samples() {
  if (!parts_.empty()) return complete_parts();
  if (!trajectory_.t.empty() && trajectory_.t.back() >= t_) return;
  if (!begun_ && trajectory_.t.empty()) {
    observe_failed_start();
    trajectory_.add_sample(t_, y_, observation_, friction_loss_, drive_work_, states_, modes_);
    if (system_.has_features()) trajectory_.add_features(features_);
  } else {
    record_sample(t_, y_);
  }
}

void EventDriven::forget() {
  trajectory_.clear();
  if (variation_) variation_->forget();
  shown_steps_ = 0;
  if (!parts_.empty()) clear_record();
  if (!begun_ || !phase_valid_) return;
  if (parts_.empty()) {
    record_sample(t_, y_);
  } else {
    observe_parts(t_);
    record_whole(t_);
  }
}

}  // namespace nsmb
