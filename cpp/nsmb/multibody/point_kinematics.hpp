// Body-fixed points at the ends of arms, for directions and accelerations of contacts.
#pragma once

#include "nsmb/multibody/kinematics.hpp"

namespace nsmb {

/// Kinematics of the body-fixed point at the end of `arm`, an offset from a marker: (3.3), (4.10),
/// (4.14).
struct PointKinematics {
  PointKinematics(const MarkerKinematics& marker, const Vector3& arm)
      : m(marker),
        rho(arm),
        v(marker.v + marker.Omega.cross(arm)),
        j_tilde(marker.j_tilde_S + marker.j_tilde_R.cross(arm)),
        j_bar(marker.j_bar_S + marker.j_bar_R.cross(arm) +
              marker.Omega.cross(marker.Omega.cross(arm))) {}

  /// Add J_Cᵀ n.
  template <typename Column>
  void add_direction(const Vector3& n, Column w) const {
    if (!m.moves) return;
    const Vector3 moment = rho.cross(n);
    Index column = 0;
    for (const VelocityRange& r : m.reach) {
      for (Index k = r.first; k < r.first + r.size; ++k, ++column) {
        w(k) += m.J_S.col(column).dot(n);
        w(k) += m.J_R.col(column).dot(moment);
      }
    }
  }

  /// Return nᵀ(j̄_Q - Ω̃ v_C), the first terms of (4.46).
  double acceleration(const Vector3& n) const { return n.dot(j_bar - m.Omega.cross(v)); }

  const MarkerKinematics& m;
  Vector3 rho, v, j_tilde, j_bar;
};

}  // namespace nsmb
