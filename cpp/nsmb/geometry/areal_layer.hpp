// Parts of ArealMesh and ArealInstance that both need.
#pragma once

#include <vector>

#include "nsmb/geometry/placement.hpp"
#include "nsmb/geometry/triangle_topology.hpp"

namespace nsmb {

/// Unit normals of the triangles.
void triangle_normals(const TriangleTopology& topology, const std::vector<Vector3>& places,
                      std::vector<Vector3>& normals);

/// The vertices moved inwards, so that they are `depths` below the triangles around them: exactly
/// where these lie in three planes at most that are alike, and in the mean elsewhere.
void inner_vertices(const TriangleTopology& topology, const std::vector<Vector3>& places,
                    const std::vector<Vector3>& normals, const std::vector<double>& depths,
                    std::vector<Vector3>& inner);

/// The vertices of a triangle in the order of their numbers, which its tetrahedra follow.
TriangleTopology::Triangle ordered(TriangleTopology::Triangle triangle, bool& turned);

}  // namespace nsmb
