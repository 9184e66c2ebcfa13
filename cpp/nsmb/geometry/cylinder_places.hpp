// Where a cylinder touches along a direction that is found.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/geometry/cylinder_axes.hpp"
#include "nsmb/geometry/shape_contact.hpp"

namespace nsmb {

/// The direction with the largest gap that was tried.
template <class Gap>
class BestDirection {
 public:
  explicit BestDirection(const Gap& of) : gap_(of) {}
  /// Takes it if it parts by more, and by more than `least`; whether it did.
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
  /// Takes a unit vector that parts by no less but for roundings.
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

/// Which feature of a cylinder is furthest along n.
Index feature_along(const PlacedCylinder& c, const Vector3& n);

bool is_rim(Index feature);

/// Neither a cap nor the side is flat on what is across n.
bool is_tilted(const PlacedCylinder& c, const Vector3& n);

/// Along the line through b with direction e, from b, to the place nearest to the axis of c.
double foot_at_axis(const PlacedCylinder& c, const Vector3& b, const Vector3& e);

/// Of an edge the place nearest to the axis, among those that are beside it and not beyond its
/// ends.
Vector3 place_beside(const PlacedCylinder& c, const Vector3& tail, const Vector3& head);

/// Places of a cap around its rim, from the one furthest along n on, by quarters.
void add_rest_places(const PlacedCylinder& c, const Vector3& n, double end,
                     std::vector<Vector3>& places);

void add_once(const ShapeContact& c, std::vector<ShapeContact>& points);

/// A point with the least gap there can be is among those that lie flat.
bool holds(const std::vector<ShapeContact>& points, double gap, double size);

/// The nearest of the points that lie flat takes the gap, where rounding has moved the place that
/// decides it along a surface and out of its body.
void give_gap(double gap, std::vector<ShapeContact>& points);

bool is_in(const PlacedCylinder& c, const Vector3& p, double slack);

}  // namespace nsmb
