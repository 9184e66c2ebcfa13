// Derivatives of the recursions with respect to positions and velocities, at given accelerations.
//
// All motions and forces of one tree refer to one point P, the current origin of the first link of
// the chain, which is held fixed. × and ×* are the cross products of pairs (R, T), motion with
// motion and motion with force. The column s_j of velocity j is fixed in both neighbours of the
// joint, or in the body for a ball joint. Velocity j rotates and translates everything beyond it as
// a rigid body. Relative to this motion, only the following changes remain. v_-, a_- are the motion
// just before the velocity, and v_i, a_i that of body i:
//
//   by position j:  Δv_i = ψ,    Δa_i = ψ' + ψ × v_i,   ψ = v_- × s_j,   ψ' = a_- × s_j + v_- × ψ
//   by velocity j:  Δv_i = s_j,  Δa_i = χ + s_j × v_i,  χ = ψ + ṡ_j
//
// Let I_i be the inertia, F_i the force and B_i as follows, summed over all bodies further out:
//   F_i = I_i a_i + v_i ×* I_i v_i - (applied),
//   B_i x = I_i (x × v_i) + x ×* I_i v_i + v_i ×* I_i x.
// Then
//   ∂(sᵀF)_i = s_iᵀ (I ψ' + B ψ)_j, s_iᵀ (I χ + B s)_j    for i beyond j, with I, B of i.
// For i before j the formulas use I, B of j, and by positions they gain s_j ×* F_j.
#pragma once

#include "nsmb/multibody/kinematics.hpp"

namespace nsmb {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Motion and inertia of a link at given accelerations, at P.
struct LinkDerivatives {
  Vector3 P = Vector3::Zero();
  Vector6 v, a;  // a without gravity
  Matrix6 I, B;  // of everything beyond the joint
  Vector6 F;
};

/// The column of one velocity and the changes it causes, at P.
struct ColumnDerivatives {
  Vector6 s, psi, psi_dot, chi;
};

/// The six velocities of a section: translations along the axes of its body, then rotations.
using Singles = std::array<ColumnDerivatives, 6>;

/// A section: its velocities, and the translation of each elastic velocity along the axes of its
/// body.
struct SectionDerivatives {
  explicit SectionDerivatives(Index n);
  Singles single;
  Rows3 shift, rate, acceleration;  // (3, n), at p; rates vanish without Γ
};

/// An elastic body without its sections, for motions ψ', ψ and for its own coordinates.
struct ElasticDerivatives {
  explicit ElasticDerivatives(Index n);
  Vector rate;                                        // p̈
  Eigen::Matrix<double, 6, Eigen::Dynamic> h, b;      // of its residual, at P
  Eigen::Matrix<double, 6, Eigen::Dynamic> F_p, F_v;  // of its force, at P
  Matrix R_p, R_v;                                    // of its residual
};

/// Derivatives of a tree. Columns are positions, then velocities, nu of each. Where coordinates are
/// quaternions, positions are the angles about the axes of the body.
struct TreeDerivatives {
  explicit TreeDerivatives(const Tree& tree);

  std::vector<LinkDerivatives> links;
  std::vector<ColumnDerivatives> columns;  // in the order of evaluation
  std::vector<ElasticDerivatives> elastic;
  std::vector<ColumnDerivatives> node_columns;  // with respect to the elastic velocities
  std::vector<SectionDerivatives> sections;     // of nodes
};

/// Return true if every joint reports how its velocities follow one another.
bool has_derivatives(const Tree& tree);

/// Visit all velocities that move a link, outermost first, with their index for the user and their
/// column.
template <typename Visit>
void visit_way(const Tree& tree, const TreeDerivatives& d, Index place, const Visit& visit) {
  const std::vector<Link>& links = tree.links();
  for (Index p = place; p >= 0; p = links[static_cast<std::size_t>(p)].parent) {
    const Link& link = links[static_cast<std::size_t>(p)];
    for (Index k = link.first_u; k < link.first_u + link.nu; ++k) {
      visit(tree.user_u(k), d.columns[static_cast<std::size_t>(k)]);
    }
    if (link.kind != JointKind::Node) continue;
    const Link& body = links[static_cast<std::size_t>(link.parent)];
    for (Index k = 0; k < body.n_el; ++k) {
      visit(body.first_el_user() + k,
            d.node_columns[static_cast<std::size_t>(link.first_column + k)]);
    }
  }
}

/// Return v × for motions and x ×* for motion and force.
Vector6 motion_cross(const Vector6& x, const Vector6& y);
Vector6 force_cross(const Vector6& x, const Vector6& F);
/// Return a motion of the point O, with T its velocity, or a force at O, transferred to the point
/// P, with `d` between O and P.
Vector6 at_origin(const Pair& motion, const Vector3& d);
Vector6 force_at_origin(const Pair& force, const Vector3& d);

/// Prepare derivatives at the accelerations udot (nu). Call after evaluate_state at u, and before
/// all functions below.
void prepare_derivatives(const Tree& tree, const TreeWorkspace& work, const ConstVectorRef& u,
                         const ConstVectorRef& udot, TreeDerivatives& d);

/// Compute D (nu, 2 nu), the derivatives of M u̇ - h - (applied). The applied wrenches move with
/// their bodies.
void inverse_dynamics_derivatives(const Tree& tree, const TreeWorkspace& work, TreeDerivatives& d,
                                  MatrixRef D);

/// Derivatives of a marker, in inertial components, shape (3, 2 nu) each.
struct MarkerDerivatives {
  explicit MarkerDerivatives(Index nu);
  Vector3 a, alpha;  // the acceleration itself and Ω̇
  Rows3 phi, r;      // rotation and displacement
  Rows3 Omega, v, alpha_y, a_y;
};

void marker_derivatives(const Tree& tree, const TreeDerivatives& d, const Marker& marker,
                        const MarkerKinematics& kinematics, MarkerDerivatives& result);

/// Convert derivatives by positions and velocities, (any, 2 nu), to derivatives by (q, u),
/// (any, nq + nu).
void to_coordinates(const Tree& tree, const ConstVectorRef& q, const ConstMatrixRef& by_positions,
                    MatrixRef by_coordinates);

/// Compute derivatives of q̇ = B(q) u, (nq, nq + nu).
void rate_derivatives(const Tree& tree, const ConstVectorRef& q, const ConstVectorRef& u,
                      MatrixRef result);

}  // namespace nsmb
