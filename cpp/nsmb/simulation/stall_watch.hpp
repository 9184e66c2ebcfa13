// Does a numerical integration stand still?
#pragma once

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// Steps may be as short as they like as long as the motion gets on. It does not where a slope
/// jumps on the way the motion is held to: friction written as a sign of the velocity, where the
/// body sticks. Both sides drive the motion back across, an error test asks for ever shorter
/// steps, and time goes on by parts of 1e-10 of a step.
///
/// Judged are windows of attempts, accepted or not. A window in which some component of y moves by
/// more than a small part of its size is motion. In any other, the last steps and the surroundings
/// of the state are searched for a jump: the half of the way on which a slope changes more, again
/// and again; what is continuous changes less and less. Windows with a jump, one after the other,
/// are the end; and so are windows in which time goes on by next to nothing of the longest step of
/// the run. A stiff system near its equilibrium moves no more either, but its slopes do not jump
/// and its steps are the longest it has.
class StallWatch {
 public:
  /// Of a problem of dimension n, integrated with this relative tolerance.
  StallWatch(Index n, double rtol);

  /// A new run.
  void reset();

  /// After a step of `integrator`, sizes of the components of y in `scale`. True: it stands still.
  bool stands_still(OdeProblem& problem, const Integrator& integrator, const ConstVectorRef& scale);

  /// Steps searched so far: the problem was evaluated beside the motion.
  long searches() const { return all_searches_; }

  /// Of the jump that was found: the component of ẏ, -1: none, and ẏ there on both sides.
  Index component() const { return component_; }
  double before() const { return before_; }
  double behind() const { return behind_; }

 private:
  void open_window(const Integrator& integrator);
  bool find_jump(OdeProblem& problem, const Integrator& integrator, const ConstVectorRef& scale);
  bool jumps_between(OdeProblem& problem, double t_low, double t_high, const ConstVectorRef& scale);

  double rtol_;
  long attempts_ = 0;  // at the start of the window
  double t_ = 0.0;     // likewise
  Vector y_;
  double longest_ = 0.0;  // step of the run, s
  int searches_ = 0;      // in this window
  long all_searches_ = 0;
  int jumps_ = 0;  // windows with one, without interruption
  int slow_ = 0;   // windows without progress of time, likewise
  Index component_ = -1;
  double before_ = 0.0, behind_ = 0.0;
  double least_ = 0.0;  // change of a slope that matters, in sizes per second
  Vector low_y_, high_y_, middle_y_, low_slope_, high_slope_, middle_slope_;
};

}  // namespace nsmb
