// Argument checks. Every failure names the argument, the requirement and the value received.
#pragma once

#include <string>
#include <string_view>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Throw std::invalid_argument "`argument`: expected <expected>, got <actual>".
[[noreturn]] void reject(std::string_view argument, std::string_view expected,
                         std::string_view actual);

/// Format a number as in messages: the shortest form that reads back unchanged.
std::string to_text(double value);
std::string shape_text(Index rows, Index cols);

void check_size(std::string_view argument, const ConstVectorRef& value, Index size);
void check_shape(std::string_view argument, const ConstMatrixRef& value, Index rows, Index cols);
void check_finite(std::string_view argument, const ConstMatrixRef& value);
void check_finite(std::string_view argument, double value);
/// Require lower <= value <= upper, and not NaN.
void check_range(std::string_view argument, double value, double lower, double upper);
/// Require value > 0, and not NaN.
void check_positive(std::string_view argument, double value);
/// Require a symmetric and positive definite matrix, to rounding.
void check_mass_matrix(std::string_view argument, const ConstMatrixRef& M);

}  // namespace nsmb
