// Piercings of the edges of two triangles.
#pragma once

#include <array>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

/// Corners in counter-clockwise order with the numbers of their vertices, which determine the order
/// in which signs are computed. Two triangles that share an edge thus agree on which of them a line
/// through it pierces.
struct NumberedTriangle {
  std::array<Index, 3> vertex{};
  std::array<Vector3, 3> corner;
  Vector3 normal = Vector3::UnitZ();  // of any length

  /// Return the height over the triangle, positive on the outer side.
  double height(const Vector3& p) const { return normal.dot(p - corner[0]); }
};

/// A point at which an edge passes through a triangle.
struct Piercing {
  Index edge = -1, triangle = -1;
  double share = 0.0;   // relative position on the edge, from the vertex of the lower number
  bool leaves = false;  // in this direction, from the inner side of the triangle to the outer one
  Vector3 point = Vector3::Zero();
};

/// Return true if an edge pierces a triangle. `from` and `to`: the ends of the edge, that of the
/// lower number first, and their heights over the triangle; zero counts as positive.
bool pierces(const Vector3& from, const Vector3& to, double height_from, double height_to,
             const NumberedTriangle& triangle, Piercing& found);

/// Return true if the triangles intersect, with more than `least` [m] of an edge's ends on either
/// side. Triangles with one common vertex intersect if the opposite edge of one pierces the other
/// one. Triangles with a common edge do not. Normals must have length 1.
bool intersect(const NumberedTriangle& a, const NumberedTriangle& b, double least);

}  // namespace nsmb
