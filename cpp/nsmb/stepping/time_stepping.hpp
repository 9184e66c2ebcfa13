// Time stepping: contacts on velocity level, any number of them at once.
#pragma once

#include "nsmb/simulation/simulation.hpp"
#include "nsmb/stepping/stepping_run.hpp"

namespace nsmb {

/// A simulation in time steps.
class TimeStepping final : public Simulation {
 public:
  /// Throw std::invalid_argument for options out of range. `system` must outlive this object.
  TimeStepping(const System& system, const TimeSteppingOptions& options);

  void set_inputs(const ConstVectorRef& values) override { steps_.set_inputs(values); }
  Vector inputs() const override { return steps_.inputs(); }
  void take_over(Simulation& before) override;
  void begin_as(Simulation& other) override;
  void watch(std::vector<UserEvent> events) override;

 private:
  SteppingRun& run_of(Simulation& other, const char* what) const;

  SteppingRun& steps_;  // the run of the base class, with its own type
};

}  // namespace nsmb
