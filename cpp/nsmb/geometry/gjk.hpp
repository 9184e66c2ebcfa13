// Nearest points of two separated convex hulls by the Gilbert-Johnson-Keerthi algorithm: it finds
// the vertices that carry them, and the points by solving with those alone.
#pragma once

#include <array>
#include <vector>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

struct NearestPlaces {
  double distance = 0.0;  // m; zero when the hulls meet
  Vector3 p = Vector3::Zero(), q = Vector3::Zero();
  Index count = 0;  // vertices that carry the points, one pair each; some may be repeated
  std::array<Index, 4> first{}, second{};
};

/// Find the nearest points. `start` is a non-zero direction from the first hull to the second one.
NearestPlaces nearest_places(const std::vector<Vector3>& first, const std::vector<Vector3>& second,
                             const Vector3& start);

}  // namespace nsmb
