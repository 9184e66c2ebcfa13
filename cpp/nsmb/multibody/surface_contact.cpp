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

namespace {

// Call f(first velocity, number of velocities) for all that may move one of the markers.
template <typename F>
void each_velocity_range(const MarkerKinematics& m1, const MarkerKinematics& m2, const F& f) {
  for (const MarkerKinematics* m : {&m1, &m2}) {
    for (const VelocityRange& r : m->reach) f(r.first, r.size);
  }
}

void add_turn(const MarkerKinematics& m, const Vector3& e, Matrix& W_T, Index row) {
  if (!m.moves) return;
  m.each_range([&](const VelocityRange& range, Index column) {
    W_T.col(row).segment(range.first, range.size) +=
        m.J_R.middleCols(column, range.size).transpose() * e;
  });
}

}  // namespace

void clear_turn_row(const MarkerKinematics& m1, const MarkerKinematics& m2, Index row,
                    ContactKinematics& c) {
  each_velocity_range(
      m1, m2, [&](Index first, Index size) { c.W_T.col(row).segment(first, size).setZero(); });
  c.w_tilde_T(row) = c.w_bar_T(row) = 0.0;
}

void fill_turn_row(const Vector3& e, const Vector3& e_dot, const MarkerKinematics& m1,
                   const MarkerKinematics& m2, Index row, ContactKinematics& c) {
  add_turn(m1, -e, c.W_T, row);
  add_turn(m2, e, c.W_T, row);
  c.w_tilde_T(row) = e.dot(m2.j_tilde_R - m1.j_tilde_R);
  c.w_bar_T(row) = e.dot(m2.j_bar_R - m1.j_bar_R) + e_dot.dot(m2.Omega - m1.Omega);
}

void clear_surface_rows(const MarkerKinematics& m1, const MarkerKinematics& m2,
                        const ContactPlace& place, ContactKinematics& c) {
  auto W_T = c.W_T.middleCols(place.sliding, 2);
  each_velocity_range(m1, m2, [&](Index first, Index size) {
    c.W_N.col(place.contact).segment(first, size).setZero();
    W_T.middleRows(first, size).setZero();
  });
  c.w_tilde_N(place.contact) = c.w_bar_N(place.contact) = 0.0;
  c.w_tilde_T.segment<2>(place.sliding).setZero();
  c.w_bar_T.segment<2>(place.sliding).setZero();
  if (place.rolling >= 0) {
    clear_turn_row(m1, m2, place.rolling, c);
    clear_turn_row(m1, m2, place.rolling + 1, c);
  }
  if (place.drilling >= 0) clear_turn_row(m1, m2, place.drilling, c);
}

void fill_surface_rows(const SurfacePoint& p, const MarkerKinematics& m1,
                       const MarkerKinematics& m2, const ContactPlace& place,
                       ContactKinematics& c) {
  clear_surface_rows(m1, m2, place, c);
  const Index i = place.contact, row = place.sliding;
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
  const auto resist = [&](Index axis, Index own) {
    fill_turn_row(p.axes.col(axis), p.axes_dot.col(axis), m1, m2, own, c);
  };
  if (place.rolling >= 0) {
    resist(1, place.rolling);
    resist(2, place.rolling + 1);
  }
  if (place.drilling >= 0) resist(0, place.drilling);
}

void surface_contact(const SurfaceContact& contact, const MarkerKinematics& m1,
                     const MarkerKinematics& m2, const ContactPlace& place, ContactKinematics& c) {
  const SurfacePoint p =
      surface_point(contact.surface_1, motion_of(m1), contact.surface_2, motion_of(m2));
  if (p.is_singular || p.is_flat) refuse_many_points(contact.name);
  fill_surface_rows(p, m1, m2, place, c);
}

}  // namespace nsmb
