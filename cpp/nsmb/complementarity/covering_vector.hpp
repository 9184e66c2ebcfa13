// Directions along which pivoting paths start, tried in turn when a path fails.
#pragma once

#include <cmath>

#include "nsmb/core/types.hpp"

namespace nsmb::internal {

/// Return entry i of the k-th covering vector: ones, then points of the golden-ratio sequence
/// spread over [1/8, 8], which differ in every entry and from one vector to the next.
inline double covering_entry(int k, Index i) {
  if (k == 0) return 1.0;
  constexpr double kGolden = 0.6180339887498949;
  const double turn = kGolden * static_cast<double>(k) * static_cast<double>(i + k);
  return std::exp2(6.0 * (turn - std::floor(turn)) - 3.0);
}

}  // namespace nsmb::internal
