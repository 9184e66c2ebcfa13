// Thresholds of the interface System, and of systems given by equations. CONTRIBUTING.md describes
// their form and their tests.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Times of jumps of a right-hand side.
namespace discontinuities {

/// [of the time] Rounding of a time and of the function that switches there: 8 ulps.
/// Test: none yet.
inline constexpr double kJumpWidth = 8.0 * std::numeric_limits<double>::epsilon();

/// [s] Width at t = 0, where a fraction of the time vanishes.
/// Test: none yet.
inline constexpr double kSmallestWidth = 1e-300;

}  // namespace discontinuities

}  // namespace nsmb::tolerances
