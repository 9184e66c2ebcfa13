#include "nsmb/multibody/surface_contact.hpp"

#include <limits>
#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/point_kinematics.hpp"

namespace nsmb {

void check_surfaces(const SurfaceContact& contact) {
  const std::string what = "contact '" + contact.name + "': ";
  if (!has_nearest_points(contact.surface_1, contact.surface_2)) {
    reject(what + "surfaces",
           "surfaces with a single pair of nearest points, such as a plane and a point",
           "another pair of surfaces");
  }
  check_finite(what + "radius_1", contact.surface_1.radius);
  check_range(what + "radius_2", contact.surface_2.radius, 0.0,
              std::numeric_limits<double>::infinity());
  check_finite(what + "radius_2", contact.surface_2.radius);
  for (const Surface* surface : {&contact.surface_1, &contact.surface_2}) {
    if (surface->skeleton == Skeleton::Circle) check_positive(what + "circle", surface->circle);
  }
}

ShapeMotion motion_of(const MarkerKinematics& marker) {
  return {{marker.r, marker.A}, marker.v, marker.Omega};
}

void refuse_many_points(const std::string& contact) {
  throw std::domain_error(
      "contact '" + contact +
      "': must have one nearest point, got many, as for a rim that lies flat on "
      "a plane. Use Model.collide.");
}

void clear_surface_rows(const MarkerKinematics& m1, const MarkerKinematics& m2, Index i, Index row,
                        ContactKinematics& c) {
  auto W_T = c.W_T.middleCols(row, 2);
  for (const MarkerKinematics* m : {&m1, &m2}) {
    for (const VelocityRange& r : m->reach) {
      c.W_N.col(i).segment(r.first, r.size).setZero();
      W_T.middleRows(r.first, r.size).setZero();
    }
  }
  c.w_tilde_N(i) = c.w_bar_N(i) = 0.0;
  c.w_tilde_T.segment<2>(row).setZero();
  c.w_bar_T.segment<2>(row).setZero();
}

void fill_surface_rows(const SurfacePoint& p, const MarkerKinematics& m1,
                       const MarkerKinematics& m2, Index i, Index row, ContactKinematics& c) {
  clear_surface_rows(m1, m2, i, row, c);
  c.g_N(i) = p.is_singular ? std::numeric_limits<double>::quiet_NaN() : p.g_N;
  if (p.is_singular) return;
  auto W_T = c.W_T.middleCols(row, 2);
  const PointKinematics C_1(m1, p.r_1 - m1.r), C_2(m2, p.r_2 - m2.r);
  // a_C without u̇, with ρ moving along the surface.
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

void surface_contact(const SurfaceContact& contact, const MarkerKinematics& m1,
                     const MarkerKinematics& m2, Index i, Index row, ContactKinematics& c) {
  const SurfacePoint p =
      surface_point(contact.surface_1, motion_of(m1), contact.surface_2, motion_of(m2));
  if (p.is_singular || p.is_flat) refuse_many_points(contact.name);
  fill_surface_rows(p, m1, m2, i, row, c);
}

}  // namespace nsmb
