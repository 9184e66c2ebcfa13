// Recording of a stepped run: samples, impacts, steps as polynomials.
#include <algorithm>
#include <cmath>

#include "nsmb/simulation/energies.hpp"
#include "nsmb/stepping/stepping_run.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

void SteppingRun::record_step() {
  curve_.lay(before_, state_, h_);
  StepTable& steps = trajectory_.steps;
  if (options_.dense_output) {
    steps.add(before_.t, state_.t, curve_.series(), 2, system_.ny());
  } else {
    steps.add(before_.t, state_.t, curve_.series(), -1, system_.ny());
  }
  steps.state.add_row(state_.states);
  steps.mode.add_row(before_.modes);
  steps.residual.add(outcome_.residual);
  steps.status.add(static_cast<std::int8_t>(outcome_.verdict));
  steps.iterations.add(static_cast<std::int32_t>(outcome_.iterations));
  if (options_.step_log) steps.add_log(0, clock_.take());
}

// Record the output points of the last step. Its end is one of them if it coincides exactly.
void SteppingRun::record_grid() {
  if (!output_.exist()) return;
  for (; output_.next() <= state_.t; output_.pass()) {
    const double t = output_.next();
    if (t <= before_.t) continue;
    if (t == state_.t) {
      record_sample(t, state_.y, state_, 1.0);
      continue;
    }
    const double s = (t - before_.t) / (state_.t - before_.t);
    curve_.state_at(s, sample_y_);
    sample_y_.tail(system_.nx()) = state_.y.tail(system_.nx());  // includes modes
    if (outcome_.jumps) {
      leave_out_jump(s);
      record_sample(t, sample_y_, state_, s < middle::kPlace ? 0.0 : 1.0);
    } else {
      record_sample(t, sample_y_, state_, s);
    }
  }
}

// An impact occurs in the middle of the step, and loads act on both sides of it. A straight line
// through the jump would have the energy of neither side.
void SteppingRun::leave_out_jump(double s) {
  const Index nq = system_.nq(), nu = system_.nu();
  const bool is_before = s < middle::kPlace;
  const RunState& side = is_before ? before_ : state_;
  const double way = is_before ? s : s - 1.0;
  auto q = sample_y_.head(nq), u = sample_y_.segment(nq, nu);
  u = side.y.segment(nq, nu) + way * (outcome_.u_free - before_.y.segment(nq, nu));
  mechanics_.coordinate_rates(side.t, side.y.head(nq), side.y.segment(nq, nu), q);
  q = side.y.head(nq) + way * h_ * q;
  system_.normalise(q);
}

// Forces are the mean forces of the last step. Of its losses the fraction s is recorded.
void SteppingRun::record_sample(double t, const ConstVectorRef& y, const RunState& state,
                                double s) {
  const System& system = system_;
  mechanics_.contacts.features = state.features;
  mechanics_.elements.modes = state.modes;
  mechanics_.update_gaps(t, y);
  const ContactKinematics& contacts = mechanics_.contacts;
  const auto u = y.segment(system.nq(), system.nu());
  observation_.contacts.setZero();
  observation_.contacts.col(kGap) = contacts.g_N;
  observation_.contacts.col(kGammaN) = contacts.w_tilde_N;
  observation_.contacts.col(kGammaN).noalias() += contacts.W_N.transpose() * u;
  observation_.contacts.col(kLambdaN) = outcome_.Lambda_N / h_;
  observation_.gamma_T = contacts.w_tilde_T;
  observation_.gamma_T.noalias() += contacts.W_T.transpose() * u;
  observation_.lambda_T = outcome_.Lambda_T / h_;
  observation_.lambda_B = outcome_.Lambda_B / h_;
  if (system.ne() > 0) {
    mechanics_.update_elements(t, y);
    observation_.element_gamma = mechanics_.elements.kinematics.gamma;
    observation_.element_force = mechanics_.elements.force;
  }
  const Vector loss = losses_.friction - (1.0 - s) * outcome_.friction_loss;
  trajectory_.add_sample(t, y, observation_, loss, losses_.drive - (1.0 - s) * outcome_.drive_work,
                         state.states, state.modes);
  trajectory_.samples.impact_loss.add(losses_.impact - (1.0 - s) * outcome_.impact_loss);
  trajectory_.samples.displaced_work.add(losses_.displaced - (1.0 - s) * outcome_.displaced_work);
  trajectory_.add_inputs(inputs_);
  if (system.feature_search()) trajectory_.add_features(state.features);
  if (found()) add_found(h_, *found(), trajectory_);
}

// Record one event for all impacts of a step, with the contact impulses including finite forces.
void SteppingRun::record_impact() {
  TransitionEvent event(system_);
  const Index nq = system_.nq();
  event.kind = EventKind::Impact;
  event.u_minus = outcome_.u_free;
  event.u_plus = state_.y.segment(nq, system_.nu());
  event.contacts = outcome_.strikes;
  event.Lambda_N = outcome_.Lambda_N;
  event.Lambda_T = outcome_.Lambda_T;
  event.state_minus = before_.states;
  event.state_plus = state_.states;
  event.energy.change = -outcome_.impact_loss - outcome_.friction_loss.sum();
  event.energy.drive = outcome_.drive_work;
  record_event(event);
}

void SteppingRun::record_event(const TransitionEvent& event) {
  trajectory_.add_event(state_.t, state_.y.head(system_.nq()), state_.y.tail(system_.nx()), event,
                        losses_.friction);
  if (system_.feature_search()) {
    const bool is_impact = event.kind == EventKind::Impact;
    trajectory_.add_event_features(is_impact ? before_.features : state_.features, state_.features);
  }
  counts_.count(event.kind, event.energy.change);
}

void SteppingRun::complete_samples() {
  if (!has_begun()) return;
  if (!trajectory_.samples.t.empty() && trajectory_.samples.t.back() >= state_.t) return;
  record_sample(state_.t, state_.y, state_, 1.0);
}

void SteppingRun::forget() {
  trajectory_.clear();
  if (has_begun()) record_sample(state_.t, state_.y, state_, 1.0);
}

}  // namespace nsmb
