// The interface System and systems given by equations.
// How they are written and tested: CONTRIBUTING.md.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Times at which a right-hand side jumps.
namespace discontinuities {

/// [of the time] Rounding of a time and of the function that switches there: 8 ulps.
/// Test: none yet.
inline constexpr double kJumpWidth = 8.0 * std::numeric_limits<double>::epsilon();

/// [s] Beside t = 0, where a part of the time is none.
/// Test: none yet.
inline constexpr double kSmallestWidth = 1e-300;

}  // namespace discontinuities

}  // namespace nsmb::tolerances
