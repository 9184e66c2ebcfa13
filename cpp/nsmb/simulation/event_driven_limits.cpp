// When a run has had enough events, and what to do about it.
#include <algorithm>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven_part.hpp"

namespace nsmb {

namespace {

// Impacts slower than this many times rest_velocity are hardly more than rest; so many in a row are
// none that an accumulation makes: with e_N = 0.9999 one needs 92,000 of them.
constexpr double kSlowImpact = 1e4;
constexpr long kMostSlowImpacts = 100'000;
// Impacts of a block. The slowest ones of two blocks that follow each other show whether they get
// slower: an accumulation with e_N = 0.9 does so by more than this in 50 impacts.
constexpr long kBlock = 2000;
constexpr double kSlower = 0.5;

}  // namespace

void EventDriven::count_impact(const TransitionEvent& event) {
  last_struck_ = event.contacts;
  if (++impacts_of_block_ > kBlock) {
    before_slowest_ = slowest_;
    slowest_ = std::numeric_limits<double>::infinity();
    impacts_of_block_ = 1;
  }
  slowest_ = std::min(slowest_, event.approach);
  if (event.approach > kSlowImpact * options_.transition.rest_velocity) {
    slow_impacts_ = 0;
    fastest_of_slow_ = 0.0;
    return;
  }
  ++slow_impacts_;
  fastest_of_slow_ = std::max(fastest_of_slow_, event.approach);
}

// Contacts that gave back all they took at the last impact, while impacts have not got slower: a
// bouncing that neither ends nor accumulates. Empty: it may. `slowest` falls to their slowest
// impact.
std::string EventDriven::endless_contacts(double& slowest) const {
  std::string names;
  for (const auto& part : parts_) {
    const std::string more = part->run.endless_contacts(slowest);
    names += (names.empty() || more.empty() ? "" : ", ") + more;
  }
  if (before_slowest_ <= 0.0 || !(slowest_ > kSlower * before_slowest_)) return names;
  for (std::size_t c = 0; c < last_struck_.size(); ++c) {
    const ContactDescription& contact = system_.contacts()[c];
    if (!last_struck_[c]) continue;
    if (contact.law.e_N < 1.0) return {};
    names += (names.empty() ? "'" : ", '") + contact.name + "'";
  }
  slowest = std::min(slowest, slowest_);
  return names;
}

// The part with the most slow impacts in a row.
const EventDriven& EventDriven::slowest_run() const {
  const EventDriven* slowest = this;
  for (const auto& part : parts_) {
    if (part->run.slow_impacts_ > slowest->slow_impacts_) slowest = &part->run;
  }
  return *slowest;
}

SimulationStatus EventDriven::check_limits() {
  const bool sinks = slow_impacts_ >= kMostSlowImpacts;
  if (!sinks && events_ <= options_.max_events) return SimulationStatus::Finished;
  message_ = "t = " + to_text(t_) + " s: ";
  const EventDriven& slow = slowest_run();
  if (sinks || 2 * slow.slow_impacts_ > options_.max_events) {
    message_ += std::to_string(slow.slow_impacts_) + " impacts in a row at " +
                to_text(slow.fastest_of_slow_) +
                " m/s and less; a rest_velocity above that takes such contacts as closed";
    return SimulationStatus::EventLimit;
  }
  message_ += "more than max_events = " + std::to_string(options_.max_events) + " events; ";
  double slowest = std::numeric_limits<double>::infinity();
  if (const std::string names = endless_contacts(slowest); !names.empty()) {
    message_ += "contacts " + names + " bounce without an end: with e_N = 1 their impacts, " +
                to_text(slowest) + " m/s and more, do not get slower; e_N < 1 lets them come to " +
                "rest, a larger max_events follows them further";
  } else {
    message_ += "raise it to go on";
  }
  return SimulationStatus::EventLimit;
}

}  // namespace nsmb
