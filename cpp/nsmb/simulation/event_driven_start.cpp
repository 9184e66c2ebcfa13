// How a run begins: what is asked of the start, and its contact state.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace nsmb {

void EventDriven::reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                        const ConstVectorRef& x) {
  check_state(t, q, u, x);
  if (!parts_.empty()) return reset_parts(t, q, u, x);
  begin_with(system_.given_inputs(), [&] { check_start(t, q, u, x); });
  start_from(t);
}

void EventDriven::check_state(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x) const {
  check_finite("t", t);
  check_size("q", q, system_.nq());
  check_size("u", u, system_.nu());
  check_finite("q", q);
  check_finite("u", u);
  if (x.size() != system_.nx()) check_size("x", x, system_.nx_own());
  check_finite("x", x);
}

// Nothing of the run so far changes before all is known to be right.
void EventDriven::check_start(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x) {
  next_states_.assign(states_.size(), ContactState::Open);
  find_start(t, q, u, x, {});
  check_constraints();
  for (Index i = 0; i < system_.nc(); ++i) {
    if (transition_.mechanics().contacts.is_valid(i)) check_gap(i);
  }
}

void EventDriven::check_gap(Index i) const {
  const double g_N = transition_.mechanics().contacts.g_N(i);
  if (g_N >= -options_.start_tolerance) return;
  reject("q",
         "g_N >= -" + to_text(options_.start_tolerance) + " at contact '" +
             system_.contacts()[static_cast<std::size_t>(i)].name + "'",
         "g_N = " + to_text(g_N));
}

// Kinematics at the start, with the contact points there, of which `slots` are known.
void EventDriven::find_start(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             const ConstVectorRef& x, const std::vector<ContactFeature>& slots) {
  Mechanics& mechanics = transition_.mechanics();
  const Discontinuities& discontinuities = system_.discontinuities();
  mechanics.set_span(TimeSpan(discontinuities.last(t), discontinuities.next(t)));
  next_y_ = Vector::Zero(system_.ny());
  next_y_ << q, u, x, Vector::Zero(system_.nx() - x.size());
  ContactFeatures& features = mechanics.contacts.features;
  features.slots = slots;
  features.slots.resize(states_.size());
  features.reference.resize(0);  // nothing of an earlier run
  if (system_.has_features()) {
    mechanics.find_features(t, next_y_, next_states_, options_.transition.gap_tolerance);
  }
  mechanics.update_contacts(t, next_y_);
}

void EventDriven::start_from(double t) {
  if (system_.ne() > 0) start_elements(t, next_y_);
  last_ = system_.discontinuities().last(t);
  next_ = system_.discontinuities().next(t);
  y_ = next_y_;
  features_ = transition_.mechanics().contacts.features;
  phase_->set_features(features_);
  phase_->reset();
  transition_.reset();
  clear_run(t);
}

void EventDriven::clear_run(double t) {
  t_ = t_start_ = last_event_t_ = t;
  std::fill(states_.begin(), states_.end(), ContactState::Open);
  trajectory_.clear();
  work_.clear();
  output_.restart(t);
  bouncing_.clear();
  search_.leave();
  events_at_instant_ = events_ = impacts_ = rests_ = 0;
  impact_loss_ = rest_loss_ = 0.0;
  is_reset_ = true;
  resumes_ = false;
  begun_ = false;
  phase_valid_ = true;
  fires_ = false;
  shown_steps_ = 0;
  if (variation_) {
    variation_->reset();
    variation_->set_span(last_, next_);
  }
  if (users_) users_->reset(t);
  user_rows_.clear();
  stops_ = false;
  outside_.holds = crosses_ = outside_.takes_inputs = outside_.takes_over = false;
  outside_.earlier = {};
  part_is_open_ = deciding_ = false;
  status_ = SimulationStatus::Ready;
  message_.clear();
}

void EventDriven::check_constraints() const {
  const Mechanics& mechanics = transition_.mechanics();
  for (Index i = 0; i < system_.nb(); ++i) {
    const std::string at = " at constraint '" + system_.constraints()[static_cast<std::size_t>(i)] +
                           "'; consistent_state() finds a state that satisfies it";
    const double g = mechanics.bilateral.kinematics.g(i);
    const double gamma = mechanics.bilateral.gamma(i);
    if (!(std::abs(g) <= options_.start_tolerance)) reject("q", "g = 0" + at, to_text(g));
    if (!(std::abs(gamma) <= options_.start_tolerance)) reject("u", "γ = 0" + at, to_text(gamma));
  }
}

// The contact state of the start: closed gaps are not events, impacts at once are.
SimulationStatus EventDriven::begin() {
  triggers_.clear();
  Mechanics& mechanics = transition_.mechanics();
  mechanics.update_contacts(t_, y_);
  for (Index i = 0; i < system_.nc() && !resumes_; ++i) {
    if (mechanics.contacts.is_valid(i) &&
        mechanics.contacts.g_N(i) <= options_.transition.gap_tolerance) {
      triggers_.contacts[static_cast<std::size_t>(i)] = Trigger::Closes;
    }
  }
  // A run that goes on has a state before.
  const SimulationStatus status = handle_instant(outside_.takes_over);
  outside_.takes_over = outside_.takes_over && status != SimulationStatus::Finished;
  begun_ = status == SimulationStatus::Finished;
  return status;
}

// Modes of the force elements; no wall begins beyond the mass. A watched function that is negative
// in its mode has the other one.
void EventDriven::start_elements(double t, VectorRef y) {
  Mechanics& mechanics = transition_.mechanics();
  mechanics.update_elements(t, y);
  for (Index e = 0; e < system_.ne(); ++e) {
    const ForceElementDescription& element = system_.elements()[static_cast<std::size_t>(e)];
    const double gamma = mechanics.elements.kinematics.gamma(e);
    if (element.law == ElementLaw::Watched) {
      double& mode = y(system_.nq() + system_.nu() + element.state);
      const bool lasts = mechanics.elements.switch_value(e) >= -element.resolution;
      const bool closed = (mode > 0.5) == lasts;
      mode = closed ? 1.0 : 0.0;
      modes_[static_cast<std::size_t>(e)] = closed ? ElementMode::Closed : ElementMode::Open;
      continue;
    }
    double place = 0.0;
    if (system_.wall(e) >= 0) {
      double& wall = y(system_.nq() + system_.nu() + system_.wall(e));
      wall = place = std::min(wall, gamma);
    }
    modes_[static_cast<std::size_t>(e)] =
        start_mode(element, gamma, mechanics.elements.speed(e), place);
  }
}

}  // namespace nsmb
