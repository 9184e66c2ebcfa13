// Step lengths chosen from the errors of trial steps.
#pragma once

#include <limits>

namespace nsmb {

/// The comparison of two steps of equal length with one step over both.
struct StepTrial {
  double error = std::numeric_limits<double>::infinity();  // over the allowed error; inf: no values
  bool jumps = false;     // an impact occurs in one of the steps, or a contact is passed without
                          // taking part
  bool switches = false;  // contacts or force elements have changed state
};

enum class TrialVerdict {
  Taken,
  Coarse,  // accepted with an error above the allowed one, since the step is the shortest
  Again,   // to be repeated with length()
};

/// A controller of step lengths. Between events the error of two steps is of order h^(p + 1), and
/// the allowed error is scaled by h / longest. The time of an impact or a switch is known only to
/// within its step. Coordinates or velocities then have errors of order h, and the full error is
/// allowed. With less, no step would be short enough.
class StepControl {
 public:
  StepControl(double longest, double shortest, int order);

  void restart();
  /// Return the length in s of each of the next two steps, which cover at most `left`.
  double length(double left) const;
  /// Judge two steps of length h, and choose the next length.
  TrialVerdict judge(double h, const StepTrial& trial);
  /// Error of the last trial divided by the allowed error.
  double ratio() const { return ratio_; }

 private:
  double longest_, shortest_;
  int order_;
  double next_, ratio_ = 0.0;
  int waits_ = 0;  // steps accepted before their length may grow: the cause of their reduction is
                   // ahead
};

}  // namespace nsmb
