// Events of the user in steps: where on a step they are, and steps that end there.
#pragma once

#include <vector>

#include "nsmb/simulation/user_actions.hpp"
#include "nsmb/stepping/step_curve.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

/// A step is looked at along its StepCurve. Where an event is on it, shorter steps from the same
/// start are tried until one ends at the event.
class StepEvents {
 public:
  /// `mechanics` and `stepper` must outlive this object.
  StepEvents(std::vector<UserEvent> events, Mechanics& mechanics, Stepper& stepper);

  UserActions& actions() { return actions_; }
  /// `state` behind the effects of what has fired there.
  const RunState& act(const RunState& state);
  UserEvents& events() { return actions_.events(); }

  /// Is an event on the step of length h from `from` to `end`? `ends_run`: it ends at t_end.
  bool finds(const RunState& from, double h, const RunState& end, bool ends_run);
  /// `outcome` := a step from `from` that ends at the event found, or the whole one of length h if
  /// it has none after all. Returns its length; 0: the event is at `from`, and there is no step.
  /// What the stepper remembers, and keeps, is as it was at `from`.
  double locate(const RunState& from, double h, StepOutcome& outcome);
  /// The last step that was looked at has become part of the motion, which stands at `state`: what
  /// ends it fires.
  void pass(const RunState& state);

 private:
  struct Bracket;
  double value_behind(double h, StepOutcome& outcome);
  double slope_near(double s);

  UserActions actions_;
  RunState next_;
  Stepper& stepper_;
  StepCurve curve_;
  TimedFunction function_;  // whose zero was found
  const RunState* from_ = nullptr;
  int sign_ = 0;  // of the function before it
  double place_;  // of the event, part of the step
  Vector y_;
};

}  // namespace nsmb
