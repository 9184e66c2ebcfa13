// Limits of joint coordinates as contacts without friction: g = ±(z - limit).
#include <cmath>
#include <numbers>

#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

namespace {

/// The reading z and its rates: ż = Wᵀu + w̃, z̈ = Wᵀu̇ + w̄. W has been added with `direction`.
struct Reading {
  double z = 0.0, w_tilde = 0.0, w_bar = 0.0;
};

// Return z = q + s(t), from the rates of the joint.
Reading coordinate(const JointStop& stop, double t, const ConstVectorRef& q, Eigen::Ref<Vector> w) {
  Reading reading;
  w(stop.velocity) = stop.direction;
  reading.z = q(stop.coordinate);
  if (!stop.motion) return reading;
  const Vector3 s = stop.motion(t);
  reading.z += s(0);
  reading.w_tilde = s(1);
  reading.w_bar = s(2);
  return reading;
}

// Return the angle about the common e_z of both markers, within half a revolution of `middle`.
Reading angle(const JointStop& stop, const MarkerKinematics& m1, const MarkerKinematics& m2,
              Eigen::Ref<Vector> w) {
  Reading reading;
  const Vector3 e = m1.A.col(2), x = m2.A.col(0);
  const double turn = std::atan2(m1.A.col(1).dot(x), m1.A.col(0).dot(x));
  reading.z = stop.middle + std::remainder(turn - stop.middle, 2.0 * std::numbers::pi);
  relative_direction(m1, m2, &MarkerKinematics::J_R, stop.direction * e, w);
  reading.w_tilde = e.dot(m2.j_tilde_R - m1.j_tilde_R);
  reading.w_bar = e.dot(m2.j_bar_R - m1.j_bar_R) + m1.Omega.cross(e).dot(m2.Omega - m1.Omega);
  return reading;
}

// Return the displacement along e_z of marker 1, z = eᵀd: ż = eᵀ(v_2 - v_1) + (Ω_1 × e)ᵀd.
Reading shift(const JointStop& stop, const MarkerKinematics& m1, const MarkerKinematics& m2,
              Eigen::Ref<Vector> w) {
  Reading reading;
  const Vector3 e = m1.A.col(2), d = m2.r - m1.r;
  const Vector3 arm = e.cross(d), turn = m1.Omega.cross(e);
  reading.z = e.dot(d);
  relative_direction(m1, m2, &MarkerKinematics::J_S, stop.direction * e, w);
  m1.each_range([&](const VelocityRange& range, Index column) {
    w.segment(range.first, range.size) +=
        m1.J_R.middleCols(column, range.size).transpose() * (stop.direction * arm);
  });
  reading.w_tilde = e.dot(m2.j_tilde_S - m1.j_tilde_S) + arm.dot(m1.j_tilde_R);
  reading.w_bar = e.dot(m2.j_bar_S - m1.j_bar_S) + arm.dot(m1.j_bar_R) +
                  2.0 * turn.dot(m2.v - m1.v) + m1.Omega.cross(turn).dot(d);
  return reading;
}

}  // namespace

void joint_stop(const JointStop& stop, double t, const ConstVectorRef& q,
                const ModelWorkspace& work, Index i, ContactKinematics& c) {
  auto w = c.W_N.col(i);
  w.setZero();
  Reading reading;
  if (stop.marker_1 < 0) {
    reading = coordinate(stop, t, q, w);
  } else {
    const MarkerKinematics& m1 = work.markers[static_cast<std::size_t>(stop.marker_1)];
    const MarkerKinematics& m2 = work.markers[static_cast<std::size_t>(stop.marker_2)];
    reading = stop.turns ? angle(stop, m1, m2, w) : shift(stop, m1, m2, w);
  }
  c.g_N(i) = stop.direction * (reading.z - stop.limit);
  c.w_tilde_N(i) = stop.direction * reading.w_tilde;
  c.w_bar_N(i) = stop.direction * reading.w_bar;
}

}  // namespace nsmb
