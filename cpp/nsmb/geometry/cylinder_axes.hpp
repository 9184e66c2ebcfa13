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

/// The direction across two others, to rounding across both also where these are nearly parallel.
Vector3 across_both(const Vector3& a, const Vector3& b);

/// A direction from one body to the other, and the place of a rim that touches along it: where a
/// cap is nearly flat on something its place has more digits than the direction tells.
struct RimDirection {
  Vector3 n, place;
  bool is_first = true;  // the rim is of the first body
};

/// n of the largest nᵀ(a - p) over directions across the line through a along e, p the place of one
/// rim furthest along n. Appends one direction for each local maximum.
void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<Vector3>& found);
void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<RimDirection>& found);

/// Directions, or their opposites, across both rims where these are nearest to each other, for each
/// local minimum. `end` is 1 or -1 for the rim of each.
void rim_rim_directions(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                        double end_2, std::vector<RimDirection>& found);

/// Improve n for two rims by Newton's method on the sphere.
Vector3 rim_rim_direction(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                          double end_2, Vector3 n);

}  // namespace nsmb
