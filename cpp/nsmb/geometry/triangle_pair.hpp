// Where the edges of two triangles pierce each other.
#pragma once

#include <array>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

/// Corners in counter-clockwise order with the numbers of their vertices, which decide in which
/// order signs are computed: two triangles that share an edge agree on which of them a line through
/// it pierces.
struct NumberedTriangle {
  std::array<Index, 3> vertex{};
  std::array<Vector3, 3> corner;
  Vector3 normal = Vector3::UnitZ();  // of any length

  /// Positive on the outer side.
  double height(const Vector3& p) const { return normal.dot(p - corner[0]); }
};

/// Where an edge passes through a triangle.
struct Piercing {
  Index edge = -1, triangle = -1;
  double share = 0.0;   // of the way from the vertex of the lower number to the other one
  bool leaves = false;  // on this way, from the inner side of the triangle to the outer one
  Vector3 point = Vector3::Zero();
};

/// `from` and `to`: the ends of the edge, that of the lower number first, and their heights over
/// the triangle; zero counts as positive.
bool pierces(const Vector3& from, const Vector3& to, double height_from, double height_to,
             const NumberedTriangle& triangle, Piercing& found);

/// Whether they intersect, with more than `least` [m] of an edge's ends on either side. Triangles
/// with one vertex in common do if the edge opposite to it of one pierces the other one; those with
/// an edge in common do not. Normals must have length 1.
bool intersect(const NumberedTriangle& a, const NumberedTriangle& b, double least);

}  // namespace nsmb
