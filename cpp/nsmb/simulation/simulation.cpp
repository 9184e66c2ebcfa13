#include "nsmb/simulation/simulation.hpp"

#include "nsmb/core/check.hpp"

namespace nsmb {

void Simulation::follow_derivative(std::vector<ParameterShift> /*shifts*/) {
  reject("sensitivity", "a method that can, nsmb.EventDriven(...)",
         "one that follows no derivative");
}

void Simulation::check_goes_on(const Simulation& other) const {
  if (&other.system_ != &system_) reject("copy", "a run of the same system", "one of another");
  // After an exception, the instant under way is still to come, and is not copied.
  if (!is_final(other.status()) && other.status() != SimulationStatus::SystemError) return;
  reject("copy", "a run that can go on",
         "one that ended with " + std::string(to_text(other.status())));
}

void Simulation::check_not_begun(const char* argument) const {
  if (run_->has_begun()) reject(argument, "a run that has not begun; call reset", "one that has");
}

}  // namespace nsmb
