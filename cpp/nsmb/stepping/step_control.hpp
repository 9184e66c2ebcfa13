// Lengths of steps from the errors that trials of them have.
#pragma once

#include <limits>

namespace nsmb {

/// Two steps of one length beside one over both.
struct StepTrial {
  double error = std::numeric_limits<double>::infinity();  // over what it may be; inf: no values
  bool jumps = false;     // something strikes in one of them, or is passed unasked
  bool switches = false;  // contacts or force elements are in other states behind them
};

enum class TrialVerdict {
  Taken,
  Coarse,  // taken, though above its error: the shortest step
  Again,   // to be tried with what length() says
};

/// Between events the error of two steps is of order h^(p + 1), and h / longest of what is asked is
/// theirs. An impact, or a switch, lies anywhere in its step: coordinates, or velocities, are off
/// to the order of h, and all that is asked is theirs, as no step is so short that less would do.
class StepControl {
 public:
  StepControl(double longest, double shortest, int order);

  void restart();
  /// Of each of the next two steps, s, of which `left` are to be gone at most.
  double length(double left) const;
  /// Of two steps of length h; what comes next follows from it.
  TrialVerdict judge(double h, const StepTrial& trial);
  /// Of the trial judged last, error over what it may be.
  double ratio() const { return ratio_; }

 private:
  double longest_, shortest_;
  int order_;
  double next_, ratio_ = 0.0;
  int waits_ = 0;  // steps taken before they may grow: what has shortened them lies ahead
};

}  // namespace nsmb
