#include "nsmb/simulation/event_counts.hpp"

#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/triggers.hpp"

namespace nsmb {

void EventCounts::restart(double t) {
  last_t_ = t;
  at_instant_ = events_ = impacts_ = rests_ = 0;
  impact_loss_ = rest_loss_ = 0.0;
  bouncing_.clear(t);
}

void EventCounts::go_on(const EventCounts& before) {
  events_ = before.events_;
  impacts_ = before.impacts_;
  impact_loss_ = before.impact_loss_;
  rests_ = before.rests_;
  rest_loss_ = before.rest_loss_;
}

long EventCounts::meet(double t) {
  at_instant_ = is_same_instant(t, last_t_) ? at_instant_ + 1 : 0;
  last_t_ = t;
  return at_instant_;
}

void EventCounts::count(const TransitionEvent& event) {
  count(event.kind, event.energy.change);
  if (event.kind == EventKind::Impact) bouncing_.count(event, last_t_);
}

void EventCounts::count(EventKind kind, double change) {
  if (kind != EventKind::User) impact_loss_ -= change;
  impacts_ += kind == EventKind::Impact ? 1 : 0;
  ++events_;
}

void EventCounts::count_rest(double discarded, double before) {
  rest_loss_ += discarded;
  if (discarded > 1e-15 * before) ++rests_;
}

namespace {

// Return the bouncing with the most slow impacts in a row.
const Bouncing& slowest_of(const std::vector<BouncingOf>& all) {
  const Bouncing* slowest = &all.front().bouncing;
  for (const BouncingOf& one : all) {
    if (one.bouncing.slow() > slowest->slow()) slowest = &one.bouncing;
  }
  return *slowest;
}

// Return the contacts that bounce indefinitely, and lower `slowest` to their slowest impact.
std::string endless_contacts(const std::vector<BouncingOf>& all, double& slowest) {
  std::string names;
  for (const BouncingOf& one : all) {
    const std::string more = one.bouncing.endless_contacts(one.system, slowest);
    names += (names.empty() || more.empty() ? "" : ", ") + more;
  }
  return names;
}

}  // namespace

std::string reason_of_limit(long max_events, double t_end, const std::vector<BouncingOf>& all) {
  for (const BouncingOf& one : all) {
    if (!one.bouncing.repeats(max_events, t_end)) continue;
    return "the impacts of contacts " + one.bouncing.last_struck(one.system) + " repeat every " +
           to_text(one.bouncing.pace()) +
           " s without loss of energy, so that max_events = " + std::to_string(max_events) +
           " is reached before t_end. Use a smaller e_N, a larger rest_velocity or an earlier "
           "t_end.";
  }
  const Bouncing& slow = slowest_of(all);
  if (slow.sinks() || 2 * slow.slow() > max_events) {
    return std::to_string(slow.slow()) + " impacts in a row at " + to_text(slow.fastest_of_slow()) +
           " m/s or less. Set rest_velocity above this value to close such contacts.";
  }
  std::string reason = "more than max_events = " + std::to_string(max_events) + " events. ";
  double slowest = std::numeric_limits<double>::infinity();
  const std::string names = endless_contacts(all, slowest);
  if (names.empty()) return reason + "Increase max_events to continue.";
  return reason + "Contacts " + names + " bounce indefinitely: with e_N = 1 their impacts (" +
         to_text(slowest) + " m/s and more) do not become slower. Use e_N < 1 so that they " +
         "come to rest, or a larger max_events.";
}

}  // namespace nsmb
