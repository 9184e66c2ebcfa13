// The exception for functions of the system that have no finite value at a state.
#pragma once

#include <stdexcept>
#include <string_view>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Thrown by a function that has no finite value at a state. A trial step to such a state is
/// rejected and repeated with a shorter step size. A run that cannot avoid the state ends with a
/// status. A start at such a state is an error of use.
class NoValue : public std::domain_error {
 public:
  using std::domain_error::domain_error;
};

/// Throw NoValue with the message of check_finite() unless all numbers returned by `function` are
/// finite.
void check_value(std::string_view function, const ConstMatrixRef& value);

}  // namespace nsmb
