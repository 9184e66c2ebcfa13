// One step by a scheme.
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
  /// How long a step from there may be, at most h, for nothing to pass through anything on its way.
  virtual double longest(const RunState& /*from*/, double h) { return h; }
  /// From `from` on by h > 0; nothing but `outcome`, what is remembered, and workspaces change.
  /// Throws std::domain_error where the system has no value.
  virtual void step(const RunState& from, double h, StepOutcome& outcome) = 0;
  /// The next step is one of another motion.
  virtual void forget() {}
  /// Contacts of shapes in the last step; nullptr: there are none but those of the description.
  virtual const FoundContacts* found() const { return nullptr; }
  /// How deep contacts that the last step has not asked are passed at its end, m.
  virtual double passed(const RunState& end) = 0;
  /// Long solves ask it some twenty times a second; false: the step is not wanted any more.
  virtual void watch(std::function<bool()> /*keep_going*/) {}
  /// As `other`, a stepper of the same scheme and system, does.
  virtual void remember_as(const Stepper& other) = 0;
  // Where steps are tried: all that is remembered from one step to the next is kept, and is again
  // as it was then.
  virtual void keep() {}
  virtual void go_back() {}
};

/// `mechanics` is that of the run: its span and inputs are those of the step.
std::unique_ptr<Stepper> make_stepper(Mechanics& mechanics, const TimeSteppingOptions& options);

}  // namespace nsmb
