// Inputs of a run, and functions of the user that may say something else than they did when the run
// was last left.
#pragma once

#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

class RunInputs {
 public:
  explicit RunInputs(const System& system);

  /// Throws std::invalid_argument for others than ni numbers.
  void set(const System& system, const ConstVectorRef& values);
  /// (ni) so far, and from the present on.
  const Vector& values() const { return values_; }
  const Vector& next() const { return next_; }
  bool differ() const { return next_ != values_; }
  void take() { values_ = next_; }

  /// Integrators go on with slopes they have taken before: what these are where a run is left.
  void hold(Phase& phase, const RunState& state);
  void drop() { holds_ = false; }
  /// Are they others where it goes on?
  bool have_changed(Phase& phase, const RunState& state);

 private:
  Vector values_, next_;
  bool holds_ = false;
  Vector held_rate_, rate_;  // ẏ where the run was left, and where it goes on
  Observation held_, here_;
};

}  // namespace nsmb
