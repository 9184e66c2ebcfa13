// One of the two bodies where they touch: a point fixed in a body, or one between two nodes of a
// body that deforms.
//
// On an edge from node A to B, of length L, the point is (1 - ξ) A + ξ B; so are velocity and
// acceleration of the material there, and the forces on the nodes. It is the edge that turns, not
// the body: its Ω has ω = nᵀ(v_B - v_A)/L about b, and it stretches by ε̇ = tᵀ(v_B - v_A)/L, so that
// a point that moves along it by ṡ sees ∂v/∂s ṡ = (ω n + ε̇ t) ṡ: (4.30) and (4.46) with ω for bᵀΩ
// and with ε̇ besides.
#pragma once

#include "nsmb/multibody/model_workspace.hpp"
#include "nsmb/multibody/point_kinematics.hpp"

namespace nsmb {

/// Between two nodes: which, and where between them.
struct EdgeOfNodes {
  const MarkerKinematics *a = nullptr, *b = nullptr;
  Index marker_a = -1, marker_b = -1;
  double share = 0.0, length = 0.0;  // ξ and L in m
  Vector3 t, n;                      // inertial components, along the edge and into the body
};

/// What a point of a body stands on.
struct Footing {
  const MarkerKinematics* marker = nullptr;  // fixed in it: at the end of `arm`
  Index number = -1;                         // of that marker
  Vector3 arm = Vector3::Zero();
  bool on_edge = false;
  EdgeOfNodes edge;  // then `marker` is the floating frame
};

/// Of contour 1 or 2 of a contact where `feature` touches, at `r` from the origin of its marker in
/// the plane spanned by e_x, e_y of `plane`; sigma along the piece.
Footing footing(const ModelDescription& model, const ModelWorkspace& work, Index marker,
                Index boundary, Index feature, double sigma, const Vector2& r,
                const MarkerKinematics& plane);

/// Ω of an edge.
Vector3 turn_of(const EdgeOfNodes& edge, const Vector3& b, const Vector3& Omega_of_plane);

class ContactSide {
 public:
  ContactSide(const Footing& foot, const Vector3& b);

  /// Adds J_Cᵀ e.
  template <typename Column>
  void add_direction(const Vector3& e, Column w) const {
    if (!foot_.on_edge) return add(*foot_.marker, 1.0, foot_.arm, e, w);
    add(*foot_.edge.a, 1.0 - foot_.edge.share, Vector3::Zero(), e, w);
    add(*foot_.edge.b, foot_.edge.share, Vector3::Zero(), e, w);
  }
  /// eᵀ(j̄_Q - Ω̃ v_C), first terms of (4.46).
  double acceleration(const Vector3& e) const { return e.dot(j_bar - Omega.cross(v)); }

  Vector3 v, j_tilde, j_bar;
  Vector3 Omega;         // of the contour where it touches
  double stretch = 0.0;  // ε̇, 1/s

 private:
  template <typename Column>
  static void add(const MarkerKinematics& m, double share, const Vector3& arm, const Vector3& e,
                  Column w) {
    if (!m.moves) return;
    const Vector3 moment = arm.cross(e);
    m.each_range([&](const VelocityRange& r, Index column) {
      for (Index k = 0; k < r.size; ++k) {
        w(r.first + k) +=
            share * (m.J_S.col(column + k).dot(e) + m.J_R.col(column + k).dot(moment));
      }
    });
  }

  Footing foot_;
};

}  // namespace nsmb
