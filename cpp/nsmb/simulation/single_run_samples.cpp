// Record of the steps of a run: samples, polynomials, work lost to friction.
#include <algorithm>
#include <limits>

#include "nsmb/simulation/single_run.hpp"

namespace nsmb {

void SingleRun::record_sample(double t, const ConstVectorRef& y) {
  phase_->observe(t, y, observation_);
  trajectory_.add_sample(t, y, observation_, work_.sample_friction, work_.sample_drive,
                         state_.states, state_.modes);
  trajectory_.add_inputs(inputs_.values());
  if (system_.feature_search()) trajectory_.add_features(state_.features);
}

// Record grid samples inside the last step. An event at its end has samples of its own.
void SingleRun::record_grid(bool include_end) {
  if (!output_.exist()) return;
  const double t_old = phase_->integrator().t_old();
  const double t_new = phase_->t();
  for (;; output_.pass()) {
    const double t = output_.next();
    if (t > t_new || (t == t_new && !include_end)) return;
    if (t <= t_old) continue;
    // The location of an event may end slightly beyond the step of the integrator.
    if (t < std::min(t_new, phase_->integrator().t())) {
      phase_->integrator().interpolate(t, sample_y_);
    } else {
      sample_y_ = phase_->y();
    }
    const double s = (t - t_old) / (t_new - t_old);
    work_.sample_friction = work_.friction;
    work_.add_friction(*phase_, state_.states, s, work_.sample_friction);
    work_.sample_drive = work_.drive + work_.drive_work(*phase_, s);
    record_sample(t, sample_y_);
  }
}

// Commit the last step: samples, polynomial, friction work, state.
void SingleRun::commit_step(bool event) {
  const Integrator& integrator = phase_->integrator();
  clock_.start();
  if (variation_) {
    variation_->step(*phase_);
    part_is_open_ = true;
  }
  work_.find(*phase_);
  record_grid(!event);
  if (options_.dense_output && phase_->t() > integrator.t_old()) {
    const Matrix& series = phase_->series();
    trajectory_.steps.add(integrator.t_old(), phase_->t(), series, phase_->series_degree(),
                          state_.y.size());
    trajectory_.steps.state.add_row(state_.states);
    trajectory_.steps.mode.add_row(state_.modes);
    if (options_.step_log) trajectory_.steps.add_log(integrator.order(), clock_.take());
  }
  work_.add_friction(*phase_, state_.states, 1.0, work_.friction);
  work_.sample_friction = work_.friction;
  work_.sample_drive = work_.drive += work_.drive_work(*phase_, 1.0);
  state_.t = phase_->t();
  state_.y = phase_->y();
  stage_ = Stage::InPhase;
  if (users_ && !users_->have_fired()) users_->events().pass(ahead_.searched());
}

void SingleRun::observe_failed_start() {
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

void SingleRun::complete_samples() {
  if (!trajectory_.samples.t.empty() && trajectory_.samples.t.back() >= state_.t) return;
  if (!has_begun() && trajectory_.samples.t.empty()) {
    observe_failed_start();
    trajectory_.add_sample(state_.t, state_.y, observation_, work_.friction, work_.drive,
                           state_.states, state_.modes);
    trajectory_.add_inputs(inputs_.values());
    if (system_.feature_search()) trajectory_.add_features(state_.features);
  } else {
    record_sample(state_.t, state_.y);
  }
}

void SingleRun::forget() {
  trajectory_.clear();
  if (variation_) variation_->forget();
  if (is_in_phase()) record_sample(state_.t, state_.y);
}

}  // namespace nsmb
