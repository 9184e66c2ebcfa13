// Derivatives of the recursions with respect to positions and velocities, at given accelerations.
//
// Motions and forces of one tree are those at one point P, the origin of the first link of the way,
// held where it is now; × and ×* are the cross products of pairs (R, T) of motion and of motion and
// force. Velocity j, with column s_j fixed in both its neighbours, or in the body for a ball joint,
// turns and shifts everything behind it as a rigid body. Seen from what moves along, only this
// changes behind it, with v_-, a_- in front of the velocity and v_i, a_i of body i:
//
//   by position j:  Δv_i = ψ,          Δa_i = ψ' + ψ × v_i,     ψ = v_- × s_j,  ψ' = a_- × s_j +
//   v_- × ψ by velocity j:  Δv_i = s_j,        Δa_i = χ + s_j × v_i,    χ = ψ + ṡ_j
//
// so that with the inertia I_i, F_i = I_i a_i + v_i ×* I_i v_i - (applied), and
// B_i x = I_i (x × v_i) + x ×* I_i v_i + v_i ×* I_i x, all summed up over the bodies behind,
//   ∂(sᵀF)_i = s_iᵀ (I ψ' + B ψ)_j, s_iᵀ (I χ + B s)_j    for i behind j: with I, B of i
// and for i in front of j with those of j, by positions with s_j ×* F_j besides.
#pragma once

#include "nsmb/multibody/kinematics.hpp"

namespace nsmb {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// A link at given accelerations, at P.
struct LinkDerivatives {
  Vector3 P = Vector3::Zero();
  Vector6 v, a;  // a without gravity
  Matrix6 I, B;  // of all behind the joint
  Vector6 F;
};

/// One velocity: its column and the changes it makes, at P.
struct ColumnDerivatives {
  Vector6 s, psi, psi_dot, chi;
};

/// The six velocities of a section: shifts along the axes of its body, then its turns.
using Singles = std::array<ColumnDerivatives, 6>;

/// A section: its velocities, and how far each elastic one shifts it along the axes of its body.
struct SectionDerivatives {
  explicit SectionDerivatives(Index n);
  Singles single;
  Rows3 shift, rate, acceleration;  // (3, n), at p and in time: all but the first 0 where none is
                                    // drawn by another
};

/// An elastic body beside its sections, by motions ψ', ψ and by its own coordinates.
struct ElasticDerivatives {
  explicit ElasticDerivatives(Index n);
  Vector rate;                                        // p̈
  Eigen::Matrix<double, 6, Eigen::Dynamic> h, b;      // of its residual, at P
  Eigen::Matrix<double, 6, Eigen::Dynamic> F_p, F_v;  // of its force, at P
  Matrix R_p, R_v;                                    // of its residual
};

/// Columns are positions, then velocities, nu of each. Where coordinates are quaternions, positions
/// are the angles about the axes of the body.
struct TreeDerivatives {
  explicit TreeDerivatives(const Tree& tree);

  std::vector<LinkDerivatives> links;
  std::vector<ColumnDerivatives> columns;  // in the order of evaluation
  std::vector<ElasticDerivatives> elastic;
  std::vector<ColumnDerivatives> node_columns;  // by the elastic velocities
  std::vector<SectionDerivatives> sections;     // of nodes
};

/// Does every joint say how its velocities follow each other?
bool has_derivatives(const Tree& tree);

/// Velocity in the order of the user, and column, of all that moves a link, outwards to inwards.
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

/// v × of motions, x ×* of motion and force.
Vector6 motion_cross(const Vector6& x, const Vector6& y);
Vector6 force_cross(const Vector6& x, const Vector6& F);
/// Motion of the point O, with T its velocity, and force, at the point P it is `d` away from.
Vector6 at_origin(const Pair& motion, const Vector3& d);
Vector6 force_at_origin(const Pair& force, const Vector3& d);

/// At the accelerations udot (nu). After evaluate_state at u; all below after this.
void prepare_derivatives(const Tree& tree, const TreeWorkspace& work, const ConstVectorRef& u,
                         const ConstVectorRef& udot, TreeDerivatives& d);

/// Of M u̇ - h - (applied), D (nu, 2 nu); what is applied moves along with its body.
void inverse_dynamics_derivatives(const Tree& tree, const TreeWorkspace& work, TreeDerivatives& d,
                                  MatrixRef D);

/// Changes of a marker: components of the inertial frame, (3, 2 nu) each.
struct MarkerDerivatives {
  explicit MarkerDerivatives(Index nu);
  Vector3 a, alpha;  // the acceleration itself and Ω̇
  Rows3 phi, r;      // turn and shift
  Rows3 Omega, v, alpha_y, a_y;
};

void marker_derivatives(const Tree& tree, const TreeDerivatives& d, const Marker& marker,
                        const MarkerKinematics& kinematics, MarkerDerivatives& result);

/// From positions and velocities, (any, 2 nu), to (q, u), (any, nq + nu).
void to_coordinates(const Tree& tree, const ConstVectorRef& q, const ConstMatrixRef& by_positions,
                    MatrixRef by_coordinates);

/// Of q̇ = B(q) u, (nq, nq + nu).
void rate_derivatives(const Tree& tree, const ConstVectorRef& q, const ConstVectorRef& u,
                      MatrixRef result);

}  // namespace nsmb
