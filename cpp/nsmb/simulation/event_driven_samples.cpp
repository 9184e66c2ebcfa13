// What a run keeps of its steps: samples, polynomials, work lost to friction.
#include <algorithm>
#include <limits>

#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

void EventDriven::record_sample(double t, const ConstVectorRef& y) {
  if (is_part_) return;  // samples are those of the whole
  phase_->observe(t, y, observation_);
  trajectory_.add_sample(t, y, observation_, work_.sample_friction, work_.sample_drive, states_,
                         modes_);
  trajectory_.add_inputs(outside_.inputs);
  if (system_.has_features()) trajectory_.add_features(features_);
}

// Grid samples inside the last step; an event at its end has samples of its own.
void EventDriven::record_grid(bool include_end) {
  if (!output_.exist() || is_part_) return;
  const double t_old = phase_->integrator().t_old();
  const double t_new = phase_->t();
  for (;; output_.pass()) {
    const double t = output_.next();
    if (t > t_new || (t == t_new && !include_end)) return;
    if (t <= t_old) continue;
    // The location of an event may end a little beyond the step of the integrator.
    if (t < std::min(t_new, phase_->integrator().t())) {
      phase_->integrator().interpolate(t, sample_y_);
    } else {
      sample_y_ = phase_->y();
    }
    const double s = (t - t_old) / (t_new - t_old);
    work_.sample_friction = work_.friction;
    work_.add_friction(*phase_, states_, s, work_.sample_friction);
    work_.sample_drive = work_.drive + work_.drive_work(*phase_, s);
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
  work_.find(*phase_);
  record_grid(!event);
  if (options_.dense_output && phase_->t() > integrator.t_old()) {
    const Matrix& series = phase_->series();
    trajectory_.steps.add(integrator.t_old(), phase_->t(), series, phase_->series_degree(),
                          y_.size());
    trajectory_.steps.state.add_row(states_);
  }
  work_.add_friction(*phase_, states_, 1.0, work_.friction);
  work_.sample_friction = work_.friction;
  work_.sample_drive = work_.drive += work_.drive_work(*phase_, 1.0);
  t_ = phase_->t();
  y_ = phase_->y();
  phase_starts_ = false;
  if (users_ && users_->fired().empty())
    users_->pass(fires_ ? s_event_ : std::min(search_.cut(), 1.0));
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
  if (!trajectory_.samples.t.empty() && trajectory_.samples.t.back() >= t_) return;
  if (!begun_ && trajectory_.samples.t.empty()) {
    observe_failed_start();
    trajectory_.add_sample(t_, y_, observation_, work_.friction, work_.drive, states_, modes_);
    trajectory_.add_inputs(outside_.inputs);
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
