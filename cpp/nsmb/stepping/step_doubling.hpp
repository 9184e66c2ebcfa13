// Two steps beside one over both, and what that says of their error.
#pragma once

#include <exception>

#include "nsmb/stepping/step_control.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

/// Error of the coordinates over what is allowed within two longest steps, 2 H. Without jumps
///
///   e = (|q_2 - q_1| + 2 H |B (u_2 - u_1)|) / (2^p - 1)
///
/// with q_2, u_2 behind two steps of length h, q_1, u_1 behind one of 2 h: a velocity that is wrong
/// is so from then on. Where something strikes, its time
/// is known to the step, and the coordinates to e = h |B (u_+ - u_-)|, or with u_F, without the
/// impulses of contacts, for u_-: the smaller one, as rest and free flight are no jumps. Where q_2
/// and q_1 have the impact at the same time, their difference tells nothing of it.
class StepDoubling {
 public:
  StepDoubling(Mechanics& mechanics, Stepper& stepper, const TimeSteppingOptions& options);

  bool is_used() const { return error_.size() > 0; }
  StepControl& control() { return control_; }
  /// Two steps of length h from there.
  StepTrial attempt(const RunState& from, double h);
  /// The last attempt is given up: nothing of it is remembered.
  void withdraw() { stepper_.go_back(); }
  /// The step of the last attempt that has no finite values; nullptr: both have. Throws what the
  /// system has thrown there.
  const StepOutcome* not_finite() const;
  /// The last attempt was not wanted any more.
  bool was_interrupted() const { return interrupted_; }
  StepOutcome& first() { return first_; }
  StepOutcome& second() { return second_; }
  /// Problems of contacts that were solved beside those of the two steps.
  long problems_besides() const { return whole_.problems; }

 private:
  bool try_step(const RunState& from, double h, StepOutcome& step);
  double difference(bool jumps);
  void add_jump(const RunState& from, double h, const StepOutcome& step);

  Mechanics& mechanics_;
  Stepper& stepper_;
  const Vector error_;    // (nq)
  const double longest_;  // 2 H, s
  const double tol_;      // of contact problems, part of the largest velocity
  const double divisor_;
  StepControl control_;
  StepOutcome whole_, first_, second_;
  std::exception_ptr thrown_;
  bool interrupted_ = false;
  Vector off_, behind_, before_, free_;  // (nq) scratch
};

}  // namespace nsmb
