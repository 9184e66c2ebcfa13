#include "nsmb/simulation/motion.hpp"

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

constexpr const char* kOneThatCan = "a method that can, nsmb.EventDriven(...)";

}  // namespace

void Motion::take_over(Motion& /*before*/) {
  reject("take_over", kOneThatCan, "one that cannot go on with another system");
}

void Motion::follow_derivative(std::vector<ParameterShift> /*shifts*/) {
  reject("sensitivity", kOneThatCan, "one that follows no derivative");
}

void Motion::watch(std::vector<UserEvent> events) {
  if (!events.empty()) reject("events", kOneThatCan, "one that looks for none");
}

}  // namespace nsmb
