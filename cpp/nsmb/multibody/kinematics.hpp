// Positions, velocities and Jacobians of all bodies of a tree, (2.29)-(2.35).
#pragma once

#include "nsmb/multibody/tree_workspace.hpp"
#include "nsmb/system/cliques.hpp"

namespace nsmb {

/// Fills positions and columns: what the mass matrix and the inverse mass need. q (nq).
void evaluate_positions(const Tree& tree, double t, const ConstVectorRef& q, TreeWorkspace& work);

/// Fills everything up to the accelerations without u̇. q (nq), u (nu).
void evaluate_state(const Tree& tree, double t, const ConstVectorRef& q, const ConstVectorRef& u,
                    TreeWorkspace& work);

/// A frame fixed in a body, or with body = -1 in the environment.
struct Marker {
  Index body = -1;
  Frame frame;  // in the body frame
};

/// All components are those of the inertial frame, (3.4):
///   v = J_S u + j_tilde_S,   a = J_S u̇ + j_bar_S,
///   Ω = J_R u + j_tilde_R,   Ω̇ = J_R u̇ + j_bar_R.
struct MarkerKinematics {
  explicit MarkerKinematics(Index nu);
  MarkerKinematics(const Tree& tree, const Marker& marker);

  Vector3 r;  // m
  Matrix3 A;  // marker components to inertial ones
  Vector3 v, Omega;
  Eigen::Matrix<double, 3, Eigen::Dynamic> J_S, J_R;  // (3, nu)
  Vector3 j_tilde_S, j_tilde_R, j_bar_S, j_bar_R;
  bool moves = true;     // false: on the ground, J is zero
  VelocityRanges reach;  // all columns of J that may not be zero
};

/// After evaluate_state. The result is new, or has been that of the same marker.
void marker_kinematics(const Tree& tree, const TreeWorkspace& work, const Marker& marker,
                       MarkerKinematics& result);

/// Adds a force at a point and a moment on a body, all in inertial components, to the applied
/// wrenches that `forces` and `forward_dynamics` take in. After evaluate_positions or
/// evaluate_state, which leave the wrenches alone; body -1 is the environment and takes everything.
void apply_force(const Tree& tree, Index body, const Vector3& point, const Vector3& force,
                 const Vector3& moment, TreeWorkspace& work);

}  // namespace nsmb
