#include "nsmb/stepping/time_stepping.hpp"

#include "nsmb/stepping/hybrid_run.hpp"

namespace nsmb {

namespace {

std::unique_ptr<Run> make_run(const System& system, const TimeSteppingOptions& options) {
  if (options.scheme == SteppingScheme::Hybrid) return std::make_unique<HybridRun>(system, options);
  return std::make_unique<SteppingRun>(system, options);
}

}  // namespace

TimeStepping::TimeStepping(const System& system, const TimeSteppingOptions& options)
    : Simulation(system, make_run(system, options)), steps_(static_cast<SteppingRun&>(*run_)) {}

}  // namespace nsmb
