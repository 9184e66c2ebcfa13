// Counts of the events of a run, the energy they took, and limits on their number.
#pragma once

#include <string>
#include <vector>

#include "nsmb/simulation/bouncing.hpp"
#include "nsmb/simulation/event_driven_options.hpp"

namespace nsmb {

class EventCounts {
 public:
  explicit EventCounts(double rest_velocity) : bouncing_(rest_velocity) {}

  void restart(double t);
  /// Continue with the counts of an earlier run.
  void go_on(const EventCounts& before);

  /// Count an instant at t, and return the number of earlier instants at this time.
  long meet(double t);
  void count(const TransitionEvent& event);
  /// Count an event with this change of the kinetic energy, J.
  void count(EventKind kind, double change);
  /// Count the energy that a phase discarded at its start, from the kinetic energy `before`, J.
  void count_rest(double discarded, double before);

  long events() const { return events_; }
  long impacts() const { return impacts_; }
  long rests() const { return rests_; }
  double impact_loss() const { return impact_loss_; }  // J
  double rest_loss() const { return rest_loss_; }      // J
  const Bouncing& bouncing() const { return bouncing_; }

 private:
  long events_ = 0, impacts_ = 0, rests_ = 0;
  double impact_loss_ = 0.0, rest_loss_ = 0.0;
  double last_t_ = 0.0;  // of the last instant
  long at_instant_ = 0;  // instants at that time, after the first
  Bouncing bouncing_;
};

/// The impacts of a system, or of a part of it.
struct BouncingOf {
  const System& system;
  const Bouncing& bouncing;
};

/// Return why a run of these to t_end has reached its limit of events, and what to do about it.
std::string reason_of_limit(long max_events, double t_end, const std::vector<BouncingOf>& all);

}  // namespace nsmb
