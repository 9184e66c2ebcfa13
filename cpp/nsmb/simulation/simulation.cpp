#include "nsmb/simulation/simulation.hpp"

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

constexpr const char* kOneThatCan = "a method that can, nsmb.EventDriven(...)";

}  // namespace

void Simulation::take_over(Simulation& /*before*/) {
  reject("take_over", kOneThatCan, "one that cannot go on with another system");
}

void Simulation::follow_derivative(std::vector<ParameterShift> /*shifts*/) {
  reject("sensitivity", kOneThatCan, "one that follows no derivative");
}

void Simulation::watch(std::vector<UserEvent> events) {
  if (!events.empty()) reject("events", kOneThatCan, "one that looks for none");
}

}  // namespace nsmb
