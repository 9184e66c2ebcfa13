// Events of the user: where they are on a step, and what they do at their instants.
#include <algorithm>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

namespace {

// In ulps of t: an integrator takes no shorter step.
constexpr double kShortest = 1e3 * std::numeric_limits<double>::epsilon();

}  // namespace

void EventDriven::watch(std::vector<UserEvent> events) {
  if (begun_) reject("watch", "a run that has not begun; call reset", "one that has");
  users_.reset();
  if (events.empty()) return;
  unite();  // functions may look at everything
  users_ = std::make_unique<UserEvents>(system_, std::move(events));
  users_->reset(t_);
}

// Is the first event of the step ahead one of the user? What fires together with contacts comes
// behind them.
bool EventDriven::find_user_event() {
  if (fires_ && !moves_ahead()) return false;
  const double end = std::min({1.0, search_.cut(), s_event_ - EventSearch::kTogether});
  const bool whole = !fires_ && search_.cut() > 1.0;
  const bool ends_run = whole && phase_->t() >= t_stop_ && t_stop_ >= t_end_;
  const double place = users_->search(*phase_, end, ends_run);
  if (place > 1.0) return false;
  s_event_ = place;
  return true;
}

StepStatus EventDriven::locate_user_event() {
  fires_ = true;
  search_.leave();
  triggers_.clear();
  fired_.clear();
  const double place = s_event_;
  if (s_event_ * phase_->duration() <= kShortest * std::abs(t_)) s_event_ = 0.0;
  const bool moves = moves_ahead();
  const StepStatus status =
      moves ? phase_->cut_at_zero(users_->function(), s_event_) : StepStatus::Ok;
  if (status != StepStatus::Ok) return status;
  users_->pass(moves ? place : 0.0);
  users_->fire(moves ? phase_->t() : t_, moves ? phase_->y() : y_);
  return status;
}

// At the times the user gives.
SimulationStatus EventDriven::act_in_time(bool& event) {
  const std::size_t events_before = trajectory_.events.t.size();
  users_->take_due(t_);
  triggers_.clear();
  fired_.clear();
  const SimulationStatus status = act();
  if (status != SimulationStatus::Finished) return status;
  record_sample(t_, y_);
  event = trajectory_.events.t.size() > events_before;
  return status;
}

// What has fired at t_. Without effects the motion goes on as it was.
SimulationStatus EventDriven::act() {
  if (users_->have_effects()) {
    transition_.begin_anew();
    deciding_ = true;
    const SimulationStatus status = handle_instant(true);
    deciding_ = false;
    users_->clear_fired();
    return status;
  }
  if (!counts_instant()) return SimulationStatus::EventLimit;
  next_y_ = y_;
  next_modes_ = modes_;
  if (phase_->t() != t_) {  // a step ahead that is not taken
    phase_->enter(transition_.roles(), modes_, t_, next_y_);
    y_ = next_y_;
  }
  apply_effects();
  add_user_rows(false);
  if (variation_) {
    std::vector<TimedFunction> functions;
    for (const std::size_t k : users_->fired()) {
      if (!(*users_)[k].function) continue;
      functions.emplace_back(
          [this, k](double t, const ConstVectorRef& y) { return users_->value(k, t, y); });
    }
    variation_->pass(t_, y_, *phase_, functions);
    part_is_open_ = false;
  }
  users_->clear_fired();
  return check_limits();
}

// More events at one instant than there may be?
bool EventDriven::counts_instant() {
  const bool again = is_same_instant(t_, last_event_t_);
  last_event_t_ = t_;
  if (!again) events_at_instant_ = 0;
  if (!again || ++events_at_instant_ <= options_.max_events_per_instant) return true;
  message_ = "t = " + to_text(t_) + " s: more than " +
             std::to_string(options_.max_events_per_instant) + " events at one instant; ";
  const std::string names = users_ ? users_->recent_names() : "";
  if (users_ && !users_->fired().empty()) {
    message_ += "the effects of events " + names +
                " let them happen again at once: an effect must take its function away from zero, "
                "or to the side it came from";
  } else {
    message_ +=
        "the contact state does not settle: the last events name the contacts that change in turn";
  }
  return false;
}

