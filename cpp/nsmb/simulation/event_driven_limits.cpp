// When a run has had enough events, and what to do about it.
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven_part.hpp"

namespace nsmb {

// Contacts of all parts that bounce without an end; `slowest` falls to their slowest impact.
std::string EventDriven::endless_contacts(double& slowest) const {
  std::string names;
  for (const auto& part : parts_) {
    const std::string more = part->run.endless_contacts(slowest);
    names += (names.empty() || more.empty() ? "" : ", ") + more;
  }
  return parts_.empty() ? bouncing_.endless_contacts(system_, slowest) : names;
}

// Of the part with the most slow impacts in a row.
const Bouncing& EventDriven::slowest_bouncing() const {
  const Bouncing* slowest = &bouncing_;
  for (const auto& part : parts_) {
    if (part->run.bouncing_.slow() > slowest->slow()) slowest = &part->run.bouncing_;
  }
  return *slowest;
}

SimulationStatus EventDriven::check_limits() {
  const bool sinks = bouncing_.sinks();
  if (!sinks && events_ <= options_.max_events) return SimulationStatus::Finished;
  message_ = "t = " + to_text(t_) + " s: ";
  const Bouncing& slow = slowest_bouncing();
  if (sinks || 2 * slow.slow() > options_.max_events) {
    message_ += std::to_string(slow.slow()) + " impacts in a row at " +
                to_text(slow.fastest_of_slow()) +
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
