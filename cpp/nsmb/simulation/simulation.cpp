#include "nsmb/simulation/simulation.hpp"

#include "nsmb/core/check.hpp"

namespace nsmb {

void Simulation::follow_derivative(std::vector<ParameterShift> /*shifts*/) {
  reject("sensitivity", "a method that supports derivatives, such as nsmb.EventDriven",
         "a method without derivatives");
}

void Simulation::check_goes_on(const Simulation& other) const {
  if (&other.system_ != &system_)
    reject("copy", "a run of the same system", "a run of another system");
  // After an exception, the instant under way is still to come, and is not copied.
  if (!is_final(other.status()) && other.status() != SimulationStatus::SystemError) return;
  reject("copy", "a run that can be continued",
         "a run that ended with " + std::string(to_text(other.status())));
}

void Simulation::check_not_begun(const char* argument) const {
  if (run_->has_begun())
    reject(argument, "a run that has not started", "a run that has started. Call reset() first.");
}

}  // namespace nsmb