// On next_y_ and next_modes_, one after the other in the order of the list.
void EventDriven::apply_effects() {
  user_rows_.clear();
  effects_known_ = true;
  if (users_ && !users_->fired().empty()) {
    const Index nq = system_.nq(), nu = system_.nu();
    EventInstant instant{
        t_, next_y_.head(nq), next_y_.segment(nq, nu), next_y_.tail(system_.nx()), states_, modes_};
    effects_known_ = apply_effects_to(instant, true);
    next_y_.segment(nq, nu) = instant.u;
    next_y_.tail(system_.nx()) = instant.x;
    next_modes_ = instant.modes;
  }
  if (variation_) acted_y_ = next_y_;
}

// Are all of them functions of the instant?
bool EventDriven::apply_effects_to(EventInstant& instant, bool logs) {
  bool known = true;
  for (const std::size_t k : users_->fired()) {
    const UserEvent& event = (*users_)[k];
    const Vector u = instant.u;
    const ElementModes modes = instant.modes;
    EffectResult result = EffectResult::Changed;
    if (event.effect) result = event.effect(instant);
    const bool pauses = result == EffectResult::Pause;
    known = known && !pauses && result != EffectResult::Unknown;
    if (!logs) continue;
    stops_ = stops_ || event.terminal || pauses || result == EffectResult::Stop;
    TransitionEvent& row = user_rows_.emplace_back(system_);
    row.kind = EventKind::User;
    row.user = static_cast<std::int32_t>(k);
    row.state_minus = row.state_plus = states_;
    row.u_minus = u;
    row.u_plus = instant.u;
    for (std::size_t e = 0; e < modes.size(); ++e) row.elements[e] = modes[e] != instant.modes[e];
  }
  return known;
}

// Their times and what they do, for the derivative.
void EventDriven::follow_effects() {
  if (!users_ || users_->fired().empty()) return;
  for (const std::size_t k : users_->fired()) {
    if (!(*users_)[k].function) {
      variation_->add_fixed_time();
      continue;
    }
    variation_->add_user_zero(
        t_, y_, [&](double t, const ConstVectorRef& y) { return users_->value(k, t, y); });
  }
  if (!effects_known_) return variation_->doubt_effect(t_);
  const Index nq = system_.nq(), nu = system_.nu(), nx = system_.nx();
  variation_->follow_effect(t_, y_, [&](double t, const ConstVectorRef& y, VectorRef after) {
    EventInstant instant{t, y.head(nq), y.segment(nq, nu), y.tail(nx), states_, modes_};
    apply_effects_to(instant, false);
    after << instant.q, instant.u, instant.x;
  });
}

// One row for each; what effects do to the velocities is their work. `changes`: M is that of the
// instant, and velocities may have changed.
void EventDriven::add_user_rows(bool changes) {
  const Index nq = system_.nq();
  for (TransitionEvent& row : user_rows_) {
    if (changes && row.u_minus != row.u_plus) {
      Mechanics& mechanics = transition_.mechanics();
      row.energy.change =
          mechanics.kinetic_energy(row.u_plus) - mechanics.kinetic_energy(row.u_minus);
    }
    trajectory_.add_event(t_, y_.head(nq), y_.tail(system_.nx()), row, work_.friction);
    if (system_.has_features()) trajectory_.add_event_features(features_, next_features_);
    ++events_;
  }
  user_rows_.clear();
}

SimulationStatus EventDriven::stop_by_user() {
  stops_ = false;
  message_ = "t = " + to_text(t_) + " s: stopped by event " + users_->recent_names();
  return SimulationStatus::Stopped;
}

}  // namespace nsmb
