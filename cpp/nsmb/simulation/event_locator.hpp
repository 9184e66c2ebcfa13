// Location of events: the last step ends where something happens.
#pragma once

#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/step_samples.hpp"

namespace nsmb {

/// The location of an event on a step. The integrator goes to the root of the polynomial, and
/// Newton's method on the integrated state removes the remaining error. If the root lies further
/// away, the integrator goes there again.
class EventLocator {
 public:
  EventLocator(FrozenMotion& motion, IntegratedStep& step, StepSamples& samples);

  /// End the step as described in Phase. `starts`: the step is the first of the phase.
  StepStatus locate(const Indicator& indicator, double s_guess, bool starts);
  StepStatus cut_at_zero(const TimedFunction& f, double s);

 private:
  StepStatus find_root(const Indicator& indicator, double dt, double start);
  double slope_at_end(const Indicator& indicator, double f, double dt);
  double rounding(Index contact) const;
  StepStatus locate_rest(const Indicator& indicator, double s_guess);
  StepStatus find_rest(Index contact, const Eigen::Vector2d& direction, double resolution,
                       double dt);
  void come_to_rest(Index contact);

  FrozenMotion& motion_;
  IntegratedStep& step_;
  StepSamples& samples_;
  Observation here_, beside_;  // at the end of the step, and a little earlier or later
  Vector y_, slope_;
};

}  // namespace nsmb
