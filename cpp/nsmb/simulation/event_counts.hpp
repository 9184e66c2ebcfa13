// Events of a run: how many there were, what they took, and when there have been enough.
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
  /// Goes on with what a run before this one has counted.
  void go_on(const EventCounts& before);

  /// One more instant, at t: how many there were at this time before it.
  long meet(double t);
  void count(const TransitionEvent& event);
  /// An event with this change of the kinetic energy, J.
  void count(EventKind kind, double change);
  /// What a phase took of the kinetic energy `before` when it began, J.
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
  double last_t_ = 0.0;  // of an instant
  long at_instant_ = 0;  // instants at that time, behind the first
  Bouncing bouncing_;
};

/// The impacts of a system, or of a part of it.
struct BouncingOf {
  const System& system;
  const Bouncing& bouncing;
};

/// Why a run of these to t_end has had enough events, and what to do about it.
std::string reason_of_limit(long max_events, double t_end, const std::vector<BouncingOf>& all);

}  // namespace nsmb
