// Error estimation by two steps and one step over both.
#pragma once

#include <exception>

#include "nsmb/stepping/step_control.hpp"
#include "nsmb/stepping/stepper.hpp"
#include "nsmb/stepping/switch_search.hpp"

namespace nsmb {

/// An estimate of the error of the coordinates, divided by the error allowed within two steps of
/// maximum length, 2 H. Without jumps it is
///
///   e = (|q_2 - q_1| + 2 H |B (u_2 - u_1)|) / (2^p - 1)
///
/// with q_2, u_2 after two steps of length h and q_1, u_1 after one of 2 h, since a wrong velocity
/// persists. The time of an impact is known only to within the step. The coordinates then have an
/// error e = h |B (u_+ - u_-)|. If this is smaller, u_- is replaced by u_F, the velocity without
/// contact impulses, since rest and free flight are no jumps. If q_2 and q_1 have the impact at the
/// same time, their difference does not show this error.
class StepDoubling {
 public:
  StepDoubling(Mechanics& mechanics, Stepper& stepper, const TimeSteppingOptions& options);

  bool is_used() const { return error_.size() > 0; }
  StepControl& control() { return control_; }
  /// Try two steps of length h from there.
  StepTrial attempt(const RunState& from, double h);
  /// Discard the last attempt, and everything remembered from it.
  void withdraw() { stepper_.go_back(); }
  /// Return the step of the last attempt without finite values, or nullptr if both have finite
  /// values. Exceptions that the system has thrown there are rethrown.
  const StepOutcome* not_finite() const;
  /// Return true if the last attempt was interrupted.
  bool was_interrupted() const { return interrupted_; }
  StepOutcome& first() { return first_; }
  StepOutcome& second() { return second_; }
  /// Number of contact problems solved in addition to those of the two steps.
  long problems_besides() const { return whole_.problems; }

 private:
  bool try_step(const RunState& from, double h, StepOutcome& step);
  double difference(bool jumps);
  void add_jump(const RunState& from, double h, const StepOutcome& step);

  Mechanics& mechanics_;
  Stepper& stepper_;
  SwitchSearch switches_;
  const Vector error_;    // (nq)
  const double longest_;  // 2 H, s
  const double tol_;      // of contact problems, relative to the largest velocity
  const double divisor_;
  StepControl control_;
  StepOutcome whole_, first_, second_;
  std::exception_ptr thrown_;
  bool interrupted_ = false;
  Vector off_, after_, before_, free_;  // (nq) scratch
};

}  // namespace nsmb
