// One step of a scheme.
#pragma once

#include <functional>
#include <memory>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/step_outcome.hpp"
#include "nsmb/stepping/time_stepping_options.hpp"

namespace nsmb {

class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Return the longest safe step from `from`, at most h, in which nothing passes through anything.
  virtual double longest(const RunState& /*from*/, double h) { return h; }
  /// Step from `from` by h > 0. Only `outcome`, stored data and workspaces change. Throw
  /// std::domain_error if the system has no value.
  virtual void step(const RunState& from, double h, StepOutcome& outcome) = 0;
  /// Forget the last step, as the next one belongs to another motion.
  virtual void forget() {}
  /// Contacts between shapes in the last step, or nullptr if all contacts are listed in the
  /// description.
  virtual const FoundContacts* found() const { return nullptr; }
  /// Return the largest penetration in m, at the end of the last step, of contacts that took no
  /// part in it.
  virtual double passed(const RunState& end) = 0;
  /// Set a function that long solves call about twenty times a second. If it returns false, the
  /// step is interrupted.
  virtual void watch(std::function<bool()> /*keep_going*/) {}
  /// Take over the stored data of `other`, a stepper of the same scheme and system.
  virtual void remember_as(const Stepper& other) = 0;
  // Save all data stored from step to step, and restore them, around trial steps.
  virtual void keep() {}
  virtual void go_back() {}
};

/// Return a stepper. `mechanics` belongs to the run, with the time span and the inputs of the step.
std::unique_ptr<Stepper> make_stepper(Mechanics& mechanics, const TimeSteppingOptions& options);

}  // namespace nsmb
