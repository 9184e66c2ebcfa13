// One feature of a shape as a surface of its own, with the region that is nearest to it.
#pragma once

#include <vector>

#include "nsmb/geometry/surface_point.hpp"

namespace nsmb {

/// Points nearest to the feature lie in front of the wall: normalᵀ (x - r) >= 0.
struct CellWall {
  Vector3 r = Vector3::Zero();       // m
  Vector3 normal = Vector3::Zero();  // unit
};

/// Return a + b - √(a² + b²) of two distances: positive where both are, with the slope of the
/// smaller one where that vanishes, and smooth except where both vanish.
double within_both(double a, double b);

/// A feature in the frame of its shape.
struct Feature {
  Surface surface;
  /// Ends of the skeleton: of a face at its edges, of an edge at its corners.
  std::vector<CellWall> ends;
  /// Walls beyond which a face beside an edge, or an edge at a corner, is nearer.
  std::vector<CellWall> sides;
  double disc = kInfinity;  // m, radius of a plane that ends around its point
  double foot = 0.0;        // m, radius of the rim that the point stands for where it lies flat

  /// Return the distance from the foot of x to the ends, by within_both, in m; negative beyond
  /// them. x is given in the frame of the shape.
  double within_ends(const Vector3& x) const;
  /// Return the same for the cell, including the distance of x from points where another feature is
  /// nearer.
  double within_cell(const Vector3& x) const;
  /// Return the largest distance of x behind a wall of the ends, or of the cell, in m; 0 if it is
  /// behind none.
  double behind_ends(const Vector3& x) const;
  double behind_cell(const Vector3& x) const;
  /// Return how far the feature is from the end of its validity on a plane with this normal, in m.
  /// A rim is valid while it does not stand on its feet, and its feet while it does. The result is
  /// infinite for other features.
  double within_lean(const Vector3& n) const;
  /// Return, for a direction out of the feature in the frame of the shape, the sine of the angle by
  /// which it leads into one of its sides; negative if it leads into none.
  double lean(const Vector3& n) const;
};

/// Return true if a rim that leans over a plane by an angle with this sine stands on its feet.
bool stands_on_feet(double sine);

/// Return true if contacts of these shapes may be listed by features. Cylinders support this
/// against half-spaces and spheres.
bool has_feature_pairs(ShapeKind kind_1, ShapeKind kind_2);

/// Get a feature of the shape by a valid `number`. Vectors of `feature` keep their storage.
void get_feature(const Shape& shape, Index number, Feature& feature);

/// Collect the numbers of the features near `box`, in the frame of the shape, that can be touched;
/// always in the same order.
void collect_features(const Shape& shape, const Bounds& box, std::vector<Index>& found);

}  // namespace nsmb
