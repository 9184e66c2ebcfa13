#include "nsmb/geometry/surface_point.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

/// A vector and its rate.
struct MovingVector {
  Vector3 value, rate;
};

MovingVector operator-(const MovingVector& a, const MovingVector& b) {
  return {a.value - b.value, a.rate - b.rate};
}
MovingVector operator+(const MovingVector& a, const MovingVector& b) {
  return {a.value + b.value, a.rate + b.rate};
}
MovingVector operator*(double s, const MovingVector& a) { return {s * a.value, s * a.rate}; }

MovingVector cross(const MovingVector& a, const MovingVector& b) {
  return {a.value.cross(b.value), a.rate.cross(b.value) + a.value.cross(b.rate)};
}

/// A number and its rate.
struct MovingNumber {
  double value, rate;
};

MovingNumber dot(const MovingVector& a, const MovingVector& b) {
  return {a.value.dot(b.value), a.rate.dot(b.value) + a.value.dot(b.rate)};
}
MovingVector operator*(const MovingNumber& s, const MovingVector& a) {
  return {s.value * a.value, s.rate * a.value + s.value * a.rate};
}
MovingNumber operator/(const MovingNumber& a, const MovingNumber& b) {
  const double value = a.value / b.value;
  return {value, (a.rate - value * b.rate) / b.value};
}

// Return a normalised; `length` is its former length.
MovingVector unit(const MovingVector& a, double& length) {
  length = a.value.norm();
  if (length == 0.0) return a;
  const Vector3 e = a.value / length;
  return {e, (a.rate - e.dot(a.rate) * e) / length};
}

// Return the unit vector of the part of w perpendicular to an axis; `length` is that of the part.
// On the axis itself any direction is valid: there lines have ended and rims are far away.
MovingVector unit_across(const MovingVector& w, const MovingVector& axis, double& length) {
  const MovingVector part = w - dot(w, axis) * axis;
  const MovingVector found = unit(part, length);
  if (length > kEpsilon * w.value.norm()) return found;
  return {axis.value.unitOrthogonal(), Vector3::Zero()};
}

// Return the unit vector of the part of `along` perpendicular to e.
MovingVector part_across(const MovingVector& along, const MovingVector& e) {
  double length = 0.0;
  return unit(along - dot(along, e) * e, length);
}

// Return `a`, perpendicular to the pole p, turned by the smallest rotation from p to n. Every field
// of tangents has a singular direction, near which they turn fast. Here it is n = -p alone.
MovingVector turned(const MovingVector& a, const MovingVector& p, const MovingVector& n) {
  const MovingNumber c = dot(p, n), above = {1.0 + c.value, c.rate};
  if (above.value > feature_pairs::kNoTangent) return a - (dot(a, n) / above) * (p + n);
  const Vector3 e = n.value.unitOrthogonal();
  return {e, -e.dot(n.rate) * n.value};
}

/// A moving surface.
struct MovingSurface {
  const Surface& surface;
  const ShapeMotion& motion;

  MovingVector place() const {
    const Vector3 arm = motion.pose.direction(surface.r);
    return {motion.pose.r + arm, motion.v + motion.Omega.cross(arm)};
  }
  MovingVector direction(const Vector3& own) const {
    const Vector3 e = motion.pose.direction(own);
    return {e, motion.Omega.cross(e)};
  }
  MovingVector axis() const { return direction(surface.e); }
  MovingVector along() const { return direction(surface.along); }
};

// The pole of tangents between points, in the frame of the first. Bodies are often placed along
// axes, in coordinate planes and on diagonals: its opposite is far from all of them.
Vector3 pole_of_tangents() { return Vector3(0.23, 0.31, 0.92).normalized(); }

/// The nearest points of the skeletons, n and t_1.
struct Nearest {
  MovingVector s_1, s_2, n, t_1;
  double distance = 0.0;
  bool is_singular = false, is_flat = false;
};

Nearest nearest_to_plane(const MovingSurface& plane, const MovingSurface& other) {
  Nearest found;
  found.n = plane.axis();
  found.t_1 = part_across(plane.along(), found.n);
  found.s_2 = other.place();
  if (other.surface.skeleton == Skeleton::Circle) {
    const MovingVector a = other.axis();
    double length = 0.0;
    MovingVector up = unit(found.n - dot(found.n, a) * a, length);
    found.is_flat = length <= feature_pairs::kFlatRim;
    if (found.is_flat) up = {a.value.unitOrthogonal(), Vector3::Zero()};
    found.s_2 = found.s_2 - other.surface.circle * up;
  }
  const MovingNumber height = dot(found.n, found.s_2 - plane.place());
  found.s_1 = found.s_2 - height * found.n;
  found.distance = height.value;
  return found;
}

