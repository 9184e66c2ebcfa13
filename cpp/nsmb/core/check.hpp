// Argument checks: every failure names the argument, what was expected and what came.
#pragma once

#include <string>
#include <string_view>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Throw std::invalid_argument "`argument`: expected <expected>, got <actual>".
[[noreturn]] void reject(std::string_view argument, std::string_view expected,
                         std::string_view actual);

/// A number as a message shows it: shortest form that reads back unchanged.
std::string to_text(double value);
std::string shape_text(Index rows, Index cols);

void check_size(std::string_view argument, const ConstVectorRef& value, Index size);
void check_shape(std::string_view argument, const ConstMatrixRef& value, Index rows, Index cols);
void check_finite(std::string_view argument, const ConstMatrixRef& value);
void check_finite(std::string_view argument, double value);
/// lower <= value <= upper, and not NaN.
void check_range(std::string_view argument, double value, double lower, double upper);
/// value > 0, and not NaN.
void check_positive(std::string_view argument, double value);
/// Symmetric and positive definite, to rounding.
void check_mass_matrix(std::string_view argument, const ConstMatrixRef& M);

}  // namespace nsmb
