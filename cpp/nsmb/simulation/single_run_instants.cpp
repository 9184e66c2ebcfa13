// Instants of a run: what has fired is resolved, and the next phase starts.
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/candidate_search.hpp"
#include "nsmb/simulation/single_run.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

// Find the contact states at the start. Gaps closed there are not events, but immediate impacts
// are.
SimulationStatus SingleRun::begin() {
  const Stage start = stage_;
  ahead_.triggers().clear();
  Mechanics& mechanics = transition_.mechanics();
  mechanics.update_contacts(state_.t, state_.y);
  for (Index i = 0; i < system_.nc() && start != Stage::Resumed; ++i) {
    if (mechanics.contacts.is_valid(i) &&
        mechanics.contacts.g_N(i) <= options_.transition.gap_tolerance) {
      ahead_.triggers().contacts[static_cast<std::size_t>(i)] = Trigger::Closes;
    }
  }
  // A run that continues another one has a state before.
  const SimulationStatus status = handle_instant(takes_over_);
  takes_over_ = takes_over_ && status != SimulationStatus::Finished;
  if (status != SimulationStatus::Finished) stage_ = start;
  return status;
}

SimulationStatus SingleRun::decide() {
  if (user_fires()) return act();
  if (moves_ahead()) {
    if (const Index jumped = find_jump(); jumped >= 0) return fail_jump(jumped);
  } else if (is_due()) {
    return enter_next_span();
  }
  if (ahead_.leaves()) transition_.begin_anew();
  return decide_instant();
}

SimulationStatus SingleRun::enter_next_span() {
  from_ = until_;
  until_ = system_.discontinuities().next(from_.t);
  ahead_.clear();
  transition_.begin_anew();
  crosses_ = true;
  return decide_instant();
}

// Handle the events that have fired. Without effects the motion continues unchanged.
SimulationStatus SingleRun::act() {
  UserEvents& events = users_->events();
  if (events.have_effects()) {
    transition_.begin_anew();
    const SimulationStatus status = decide_instant();
    events.clear_fired();
    return status;
  }
  if (!counts_instant()) return SimulationStatus::EventLimit;
  next_ = state_;
  if (phase_->t() != state_.t) {  // the pending step is not taken
    phase_->enter(transition_.roles(), state_.modes, state_.t, next_.y);
    state_.y = next_.y;
  }
  users_->apply(state_, next_);
  record_user_rows(false);
  if (variation_) {
    variation_->pass(state_.t, state_.y, *phase_, users_->functions());
    part_is_open_ = false;
  }
  events.clear_fired();
  return check_limits();
}

// Resolve an instant. After an exception, what is under way is still to come.
SimulationStatus SingleRun::decide_instant() {
  const Stage before = stage_;
  stage_ = Stage::Deciding;
  const SimulationStatus status = handle_instant(true);
  crosses_ = false;
  if (status != SimulationStatus::Finished) stage_ = before;
  return status;
}

SimulationStatus SingleRun::decide_anew() {
  const Stage before = stage_;
  ahead_.triggers().clear();
  if (before != Stage::Deciding) {
    ahead_.clear_fired();
    if (users_) users_->events().clear_fired();
  }
  const SimulationStatus status = handle_instant(true);
  crosses_ = takes_inputs_ = false;
  if (status != SimulationStatus::Finished) {
    stage_ = before == Stage::Deciding ? Stage::Stale : before;
  }
  return status;
}

SimulationStatus SingleRun::handle_instant(bool record_changes) {
  if (!counts_instant()) return SimulationStatus::EventLimit;
  // Work on copies, since an exception of the system must leave the state unchanged.
  next_ = state_;
  if (users_) users_->apply(state_, next_);
  Mechanics& mechanics = transition_.mechanics();
  const Triggers& triggers = ahead_.triggers();
  if (system_.feature_search()) {
    if (has_begun()) next_.features = *phase_->features();
    const Index missed = renew_candidates(system_, options_, triggers, mechanics, next_);
    if (missed >= 0) return fail_missed(missed);
    const OutlineOverlap deepest = unseen_overlap(next_, mechanics);
    if (deepest.contact >= 0) return fail_overlap(deepest);
  }
  if (variation_) tell_variation();
  mechanics.set_span(TimeSpan(from_, until_));
  if (has_begun() && system_.rows().spatial) {
    phase_->rest_speeds(state_.t, state_.y, transition_.rest_speeds());
  }
  const SimulationStatus status =
      transition_.resolve(state_.t, next_.y, next_.states, next_.modes, next_.features, triggers);
  if (status == SimulationStatus::Finished) enter_phase();
  const bool recorded = record_events(record_changes);
  if (variation_ && recorded && status == SimulationStatus::Finished) {
    variation_->end_part(state_.t, next_.y, true);
    part_is_open_ = false;
  }
  state_ = next_;
  if (status != SimulationStatus::Finished) {
    message_ = transition_.message();
    return status;
  }
  stage_ = Stage::PhaseStart;
  return check_limits();
}

// Report the side before the instant to the derivative.
void SingleRun::tell_variation() {
  if (has_begun()) {
    variation_->before(state_.t, state_.y, *phase_, ahead_.fired());
    if (crosses_) variation_->cross_into(from_, until_);
    if (users_) users_->follow(state_, *variation_);
  }
  if (takes_inputs_) variation_->take_inputs(inputs_.values());
}

