// Functions used by both ArealMesh and ArealInstance.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "nsmb/geometry/placement.hpp"
#include "nsmb/geometry/tolerances.hpp"
#include "nsmb/geometry/triangle_topology.hpp"

namespace nsmb {

/// Return the unit normal of a triangle.
Vector3 triangle_normal(const TriangleTopology& topology, const std::vector<Vector3>& places,
                        Index k);

/// Return the vector from the inner vertex of v to v, per unit of depth. Inner vertices are at that
/// depth below the adjacent triangles. This is exact where these lie in at most three planes
/// equally inclined to the mean normal, and holds in the mean elsewhere. `normal(k)` returns the
/// normal of a triangle.
template <class Normal>
Vector3 mitre(const TriangleTopology& topology, const std::vector<Vector3>& places, Index v,
              const Normal& normal) {
  const Index begin = topology.around_begin()[at(v)], end = topology.around_begin()[at(v) + 1];
  // Along the mean m of the normals n weighted by angles: s m with nᵀ s m = 1 in the least-squares
  // sense.
  const auto angle = [&](Index k) {
    const TriangleTopology::Triangle& corners = topology.triangles()[at(k)];
    std::size_t i = 0;
    while (corners[i] != v) ++i;
    const Vector3 a = places[at(corners[(i + 1) % 3])] - places[at(v)];
    const Vector3 b = places[at(corners[(i + 2) % 3])] - places[at(v)];
    return std::atan2(a.cross(b).norm(), a.dot(b));
  };
  Vector3 mean = Vector3::Zero();
  for (Index j = begin; j < end; ++j) {
    const Index k = topology.around()[at(j)];
    mean += angle(k) * normal(k);
  }
  mean.normalize();
  double first = 0.0, second = 0.0;
  for (Index j = begin; j < end; ++j) {
    const Index k = topology.around()[at(j)];
    const double cosine = mean.dot(normal(k)), weight = angle(k);
    first += weight * cosine;
    second += weight * cosine * cosine;
  }
  const double longest = tolerances::areal::kLongestMitre;
  return (first < longest * second ? std::max(first / second, 0.0) : longest) * mean;
}

/// Return the vertices of a triangle in the order of their numbers, which its tetrahedra follow.
TriangleTopology::Triangle ordered(TriangleTopology::Triangle triangle, bool& turned);

}  // namespace nsmb
