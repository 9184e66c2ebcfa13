// Steps that are cut by touches on the way: how many there may be.
#pragma once

namespace nsmb {

/// Within one step length a bounded number of steps is cut; then one goes its whole length, and may
/// lead through something: touches without number, to and fro between walls, are no way forward.
class TouchBudget {
 public:
  explicit TouchBudget(double step) : step_(step) {}

  void restart() { *this = TouchBudget(step_); }
  /// Of a step at t that is to be h long, and no longer than `longest` for nothing to be passed.
  double length(double t, double h, double longest);
  /// The last step asked for may have passed something.
  bool is_spent() const { return spent_; }

 private:
  double step_, begin_ = 0.0;  // s
  int cuts_ = 0;               // since `begin`
  bool spent_ = false;
};

}  // namespace nsmb
