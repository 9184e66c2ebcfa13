// Two convex polyhedra, optionally rounded: exact signed distance and contact points.
//
// The signed distance is the largest separation over the normals of faces and the common normals of
// two edges, where the nearest points lie within those features. For separated bodies, two vertices
// or a vertex and an edge may be nearest; the search of gjk.hpp finds these.
#pragma once

#include <vector>

#include "nsmb/geometry/manifold.hpp"

namespace nsmb {

struct PolyhedronScratch {
  std::vector<Vector3> second;  // vertices of the second polyhedron in the frame of the first
  std::vector<Index> edges_1, edges_2;
  std::vector<ShapeContact> faces;  // points of the best face, then those of the pair
  std::vector<ShapeContact> edge_points;
  ClipScratch clip;
};

/// A polyhedron and all points within `radius` of it.
struct RoundedPolyhedron {
  const Polyhedron* body = nullptr;
  double radius = 0.0;
};

/// Append the contact points with gaps up to `reach` in the frame of the first polyhedron; `pose`
/// is that of the second one in it.
void polyhedron_contacts(const RoundedPolyhedron& first, const RoundedPolyhedron& second,
                         const Placement& pose, double reach, PairHint* hint,
                         PolyhedronScratch& scratch, std::vector<ShapeContact>& out);

/// The point of the surface of a shape nearest to a given point, in the frame of the shape.
struct SurfacePlace {
  double distance = 0.0;  // m, negative inside
  Vector3 r = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ();  // outward
  Index feature = 0;
};

SurfacePlace nearest_place(const Polyhedron& body, const Vector3& point);

}  // namespace nsmb
