#include "nsmb/geometry/cylinder_places.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

PlacedCylinder placed(const CylinderShape& c, const Placement& pose) {
  return {pose.r, pose.A.col(2), c.radius(), 0.5 * c.length()};
}

Index feature_along(const PlacedCylinder& c, const Vector3& n) {
  const double along = c.axis.dot(n);
  if (c.across(n).norm() <= polyhedra::kSupport) return along > 0.0 ? UpperCap : LowerCap;
  if (std::abs(along) <= polyhedra::kSupport) return Side;
  return along > 0.0 ? UpperRim : LowerRim;
}

bool is_rim(Index feature) { return feature == LowerRim || feature == UpperRim; }

bool is_tilted(const PlacedCylinder& c, const Vector3& n) {
  return c.across(n).norm() > polyhedra::kAlong && std::abs(c.axis.dot(n)) > polyhedra::kAlong;
}

double foot_at_axis(const PlacedCylinder& c, const Vector3& b, const Vector3& e) {
  const Vector3 across = c.across(e);
  const double square = across.squaredNorm();
  return square > 0.0 ? -across.dot(b - c.center) / square : 0.0;
}

Vector3 place_beside(const PlacedCylinder& c, const Vector3& tail, const Vector3& head) {
  const Vector3 d = head - tail;
  double low = 0.0, high = 1.0;
  if (const double along = c.axis.dot(d); along != 0.0) {
    const double middle = c.axis.dot(c.center - tail) / along, half = std::abs(c.half / along);
    low = std::clamp(middle - half, 0.0, 1.0);
    high = std::clamp(middle + half, 0.0, 1.0);
  }
  return tail + std::clamp(foot_at_axis(c, tail, d), low, high) * d;
}

void add_rest_places(const PlacedCylinder& c, const Vector3& n, double end,
                     std::vector<Vector3>& places) {
  Vector3 u = c.across(n);
  const double length = u.norm();
  if (length > polyhedra::kSupport) {
    u = c.across(u / length).normalized();  // a short u is not perpendicular to rounding
  } else {
    Index smallest = 0;
    c.axis.cwiseAbs().minCoeff(&smallest);
    u = c.axis.cross(Vector3::Unit(smallest)).normalized();
  }
  const Vector3 w = c.axis.cross(u), middle = c.center + end * c.half * c.axis;
  for (const Vector3& r : {u, w, Vector3(-u), Vector3(-w)}) places.push_back(middle + c.radius * r);
}

void add_once(const ShapeContact& c, std::vector<ShapeContact>& points) {
  for (const ShapeContact& known : points) {
    if (known.feature_1 == c.feature_1 && known.feature_2 == c.feature_2) return;
  }
  points.push_back(c);
}

bool holds(const std::vector<ShapeContact>& points, double gap, double size) {
  for (const ShapeContact& c : points) {
    if (c.g_N <= gap + polyhedra::kFaceFirst * size) return true;
  }
  return false;
}

void give_gap(double gap, std::vector<ShapeContact>& points) {
  ShapeContact& c =
      *std::min_element(points.begin(), points.end(),
                        [](const ShapeContact& a, const ShapeContact& b) { return a.g_N < b.g_N; });
  c.r_2 = c.r_1 + gap * c.normal;
  c.g_N = gap;
}

bool is_in(const PlacedCylinder& c, const Vector3& p, double slack) {
  const Vector3 r = p - c.center;
  return std::abs(c.axis.dot(r)) <= c.half + slack && c.across(r).norm() <= c.radius + slack;
}

}  // namespace nsmb
