// Where the last step ends because something happens on it.
#pragma once

#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/step_samples.hpp"

namespace nsmb {

/// The integrator goes to the root of the polynomial; Newton's method on the integrated state moves
/// on by what the polynomial left. A root that lies further away is integrated to again.
class EventLocator {
 public:
  EventLocator(FrozenMotion& motion, IntegratedStep& step, StepSamples& samples);

  /// As Phase has them; `starts`: the step is the first of the phase.
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
