// Effects of the user's events at their instants.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/transition_events.hpp"
#include "nsmb/simulation/user_events.hpp"
#include "nsmb/simulation/variation.hpp"

namespace nsmb {

/// The effects of the events that have fired, and their rows until these are recorded.
class UserActions {
 public:
  /// `mechanics` must outlive this object.
  UserActions(const System& system, std::vector<UserEvent> events, Mechanics& mechanics)
      : system_(system), events_(system, std::move(events)), mechanics_(mechanics) {}

  UserEvents& events() { return events_; }
  const UserEvents& events() const { return events_; }
  bool have_fired() const { return !events_.fired().empty(); }
  void reset(double t);

  /// Apply the effects to y and modes of `next`, in the order of the list. `state` is the current
  /// state of the run.
  void apply(const RunState& state, RunState& next);
  /// Return y after the effects, before the contact states are determined.
  const Vector& y() const { return y_; }
  /// One row for each event.
  std::vector<TransitionEvent>& rows() { return rows_; }
  /// Return what the effects make of the run since go_on().
  Halt halt() const { return halt_; }
  void go_on() { halt_ = Halt::None; }

  /// Report the times and the effects of the events to the derivative.
  void follow(const RunState& state, Variation& variation);
  /// Return the functions whose zeros have fired.
  std::vector<TimedFunction> functions();

 private:
  EffectResult act(const UserEvent& event, EventInstant& instant);
  bool hold_constraints(EventInstant& instant);

  const System& system_;
  UserEvents events_;
  Mechanics& mechanics_;
  std::vector<TransitionEvent> rows_;
  Halt halt_ = Halt::None;
  bool known_ = true;  // effects are functions of the instant
  bool held_ = false;  // bilateral constraints have changed the velocities
  Vector y_;
};

}  // namespace nsmb
