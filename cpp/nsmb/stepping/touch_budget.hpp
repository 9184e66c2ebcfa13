// A limit on the steps that are cut by touches.
#pragma once

namespace nsmb {

/// A budget of cut steps. Within one step length only a bounded number of steps is cut. Then a step
/// of full length is taken, which may pass through something. Otherwise a body that moves to and
/// fro between walls could stop all progress.
class TouchBudget {
 public:
  explicit TouchBudget(double step) : step_(step) {}

  void restart() { *this = TouchBudget(step_); }
  /// Return the length of a step at t that should be h, and at most `longest` so that nothing is
  /// passed.
  double length(double t, double h, double longest);
  /// Return true if the last step may have passed something.
  bool is_spent() const { return spent_; }

 private:
  double step_, begin_ = 0.0;  // s
  int cuts_ = 0;               // since begin_
  bool spent_ = false;
};

}  // namespace nsmb
