// What events of the user do at their instants.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/transition_events.hpp"
#include "nsmb/simulation/user_events.hpp"
#include "nsmb/simulation/variation.hpp"

namespace nsmb {

/// Effects of the events that have fired, and their rows until these are recorded.
class UserActions {
 public:
  /// `mechanics` must outlive this object.
  UserActions(const System& system, std::vector<UserEvent> events, Mechanics& mechanics)
      : system_(system), events_(system, std::move(events)), mechanics_(mechanics) {}

  UserEvents& events() { return events_; }
  const UserEvents& events() const { return events_; }
  bool have_fired() const { return !events_.fired().empty(); }
  void reset(double t);

  /// To y and modes of `next`, one after the other in the order of the list; the run stands at
  /// `state`.
  void apply(const RunState& state, RunState& next);
  /// y behind effects, before the contacts are decided.
  const Vector& y() const { return y_; }
  /// One for each.
  std::vector<TransitionEvent>& rows() { return rows_; }
  /// What they make of the run since go_on().
  Halt halt() const { return halt_; }
  void go_on() { halt_ = Halt::None; }

  /// Their times and what they do, for the derivative.
  void follow(const RunState& state, Variation& variation);
  /// Functions whose zeros have fired.
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
  bool held_ = false;  // by bilateral constraints
  Vector y_;
};

}  // namespace nsmb
