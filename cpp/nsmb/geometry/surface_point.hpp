// Nearest points of two smooth surfaces, and their motion.
//
// A surface is a skeleton with a body around it: all points up to `radius` from a point, a line or
// a circle; a plane bounds a half-space. A sphere is a point with a radius and a corner a point
// without one. A cylinder is a line with a radius, an edge a line without one, and the rim of a
// disc a circle. A negative radius bounds a hollow from outside.
//
// With the points s of the skeletons nearest to each other and n from 1 to 2:
//   g_N = |s_2 - s_1| - radius_1 - radius_2,   C_1 = s_1 + radius_1 n,   C_2 = s_2 - radius_2 n.
#pragma once

#include "nsmb/geometry/shape_sweep.hpp"

namespace nsmb {

enum class Skeleton { Point, Line, Plane, Circle };

/// A surface in the frame of its shape.
struct Surface {
  Skeleton skeleton = Skeleton::Point;
  double radius = 0.0;               // m, of the body around it; negative: of a hollow
  double circle = 0.0;               // m, radius of a circle
  double length = kInfinity;         // m, of a line, starting at r
  Vector3 r = Vector3::Zero();       // m, the point, one of the line or plane, the middle
  Vector3 e = Vector3::UnitZ();      // along the line, out of the plane, axis of the circle
  Vector3 along = Vector3::UnitX();  // of a point or plane: reference of t_1; a line uses e
};

/// Return true for two points, a point with a line or a circle, two lines, or a plane with a point
/// or a circle; in any order.
bool has_nearest_points(const Surface& first, const Surface& second);

/// Nearest points, in inertial components.
struct SurfacePoint {
  bool is_singular = false;  // no nearest points, or more than two
  bool is_flat = false;      // a circle flat on a plane, one of many nearest points
  double g_N = 0.0;
  Matrix3 axes = Matrix3::Zero(), axes_dot = Matrix3::Zero();  // n, t_1, t_2
  Vector3 s_1 = Vector3::Zero(), s_2 = Vector3::Zero();        // of the skeletons
  Vector3 r_1 = Vector3::Zero(), r_2 = Vector3::Zero();        // C_1, C_2
  Vector3 rdot_1 = Vector3::Zero(), rdot_2 = Vector3::Zero();
};

/// Compute the nearest points. The first tangent is that of a circle, the direction of a line, or
/// as near as possible to `along` of a plane. Between points it is fixed in the first shape for a
/// fixed normal and depends smoothly on it, but for one normal that no axis is near. `side` is for
/// two lines without radius, whose side relative to each other is not determined: n = side e_1 ×
/// e_2 / |e_1 × e_2|.
SurfacePoint surface_point(const Surface& first, const ShapeMotion& motion_1, const Surface& second,
                           const ShapeMotion& motion_2, double side = 1.0);

}  // namespace nsmb
