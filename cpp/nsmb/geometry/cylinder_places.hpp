// Contact points of a cylinder along a given direction.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/geometry/cylinder_axes.hpp"
#include "nsmb/geometry/shape_contact.hpp"

namespace nsmb {

/// Direction with the largest gap so far.
template <class Gap>
class BestDirection {
 public:
  explicit BestDirection(const Gap& of) : gap_(of) {}
  /// Take the direction if its gap is larger, and larger than `least`. Return true if it was taken.
  bool add(const Vector3& direction, double least = -std::numeric_limits<double>::infinity()) {
    const double length = direction.norm();
    if (!(length > 0.0)) return false;
    const Vector3 m = direction / length;
    const double g = gap_(m);
    if (!(g > gap) || !(g > least)) return false;
    gap = g;
    n = m;
    return true;
  }
  void add_both(const Vector3& direction) {
    add(direction);
    add(-direction);
  }
  /// Take a unit vector whose gap is not smaller, except for rounding.
  void replace(const Vector3& direction, double roundings) {
    const double g = gap_(direction);
    if (!(g > gap - roundings)) return;
    gap = g;
    n = direction;
  }

  double gap = -std::numeric_limits<double>::infinity();
  Vector3 n = Vector3::UnitZ();

 private:
  const Gap& gap_;
};

PlacedCylinder placed(const CylinderShape& c, const Placement& pose);

/// Return the feature of a cylinder that is furthest along n.
Index feature_along(const PlacedCylinder& c, const Vector3& n);

bool is_rim(Index feature);

/// Return true if neither a cap nor the side is flat on the plane perpendicular to n.
bool is_tilted(const PlacedCylinder& c, const Vector3& n);

/// Return the distance along the line through b with direction e, from b to the point nearest to
/// the axis of c.
double foot_at_axis(const PlacedCylinder& c, const Vector3& b, const Vector3& e);

/// Return the point of an edge nearest to the axis, restricted to points next to the cylinder, not
/// beyond its ends.
Vector3 place_beside(const PlacedCylinder& c, const Vector3& tail, const Vector3& head);

/// Add points of a cap around its rim, in steps of a quarter from the one furthest along n.
void add_rest_places(const PlacedCylinder& c, const Vector3& n, double end,
                     std::vector<Vector3>& places);

void add_once(const ShapeContact& c, std::vector<ShapeContact>& points);

/// Return true if a point with the least possible gap is among those that lie flat.
bool holds(const std::vector<ShapeContact>& points, double gap, double size);

/// Assign the gap to the nearest of the points that lie flat. Rounding may have moved the decisive
/// point along a surface and out of its body.
void give_gap(double gap, std::vector<ShapeContact>& points);

bool is_in(const PlacedCylinder& c, const Vector3& p, double slack);

}  // namespace nsmb
