#include "nsmb/multibody/surface_contact.hpp"

#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/point_kinematics.hpp"

namespace nsmb {

namespace {

/// A vector and its rate.
struct Moving {
  Vector3 value, rate;
};

Moving operator-(const Moving& a, const Moving& b) { return {a.value - b.value, a.rate - b.rate}; }
Moving operator+(const Moving& a, const Moving& b) { return {a.value + b.value, a.rate + b.rate}; }
Moving operator*(double s, const Moving& a) { return {s * a.value, s * a.rate}; }

/// A number and its rate, times a vector.
struct MovingNumber {
  double value, rate;
};

MovingNumber dot(const Moving& a, const Moving& b) {
  return {a.value.dot(b.value), a.rate.dot(b.value) + a.value.dot(b.rate)};
}
Moving operator*(const MovingNumber& s, const Moving& a) {
  return {s.value * a.value, s.rate * a.value + s.value * a.rate};
}

// Of length 1; `length` is what it was.
Moving unit(const Moving& a, double& length) {
  length = a.value.norm();
  if (length == 0.0) return a;
  const Vector3 e = a.value / length;
  return {e, (a.rate - e.dot(a.rate) * e) / length};
}

Moving origin(const MarkerKinematics& m) { return {m.r, m.v}; }
Moving axis(const MarkerKinematics& m, Index k) {
  return {m.A.col(k), m.Omega.cross(Vector3(m.A.col(k)))};
}

/// The points of the skeletons that are nearest, n, and a direction t_1 is to follow.
struct Nearest {
  Moving s_1, s_2, n, along;
  double distance = 0.0;
  bool is_singular = false;
};

Nearest nearest_to_plane(const SurfaceContact& contact, const MarkerKinematics& m1,
                         const MarkerKinematics& m2) {
  Nearest found;
  found.n = axis(m1, 2);
  found.along = axis(m1, 0);
  found.s_2 = origin(m2);
  if (contact.surface_2.skeleton == Skeleton::Circle) {
    const Moving a = axis(m2, 2);
    double length = 0.0;
    const Moving up = unit(found.n - dot(found.n, a) * a, length);
    found.is_singular = length == 0.0;  // flat on the plane
    found.s_2 = found.s_2 - contact.surface_2.circle * up;
  }
  const MovingNumber height = dot(found.n, found.s_2 - origin(m1));
  found.s_1 = found.s_2 - height * found.n;
  found.distance = height.value;
  return found;
}

Nearest nearest_points(const SurfaceContact& contact, const MarkerKinematics& m1,
                       const MarkerKinematics& m2) {
  Nearest found;
  found.s_1 = origin(m1);
  found.s_2 = origin(m2);
  found.along = axis(m1, 0);
  if (contact.surface_1.skeleton == Skeleton::Line) {
    found.along = axis(m1, 2);
    found.s_1 = found.s_1 + dot(found.along, found.s_2 - found.s_1) * found.along;
  }
  const double side = contact.surface_1.radius < 0.0 ? -1.0 : 1.0;  // in a hollow n leads inwards
  double length = 0.0;
  found.n = unit(side * (found.s_2 - found.s_1), length);
  found.distance = side * length;
  found.is_singular = length == 0.0;
  return found;
}

bool is_known(const Surface& first, const Surface& second) {
  if (second.skeleton == Skeleton::Circle) return first.skeleton == Skeleton::Plane;
  return second.skeleton == Skeleton::Point && first.skeleton != Skeleton::Circle;
}

}  // namespace

void check_surfaces(const SurfaceContact& contact) {
  const std::string what = "contact '" + contact.name + "': ";
  if (!is_known(contact.surface_1, contact.surface_2)) {
    reject(what + "surfaces", "a point, line or plane and a point, or a plane and a circle",
           "another pair");
  }
  check_finite(what + "radius_1", contact.surface_1.radius);
  check_range(what + "radius_2", contact.surface_2.radius, 0.0,
              std::numeric_limits<double>::infinity());
  check_finite(what + "radius_2", contact.surface_2.radius);
  if (contact.surface_2.skeleton == Skeleton::Circle) {
    check_positive(what + "circle", contact.surface_2.circle);
  }
}

SurfacePoint surface_point(const SurfaceContact& contact, const MarkerKinematics& m1,
                           const MarkerKinematics& m2) {
  const bool on_plane = contact.surface_1.skeleton == Skeleton::Plane;
  const Nearest found =
      on_plane ? nearest_to_plane(contact, m1, m2) : nearest_points(contact, m1, m2);
  SurfacePoint p;
  const Moving& n = found.n;
  double length = 0.0;
  const Moving t_1 = unit(found.along - dot(found.along, n) * n, length);
  p.is_singular = found.is_singular || length == 0.0;
  p.g_N = found.distance - contact.surface_1.radius - contact.surface_2.radius;
  p.axes << n.value, t_1.value, n.value.cross(t_1.value);
  p.axes_dot << n.rate, t_1.rate, n.rate.cross(t_1.value) + n.value.cross(t_1.rate);
  const Moving C_1 = found.s_1 + contact.surface_1.radius * n;
  const Moving C_2 = found.s_2 - contact.surface_2.radius * n;
  p.r_1 = C_1.value;
  p.r_2 = C_2.value;
  p.rdot_1 = C_1.rate;
  p.rdot_2 = C_2.rate;
  return p;
}

void surface_contact(const SurfaceContact& contact, const MarkerKinematics& m1,
                     const MarkerKinematics& m2, Index i, Index row, ContactKinematics& c) {
  const SurfacePoint p = surface_point(contact, m1, m2);
  auto W_T = c.W_T.middleCols(row, 2);
  for (const MarkerKinematics* m : {&m1, &m2}) {
    for (const VelocityRange& r : m->reach) {
      c.W_N.col(i).segment(r.first, r.size).setZero();
      W_T.middleRows(r.first, r.size).setZero();
    }
  }
  c.g_N(i) = p.is_singular ? std::numeric_limits<double>::quiet_NaN() : p.g_N;
  if (p.is_singular) {
    c.w_tilde_N(i) = c.w_bar_N(i) = 0.0;
    c.w_tilde_T.segment<2>(row).setZero();
    c.w_bar_T.segment<2>(row).setZero();
    return;
  }
  const PointKinematics C_1(m1, p.r_1 - m1.r), C_2(m2, p.r_2 - m2.r);
  // a_C without u̇, ρ moving along the surface.
  const auto acceleration = [](const PointKinematics& C, const Vector3& rdot) {
    return Vector3(C.m.j_bar_S + C.m.j_bar_R.cross(C.rho) + C.m.Omega.cross(rdot - C.m.v));
  };
  const Vector3 v = C_2.v - C_1.v, j_tilde = C_2.j_tilde - C_1.j_tilde;
  const Vector3 a = acceleration(C_2, p.rdot_2) - acceleration(C_1, p.rdot_1);
  const auto fill = [&](Index k, auto w, double& w_tilde, double& w_bar) {
    const Vector3 e = p.axes.col(k);
    C_1.add_direction(-e, w);
    C_2.add_direction(e, w);
    w_tilde = e.dot(j_tilde);
    w_bar = e.dot(a) + p.axes_dot.col(k).dot(v);
  };
  fill(0, c.W_N.col(i), c.w_tilde_N(i), c.w_bar_N(i));
  for (Index k = 0; k < 2; ++k) {
    fill(1 + k, W_T.col(k), c.w_tilde_T(row + k), c.w_bar_T(row + k));
  }
}

}  // namespace nsmb
