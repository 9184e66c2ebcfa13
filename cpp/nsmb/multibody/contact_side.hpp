// One of the two bodies at a contact: a point fixed in a body, or a point between two nodes of a
// deformable body.
//
// On an edge of length L from node A to node B, the point is (1 - ξ) A + ξ B. The velocity and
// acceleration of the material there and the forces on the nodes have the same weights. The edge
// rotates, not the body: its Ω has ω = nᵀ(v_B - v_A)/L about b. It also stretches by ε̇ = tᵀ(v_B -
// v_A)/L. A point that moves along it by ṡ thus sees ∂v/∂s ṡ = (ω n + ε̇ t) ṡ. This gives (4.30)
// and (4.46) with ω for bᵀΩ and an additional ε̇.
#pragma once

#include "nsmb/multibody/model_workspace.hpp"
#include "nsmb/multibody/point_kinematics.hpp"

namespace nsmb {

/// A point between two nodes.
struct EdgeOfNodes {
  const MarkerKinematics *a = nullptr, *b = nullptr;
  Index marker_a = -1, marker_b = -1;
  double share = 0.0, length = 0.0;  // ξ and L in m
  Vector3 t, n;                      // inertial components, along the edge and into the body
};

/// The support of a point of a body.
struct Footing {
  const MarkerKinematics* marker = nullptr;  // point fixed at the end of `arm`
  Index number = -1;                         // of that marker
  Vector3 arm = Vector3::Zero();
  bool on_edge = false;
  EdgeOfNodes edge;  // `marker` is then the floating frame
};

/// Return the support of contour 1 or 2 of a contact where `feature` touches, at parameter `sigma`
/// of the piece. `r` is relative to the origin of its marker in the plane spanned by e_x, e_y of
/// `plane`.
Footing footing(const ModelDescription& model, const ModelWorkspace& work, Index marker,
                Index boundary, Index feature, double sigma, const Vector2& r,
                const MarkerKinematics& plane);

/// Return Ω of an edge.
Vector3 turn_of(const EdgeOfNodes& edge, const Vector3& b, const Vector3& Omega_of_plane);

/// Kinematics of one side of a contact.
class ContactSide {
 public:
  ContactSide(const Footing& foot, const Vector3& b);

  /// Add J_Cᵀ e.
  template <typename Column>
  void add_direction(const Vector3& e, Column w) const {
    if (!foot_.on_edge) return add(*foot_.marker, 1.0, foot_.arm, e, w);
    add(*foot_.edge.a, 1.0 - foot_.edge.share, Vector3::Zero(), e, w);
    add(*foot_.edge.b, foot_.edge.share, Vector3::Zero(), e, w);
  }
  /// Return eᵀ(j̄_Q - Ω̃ v_C), the first terms of (4.46).
  double acceleration(const Vector3& e) const { return e.dot(j_bar - Omega.cross(v)); }

  Vector3 v, j_tilde, j_bar;
  Vector3 Omega;         // of the contour at the contact point
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
