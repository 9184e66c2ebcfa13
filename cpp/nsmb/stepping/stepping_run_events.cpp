// User events in a stepped run: steps that end there, and effects that change the state.
#include <algorithm>

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/stepping/stepping_run.hpp"

namespace nsmb {

void SteppingRun::watch(std::vector<UserEvent> events) {
  users_.reset();
  if (events.empty()) return;
  users_ = std::make_unique<StepEvents>(std::move(events), mechanics_, *stepper_);
  users_->actions().reset(state_.t);
}

// The step of length h_ from here contains an event. The stepper has the stored data of its start.
SimulationStatus SteppingRun::end_at_event(double t_end, bool is_coarse) {
  const double h = users_->locate(state_, h_, outcome_);
  if (!(h > 0.0)) {
    stepper_->go_back();
    return meet_events();
  }
  h_ = h;
  if (stepper_->found()) outcome_.found = *stepper_->found();
  if (outcome_.interrupted) return interrupt();
  return take_tried(t_end, is_coarse);
}

SimulationStatus SteppingRun::meet_events() {
  users_->pass(state_);
  if (users_->actions().have_fired()) {
    const SimulationStatus status = act();
    if (status != SimulationStatus::Finished) return status;
  }
  return act_in_time();
}

SimulationStatus SteppingRun::act_in_time() {
  if (!users_->events().is_due(state_.t)) return SimulationStatus::Finished;
  users_->events().take_due(state_.t);
  return act();
}

// Apply the effects of the fired events. The next step recomputes the contact states. Stored
// contact data belong to another motion if an effect has changed the state.
SimulationStatus SteppingRun::act() {
  const long most = EventDrivenOptions().max_events_per_instant;
  UserActions& actions = users_->actions();
  if (counts_.meet(state_.t) > most) {
    message_ = at_present() + "more than " + std::to_string(most) + " events at one instant. " +
               actions.events().why_endless();
    return SimulationStatus::EventLimit;
  }
  complete_samples();
  const RunState& next = users_->act(state_);
  record_actions();
  const bool has_changed = next.y != state_.y || next.modes != state_.modes;
  state_ = next;
  record_sample(state_.t, state_.y, state_, 1.0);
  if (has_changed) {
    stepper_->forget();
    doubling_.control().restart();
  }
  actions.events().clear_fired();
  if (actions.halt() == Halt::None) return SimulationStatus::Finished;
  message_ = at_present() + "stopped by event " + actions.events().recent_names();
  return SimulationStatus::Stopped;
}

// The energy change by effects is recorded as their work.
void SteppingRun::record_actions() {
  for (TransitionEvent& row : users_->actions().rows()) {
    if (row.u_minus != row.u_plus) {
      mechanics_.mass.factorise(mechanics_.span().inside(state_.t), state_.y.head(system_.nq()));
      row.energy.change =
          mechanics_.kinetic_energy(row.u_plus) - mechanics_.kinetic_energy(row.u_minus);
      losses_.impact -= row.energy.change;
    }
    record_event(row);
  }
  users_->actions().rows().clear();
}

}  // namespace nsmb
