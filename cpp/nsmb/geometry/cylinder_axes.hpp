// Directions along which a cylinder and another body are furthest apart.
#pragma once

#include <vector>

#include "nsmb/geometry/placement.hpp"
#include "nsmb/geometry/round_shapes.hpp"

namespace nsmb {

/// A cylinder as its rims: centre, axis, radius, half the length.
struct PlacedCylinder {
  /// max nᵀ p
  double support(const Vector3& n) const;
  /// The place of the surface furthest along n; the middle of what is equally far.
  Vector3 furthest(const Vector3& n) const;
  Vector3 across(const Vector3& n) const { return n - axis.dot(n) * axis; }

  Vector3 center = Vector3::Zero(), axis = Vector3::UnitZ();
  double radius = 0.0, half = 0.0;
};

/// n of the largest nᵀ(a - p) over directions across the line through a along e, p the place of one
/// rim furthest along n. Appends one direction for each local maximum.
void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<Vector3>& found);

/// Improve n for two rims by Newton's method on the sphere; `end` is 1 or -1 for the rim of each.
Vector3 rim_rim_direction(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                          double end_2, Vector3 n);

}  // namespace nsmb
