// Positions, velocities and Jacobians of all bodies of a tree, (2.29)-(2.35).
#pragma once

#include "nsmb/multibody/tree_workspace.hpp"
#include "nsmb/system/cliques.hpp"

namespace nsmb {

/// Compute positions and columns, which the mass matrix and its inverse need. q (nq).
void evaluate_positions(const Tree& tree, double t, const ConstVectorRef& q, TreeWorkspace& work);

/// Compute everything up to the accelerations without u̇. q (nq), u (nu).
void evaluate_state(const Tree& tree, double t, const ConstVectorRef& q, const ConstVectorRef& u,
                    TreeWorkspace& work);

/// A frame fixed in a body, or in the environment if body = -1.
struct Marker {
  Index body = -1;
  Frame frame;  // in the body frame
};

/// Kinematics of a marker, with all components in the inertial frame, (3.4):
///   v = J_S u + j_tilde_S,   a = J_S u̇ + j_bar_S,
///   Ω = J_R u + j_tilde_R,   Ω̇ = J_R u̇ + j_bar_R.
struct MarkerKinematics {
  using Columns = Eigen::Matrix<double, 3, Eigen::Dynamic>;

  MarkerKinematics(const Tree& tree, const Marker& marker);

  /// Return the column of velocity k in J, or -1 if it does not move the marker.
  Index column(Index k) const;
  /// Call f(range of velocities, its first column in J), in ascending order.
  template <typename F>
  void each_range(F&& f) const {
    Index column = 0;
    for (const VelocityRange& range : reach) {
      f(range, column);
      column += range.size;
    }
  }

  Vector3 r = Vector3::Zero();      // m
  Matrix3 A = Matrix3::Identity();  // marker components to inertial ones
  Vector3 v = Vector3::Zero(), Omega = Vector3::Zero();
  VelocityRanges reach;  // velocities that may move the marker
  Columns J_S, J_R;      // (3, size of reach), no other columns: all nu would be n² numbers
  Vector3 j_tilde_S = Vector3::Zero(), j_tilde_R = Vector3::Zero();
  Vector3 j_bar_S = Vector3::Zero(), j_bar_R = Vector3::Zero();
  bool moves = true;         // false: on the ground, J is zero
  std::vector<Index> first;  // column of the first velocity of each link on the path to the ground
};

/// Compute w = (J_2 - J_1)ᵀ e over all velocities, with J either J_S or J_R: the speed at which 2
/// moves away from 1 along e.
void relative_direction(const MarkerKinematics& m1, const MarkerKinematics& m2,
                        MarkerKinematics::Columns MarkerKinematics::* J, const Vector3& e,
                        VectorRef w);

/// Compute the kinematics of a marker. Call after evaluate_state, with a `result` constructed for
/// the same marker.
void marker_kinematics(const Tree& tree, const TreeWorkspace& work, const Marker& marker,
                       MarkerKinematics& result);

/// Add a force at a point and a moment on a body, in inertial components, to the applied wrenches
/// used by `forces` and `forward_dynamics`. Call after evaluate_positions or evaluate_state, which
/// leave the wrenches unchanged. Body -1 is the environment, where loads have no effect.
void apply_force(const Tree& tree, Index body, const Vector3& point, const Vector3& force,
                 const Vector3& moment, TreeWorkspace& work);

}  // namespace nsmb