// Find the nearest point of a line or another point to a point. In a hollow n leads inwards.
Nearest nearest_to_point(const MovingSurface& first, const MovingSurface& point) {
  Nearest found;
  found.s_1 = first.place();
  found.s_2 = point.place();
  const bool is_hollow = first.surface.radius < 0.0 || point.surface.radius < 0.0;
  const double side = is_hollow ? -1.0 : 1.0;
  const MovingVector w = found.s_2 - found.s_1;
  double length = 0.0;
  if (first.surface.skeleton == Skeleton::Line) {
    found.t_1 = first.axis();
    found.s_1 = found.s_1 + dot(found.t_1, w) * found.t_1;
    found.n = side * unit_across(w, found.t_1, length);
  } else {
    found.n = side * unit(w, length);
    const MovingVector pole = first.direction(pole_of_tangents());
    found.t_1 = turned(part_across(first.along(), pole), pole, found.n);
    found.is_singular = length == 0.0;
  }
  found.distance = side * length;
  return found;
}

Nearest nearest_to_circle(const MovingSurface& point, const MovingSurface& circle) {
  Nearest found;
  found.s_1 = point.place();
  const MovingVector a = circle.axis(), w = found.s_1 - circle.place();
  double across = 0.0, length = 0.0;
  const MovingVector up = unit_across(w, a, across);
  found.s_2 = circle.place() + circle.surface.circle * up;
  found.t_1 = cross(a, up);
  found.n = unit(found.s_2 - found.s_1, length);
  found.distance = length;
  found.is_singular = length == 0.0;
  return found;
}

// Find the nearest points with n = ± e_1 × e_2 / |e_1 × e_2|.
Nearest nearest_of_lines(const MovingSurface& first, const MovingSurface& second, double side) {
  Nearest found;
  const MovingVector e_1 = first.axis(), e_2 = second.axis(), c = cross(e_1, e_2);
  const MovingVector a_1 = first.place(), a_2 = second.place(), w = a_2 - a_1;
  double sine = 0.0;
  found.t_1 = e_1;
  found.n = unit(c, sine);
  if (sine <= feature_pairs::kNoNormal) {
    found.is_singular = true;
    return found;
  }
  const bool is_round = first.surface.radius + second.surface.radius > 0.0;
  if ((is_round ? found.n.value.dot(w.value) : side) < 0.0) found.n = -1.0 * found.n;
  const MovingNumber square = dot(c, c);
  const MovingNumber s = dot(cross(w, e_2), c) / square, t = dot(cross(w, e_1), c) / square;
  found.s_1 = a_1 + s * e_1;
  found.s_2 = a_2 + t * e_2;
  // Uses points that are near each other, because n is inaccurate for nearly parallel lines.
  const Vector3 near_1 = a_1.value + std::clamp(s.value, 0.0, first.surface.length) * e_1.value;
  const Vector3 near_2 = a_2.value + std::clamp(t.value, 0.0, second.surface.length) * e_2.value;
  found.distance = found.n.value.dot(near_2 - near_1);
  return found;
}

bool comes_first(const Surface& a, const Surface& b) {
  const auto rank = [](const Surface& s) {
    switch (s.skeleton) {
      case Skeleton::Plane:
        return 0;
      case Skeleton::Line:
        return 1;
      case Skeleton::Point:
        return 2;
      default:
        return 3;
    }
  };
  return rank(a) <= rank(b);
}

Nearest nearest(const MovingSurface& first, const MovingSurface& second, double side) {
  if (!comes_first(first.surface, second.surface)) {
    Nearest found = nearest(second, first, side);
    std::swap(found.s_1, found.s_2);
    found.n = -1.0 * found.n;
    return found;
  }
  if (first.surface.skeleton == Skeleton::Plane) return nearest_to_plane(first, second);
  if (second.surface.skeleton == Skeleton::Line) return nearest_of_lines(first, second, side);
  if (second.surface.skeleton == Skeleton::Circle) return nearest_to_circle(first, second);
  return nearest_to_point(first, second);
}

}  // namespace

bool has_nearest_points(const Surface& first, const Surface& second) {
  if (!comes_first(first, second)) return has_nearest_points(second, first);
  if (first.skeleton == Skeleton::Plane) {
    return second.skeleton == Skeleton::Point || second.skeleton == Skeleton::Circle;
  }
  return second.skeleton != Skeleton::Circle || first.skeleton == Skeleton::Point;
}

SurfacePoint surface_point(const Surface& first, const ShapeMotion& motion_1, const Surface& second,
                           const ShapeMotion& motion_2, double side) {
  const Nearest found = nearest({first, motion_1}, {second, motion_2}, side);
  SurfacePoint p;
  p.is_singular = found.is_singular;
  p.is_flat = found.is_flat;
  if (p.is_singular) return p;
  const MovingVector &n = found.n, &t_1 = found.t_1;
  p.g_N = found.distance - first.radius - second.radius;
  p.axes << n.value, t_1.value, n.value.cross(t_1.value);
  p.axes_dot << n.rate, t_1.rate, n.rate.cross(t_1.value) + n.value.cross(t_1.rate);
  p.s_1 = found.s_1.value;
  p.s_2 = found.s_2.value;
  const MovingVector C_1 = found.s_1 + first.radius * n;
  const MovingVector C_2 = found.s_2 - second.radius * n;
  p.r_1 = C_1.value;
  p.r_2 = C_2.value;
  p.rdot_1 = C_1.rate;
  p.rdot_2 = C_2.rate;
  return p;
}

}  // namespace nsmb
