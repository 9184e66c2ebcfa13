// Inputs of a run, and functions of the user that may have changed since the run was last left.
#pragma once

#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

class RunInputs {
 public:
  explicit RunInputs(const System& system);

  /// Set the next inputs. Throws std::invalid_argument unless there are ni finite numbers.
  void set(const System& system, const ConstVectorRef& values);
  /// The inputs (ni) so far, and those from the current time on.
  const Vector& values() const { return values_; }
  const Vector& next() const { return next_; }
  bool differ() const { return next_ != values_; }
  void take() { values_ = next_; }

  /// Store the slopes where the run is left, since integrators continue with earlier slopes.
  void hold(Phase& phase, const RunState& state);
  void drop() { holds_ = false; }
  /// Return true if the slopes differ where the run continues.
  bool have_changed(Phase& phase, const RunState& state);

 private:
  Vector values_, next_;
  bool holds_ = false;
  Vector held_rate_, rate_;  // ẏ where the run was left, and where it continues
  Observation held_, here_;
};

}  // namespace nsmb
