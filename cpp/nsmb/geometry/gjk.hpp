// Nearest places of two convex hulls that are apart, by the algorithm of Gilbert, Johnson and
// Keerthi: which vertices carry them, and the places by a solve with those alone.
#pragma once

#include <array>
#include <vector>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

struct NearestPlaces {
  double distance = 0.0;  // m; zero when the hulls meet
  Vector3 p = Vector3::Zero(), q = Vector3::Zero();
  Index count = 0;  // vertices that carry the places, one pair each; some may be repeated
  std::array<Index, 4> first{}, second{};
};

/// `start` is a direction from the first hull to the second one, of any length but zero.
NearestPlaces nearest_places(const std::vector<Vector3>& first, const std::vector<Vector3>& second,
                             const Vector3& start);

}  // namespace nsmb
