// A function of the system that has no finite value at a state.
#pragma once

#include <stdexcept>
#include <string_view>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Thrown by a function that has no finite value at a state. A trial step that leads there is
/// rejected and repeated shorter. A run that cannot avoid the state ends with a status, a start at
/// it is misuse.
class NoValue : public std::domain_error {
 public:
  using std::domain_error::domain_error;
};

/// Throw NoValue with the message of check_finite() unless all numbers that `function` has returned
/// are finite.
void check_value(std::string_view function, const ConstMatrixRef& value);

}  // namespace nsmb
