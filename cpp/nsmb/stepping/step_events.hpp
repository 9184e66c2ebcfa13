// User events in steps: their location within a step, and steps that end there.
#pragma once

#include <vector>

#include "nsmb/simulation/user_actions.hpp"
#include "nsmb/stepping/step_curve.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

/// A search for user events. Each step is searched along its StepCurve. If an event lies on it,
/// shorter steps from the same start are tried until one ends at the event.
class StepEvents {
 public:
  /// `mechanics` and `stepper` must outlive this object.
  StepEvents(std::vector<UserEvent> events, Mechanics& mechanics, Stepper& stepper);

  UserActions& actions() { return actions_; }
  /// Return `state` after the effects of the events that have fired there.
  const RunState& act(const RunState& state);
  UserEvents& events() { return actions_.events(); }

  /// Return true if an event lies on the step of length h from `from` to `end`. `ends_run`: the
  /// step ends at t_end.
  bool finds(const RunState& from, double h, const RunState& end, bool ends_run);
  /// Compute a step from `from` that ends at the event found, or the whole step of length h if the
  /// event does not occur. Return its length, or 0 if the event is at `from` and there is no step.
  /// The stored and the saved data of the stepper must be those at `from`.
  double locate(const RunState& from, double h, StepOutcome& outcome);
  /// Accept the last step searched, which has led to `state`, and fire the events that end it.
  void pass(const RunState& state);

 private:
  struct Bracket;
  double value_after(double h, StepOutcome& outcome);
  double slope_near(double s);

  UserActions actions_;
  RunState next_;
  Stepper& stepper_;
  StepCurve curve_;
  TimedFunction function_;  // the function whose zero was found
  const RunState* from_ = nullptr;
  int sign_ = 0;  // sign of the function before the event
  double place_;  // position of the event, as a fraction of the step
  Vector y_;
};

}  // namespace nsmb
