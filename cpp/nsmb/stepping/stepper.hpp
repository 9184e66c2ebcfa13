// One step by a scheme.
#pragma once

#include <memory>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/contact_table.hpp"
#include "nsmb/stepping/step_outcome.hpp"
#include "nsmb/stepping/time_stepping_options.hpp"

namespace nsmb {

class Stepper {
 public:
  virtual ~Stepper() = default;
  /// How long a step from there may be, at most h, for nothing to pass through anything on its way.
  virtual double longest(const RunState& /*from*/, double h) { return h; }
  /// From `from` on by h > 0; nothing but `outcome` and workspaces change. Throws std::domain_error
  /// where the system has no value.
  virtual void step(const RunState& from, double h, StepOutcome& outcome) = 0;
  /// The next step is one of another motion.
  virtual void forget() {}
  /// Contacts of shapes in the last step; nullptr: there are none but those of the description.
  virtual const FoundContacts* found() const { return nullptr; }
};

/// `mechanics` is that of the run: its span and inputs are those of the step.
std::unique_ptr<Stepper> make_stepper(Mechanics& mechanics, const TimeSteppingOptions& options);

}  // namespace nsmb
