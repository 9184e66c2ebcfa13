// One feature of a shape as a surface of its own, with the places to which it is the nearest one.
#pragma once

#include <vector>

#include "nsmb/geometry/surface_point.hpp"

namespace nsmb {

/// What is nearest to the feature lies in front of it: normalᵀ (x - r) >= 0.
struct CellWall {
  Vector3 r = Vector3::Zero();       // m
  Vector3 normal = Vector3::Zero();  // unit
};

/// Positive where both are, with the slope of the smaller one where that vanishes, and smooth but
/// where both do: a + b - √(a² + b²) of two distances.
double within_both(double a, double b);

/// In the frame of its shape.
struct Feature {
  Surface surface;
  /// Where the skeleton ends: of a face at its edges, of an edge at its corners.
  std::vector<CellWall> ends;
  /// Beyond these a face beside an edge, or an edge at a corner, is nearer.
  std::vector<CellWall> sides;
  double disc = kInfinity;  // m, radius of a plane that ends around its place
  /// m, of a point of a rim, on the axis surface.e, that stands for the rim where it lies flat.
  double foot = 0.0;

  /// m, from the foot of x, both in the frame of the shape, to the ends, by within_both; negative:
  /// beyond.
  double within_ends(const Vector3& x) const;
  /// The same of the cell: also how far x is from where another feature is nearer.
  double within_cell(const Vector3& x) const;
  /// m, behind the wall of the ends, or of the cell, that x is furthest behind; 0: behind none.
  double behind_ends(const Vector3& x) const;
  double behind_cell(const Vector3& x) const;
  /// Return how far the feature is from the end of its validity on a plane with this normal, in m.
  /// A rim is valid while it does not stand on its feet, and its feet while it does. The result is
  /// infinite for other features.
  double within_lean(const Vector3& n) const;
  /// Of a direction out of it, in the frame of the shape: sine of the angle by which it leads into
  /// one of its sides; negative: into none.
  double lean(const Vector3& n) const;
};

/// Return true if a rim that leans over a plane by an angle with this sine stands on its feet.
bool stands_on_feet(double sine);

/// Whether contacts of these shapes may be listed by features. Cylinders touch half-spaces and
/// spheres in this way.
bool has_feature_pairs(ShapeKind kind_1, ShapeKind kind_2);

/// `number` is one of the shape. Vectors of `feature` keep their storage.
void get_feature(const Shape& shape, Index number, Feature& feature);

/// Numbers of the features that something within `box`, in the frame of the shape, may be near to,
/// and that can be touched; always in the same order.
void collect_features(const Shape& shape, const Bounds& box, std::vector<Index>& found);

}  // namespace nsmb
