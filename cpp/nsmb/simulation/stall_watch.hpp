// Detection of a numerical integration that stands still.
#pragma once

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// A watch for integrations that stand still. Steps may be arbitrarily short while the motion
/// advances. It does not advance if it is held where a slope jumps. An example is friction written
/// as a sign of the velocity, where the body sticks. Both sides drive the motion back across the
/// jump. The error test asks for ever shorter steps, and time advances by parts of 1e-10 of a step.
///
/// The watch examines windows of attempted steps, accepted or not. A window in which a component of
/// y moves by more than a small fraction of its size is motion. In any other window, the last steps
/// and the neighbourhood of the state are searched for a jump. The search halves the interval again
/// and again towards the larger change of a slope, which decreases if the slope is continuous.
/// Consecutive windows with a jump end the run. So do windows in which time advances by almost
/// nothing compared with the longest step of the run. A stiff system near its equilibrium does not
/// move either. However, its slopes do not jump, and its steps are the longest it has.
class StallWatch {
 public:
  /// Watch a problem of dimension n that is integrated with this relative tolerance.
  StallWatch(Index n, double rtol);

  /// Start a new run.
  void reset();

  /// Check after a step of `integrator`. `scale` holds the sizes of the components of y. Return
  /// true if the integration stands still.
  bool stands_still(OdeProblem& problem, const Integrator& integrator, const ConstVectorRef& scale);

  /// Number of steps searched so far. A search evaluates the problem at states near the motion.
  long searches() const { return all_searches_; }

  /// The jump that was found: the component of ẏ, or -1, and the values of ẏ on both sides.
  Index component() const { return component_; }
  double before() const { return before_; }
  double after() const { return after_; }

 private:
  void open_window(const Integrator& integrator);
  bool find_jump(OdeProblem& problem, const Integrator& integrator, const ConstVectorRef& scale);
  bool jumps_between(OdeProblem& problem, double t_low, double t_high, const ConstVectorRef& scale);

  double rtol_;
  long attempts_ = 0;  // at the start of the window
  double t_ = 0.0;     // likewise
  Vector y_;
  double longest_ = 0.0;  // longest step of the run, s
  int searches_ = 0;      // in this window
  long all_searches_ = 0;
  int jumps_ = 0;  // consecutive windows with a jump
  int slow_ = 0;   // consecutive windows without progress of time
  Index component_ = -1;
  double before_ = 0.0, after_ = 0.0;
  double least_ = 0.0;  // relevant change of a slope, in sizes per second
  Vector low_y_, high_y_, middle_y_, low_slope_, high_slope_, middle_slope_;
};

}  // namespace nsmb