// Enter the phase after the instant, and count the energy that its start takes.
void SingleRun::enter_phase() {
  Mechanics& mechanics = transition_.mechanics();
  const auto u = next_.y.segment(system_.nq(), system_.nu());
  const double before = mechanics.kinetic_energy(u) + transition_.taken_by_rest();
  phase_->set_span(from_, until_);
  phase_->set_features(next_.features);
  phase_->enter(transition_.roles(), next_.modes, state_.t, next_.y);
  counts_.count_rest(before - mechanics.kinetic_energy(u), before);
  transition_.finish(u);
  if (!variation_) return;
  variation_->after(state_.t, users_ ? users_->y() : state_.y, transition_, next_.modes,
                    next_.features, next_.y);
  part_is_open_ = true;
}

// Return true if an event was recorded.
bool SingleRun::record_events(bool record_changes) {
  bool recorded = users_ && !users_->rows().empty();
  if (recorded) record_user_rows(true);
  for (std::size_t k = 0; k < transition_.events().size(); ++k) {
    const TransitionEvent& event = transition_.events()[k];
    if (event.kind != EventKind::Impact && !record_changes) continue;
    record_event(event);
    recorded = true;
  }
  return recorded;
}

void SingleRun::record_event(const TransitionEvent& event) {
  trajectory_.add_event(state_.t, next_.y.head(system_.nq()), next_.y.tail(system_.nx()), event,
                        work_.friction);
  if (system_.feature_search()) trajectory_.add_event_features(state_.features, next_.features);
  work_.sample_drive = work_.drive += event.energy.drive;
  counts_.count(event);
}

// Record the rows of the user's events. The energy that an effect adds to the velocities is its
// work. `changes`: M belongs to the instant, and velocities may have changed.
void SingleRun::record_user_rows(bool changes) {
  Mechanics& mechanics = transition_.mechanics();
  for (TransitionEvent& row : users_->rows()) {
    if (changes && row.u_minus != row.u_plus) {
      row.energy.change =
          mechanics.kinetic_energy(row.u_plus) - mechanics.kinetic_energy(row.u_minus);
    }
    record_event(row);
  }
  users_->rows().clear();
}

// Count the instant. Return false if there are more events at it than allowed.
bool SingleRun::counts_instant() {
  if (counts_.meet(state_.t) <= options_.max_events_per_instant) return true;
  message_ = at_present() + "more than " + std::to_string(options_.max_events_per_instant) +
             " events at one instant. ";
  if (user_fires()) {
    message_ += users_->events().why_endless();
  } else {
    message_ +=
        "The contact state does not settle. The last events name the contacts that alternate.";
  }
  return false;
}

SimulationStatus SingleRun::check_limits() {
  const Bouncing& bouncing = counts_.bouncing();
  // Events of the user may end the run sooner, and a discontinuity may change the motion.
  const bool ends = bouncing.sinks() ||
                    (!users_ && bouncing.repeats(options_.max_events, std::min(t_end_, until_.t)));
  if (!ends && counts_.events() <= options_.max_events) return SimulationStatus::Finished;
  message_ = at_present() + reason_of_limit(options_.max_events, t_end_, {{system_, bouncing}});
  return SimulationStatus::EventLimit;
}

SimulationStatus SingleRun::fail_missed(Index contact) {
  message_ =
      at_present() + name_of(contact) +
      " has g_N = " + to_text(transition_.mechanics().contacts.g_N(contact)) +
      " m. An impact was missed, or the start penetrates. Try a smaller max_step. An open contour "
      "can only be touched from its right side. Check its orientation.";
  return SimulationStatus::IntegrationFailure;
}

SimulationStatus SingleRun::fail_overlap(const OutlineOverlap& deepest) {
  message_ =
      at_present() + "the shapes of " + name_of(deepest.contact) + " overlap by " +
      to_text(deepest.share) +
      " of the size of the smaller shape, and no contact has detected it. Start with separate "
      "shapes, or use nsmb.Midpoint.";
  return SimulationStatus::IntegrationFailure;
}

// Return a contact that is to close here but penetrates deeply, or -1. Its gap is discontinuous.
Index SingleRun::find_jump() const {
  const double deepest = drift::kClosedGap * options_.start_tolerance;
  for (Index i = 0; i < system_.nc(); ++i) {
    const Trigger trigger = ahead_.triggers().contacts[static_cast<std::size_t>(i)];
    if (trigger == Trigger::Closes && observation_.contacts(i, kGap) < -deepest) return i;
  }
  return -1;
}

SimulationStatus SingleRun::fail_jump(Index contact) {
  message_ = at_present() + "the gap of " + name_of(contact) +
             " jumps to g_N = " + to_text(observation_.contacts(contact, kGap)) +
             " m. Define gaps as continuous functions of q and t.";
  return SimulationStatus::IntegrationFailure;
}

SimulationStatus SingleRun::fail_switches() {
  std::string names;
  for (const Index e : ahead_.torn()) {
    const std::string& name = system_.elements()[static_cast<std::size_t>(e)].name;
    names += (names.empty() ? "'" : "', '") + name;
  }
  message_ = at_present() + "force element " + names +
             "' switches back and forth at one instant, because its watched function falls in both "
             "modes. Use hysteresis: functions that are positive where their mode starts.";
  return SimulationStatus::EventLimit;
}

}  // namespace nsmb
