#include "nsmb/complementarity/friction_cone.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nsmb::internal {

double set_size(const ConeSet& set, const double* z) {
  if (set.dim == 1) return std::abs(z[set.first]);
  return std::sqrt(z[set.first] * z[set.first] + z[set.first + 1] * z[set.first + 1]);
}

bool project_cone(const ConeSet* sets, Index count, double* z) {
  std::array<double, 3> size{};
  std::array<bool, 3> outside{};
  double weighted = z[0];
  double slope = 1.0;
  for (Index k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(k);
    size[i] = set_size(sets[k], z);
    outside[i] = true;
    weighted += sets[k].mu * size[i];
    slope += sets[k].mu * sets[k].mu;
  }
  if (!(weighted > 0.0)) {
    z[0] = 0.0;
    for (Index k = 0; k < count; ++k) std::fill_n(z + sets[k].first, sets[k].dim, 0.0);
    return false;
  }
  // With all sets on their rims x_N is too small. Sets that are inside even then are removed from
  // the sum.
  double x_N = weighted / slope;
  for (bool changed = true; changed;) {
    changed = false;
    for (Index k = 0; k < count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (!outside[i] || size[i] > sets[k].mu * x_N) continue;
      outside[i] = false;
      changed = true;
      weighted -= sets[k].mu * size[i];
      slope -= sets[k].mu * sets[k].mu;
    }
    if (changed) x_N = weighted / slope;
  }
  bool inside = true;
  for (Index k = 0; k < count; ++k) {
    if (!outside[static_cast<std::size_t>(k)]) continue;
    inside = false;
    const double shrink = sets[k].mu * x_N / size[static_cast<std::size_t>(k)];
    for (Index q = 0; q < sets[k].dim; ++q) z[sets[k].first + q] *= shrink;
  }
  if (!inside) z[0] = x_N;
  return inside;
}

}  // namespace nsmb::internal
