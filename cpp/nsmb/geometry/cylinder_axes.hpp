// Directions along which the gap of a cylinder and another body is largest.
#pragma once

#include <vector>

#include "nsmb/geometry/placement.hpp"
#include "nsmb/geometry/round_shapes.hpp"

namespace nsmb {

/// A cylinder as its rims: centre, axis, radius, half the length.
struct PlacedCylinder {
  /// Return max nᵀ p.
  double support(const Vector3& n) const;
  /// Return the point of the surface furthest along n, or the middle of equally distant points.
  Vector3 furthest(const Vector3& n) const;
  Vector3 across(const Vector3& n) const { return n - axis.dot(n) * axis; }

  Vector3 center = Vector3::Zero(), axis = Vector3::UnitZ();
  double radius = 0.0, half = 0.0;
};

/// Return the direction perpendicular to two others, accurate to rounding even if these are nearly
/// parallel.
Vector3 across_both(const Vector3& a, const Vector3& b);

/// A direction from one body to the other, and the point of a rim that touches along it. Where a
/// cap lies nearly flat, the point is more accurate than the direction.
struct RimDirection {
  Vector3 n, place;
  bool is_first = true;  // the rim is of the first body
};

/// Find n of the largest nᵀ(a - p) over directions perpendicular to the line through a along e, p
/// the point of one rim furthest along n. Appends one direction for each local maximum.
void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<Vector3>& found);
void rim_line_directions(const PlacedCylinder& c, double end, const Vector3& a, const Vector3& e,
                         std::vector<RimDirection>& found);

/// Find directions, or their opposites, perpendicular to both rims where these are nearest to each
/// other, for each local minimum. `end` is 1 or -1 for the rim of each.
void rim_rim_directions(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                        double end_2, std::vector<RimDirection>& found);

/// Improve n for two rims by Newton's method on the sphere.
Vector3 rim_rim_direction(const PlacedCylinder& first, double end_1, const PlacedCylinder& second,
                          double end_2, Vector3 n);

}  // namespace nsmb
