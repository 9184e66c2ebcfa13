#include "nsmb/stepping/time_stepping.hpp"

#include <typeinfo>

#include "nsmb/core/check.hpp"
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

SteppingRun& TimeStepping::run_of(Simulation& other, const char* what) const {
  auto* run = dynamic_cast<TimeStepping*>(&other);
  if (!run || typeid(steps_) != typeid(run->steps_)) {
    reject(what, "a run of the same method", "a run of another method");
  }
  return run->steps_;
}

void TimeStepping::take_over(Simulation& before) { steps_.take_over(run_of(before, "take_over")); }

void TimeStepping::begin_as(Simulation& other) {
  check_goes_on(other);
  steps_.begin_as(run_of(other, "copy"));
}

void TimeStepping::watch(std::vector<UserEvent> events) {
  check_not_begun("watch");
  steps_.watch(std::move(events));
}

}  // namespace nsmb
