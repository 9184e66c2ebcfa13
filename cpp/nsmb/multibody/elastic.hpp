// Elastic bodies: small displacements as functions of position, about a frame that moves with the
// body. The recursion takes matrices and is independent of the origin of functions and integrals.
#pragma once

#include <string_view>

#include "nsmb/multibody/frame.hpp"

namespace nsmb {

using Rows3 = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// Inertia and stiffness of elastic coordinates p (n). Points of the body are displaced by s = Φ(x)
/// p and its sections are rotated by ψ(x) p, (11.4), (14.37). Components are in the body frame, and
/// x are positions in the body at p = 0. The displacement is used exactly as given, at any size.
/// Sections contribute their rotary inertia as if they had not rotated.
///
/// Where forces along the body stiffen it, displacements have a second order, s = Φ p + ½ Γ_kl p_k
/// p_l with Γ_kl = Γ_lk. This term describes how far points approach each other as the body bends
/// without strain. It enters momentum to first order and inertia to second order in p. It does not
/// enter the kinetic energy of ṗ alone.
struct ElasticDescription {
  Rows3 displacement;  // ∫ Φ dm (3, n), kg
  Matrix first;        // ∫ Φ_k xᵀ dm stacked, (3 n, 3), kg m
  Matrix second;       // ∫ Φ_k Φ_lᵀ dm (3 n, 3 n), kg
  Rows3 turn;          // ∫ dJ ψ (3, n), h of (11.16), kg m²
  Matrix turning;      // ∫ ψᵀ dJ ψ (n, n), kg m²
  Matrix stiffness;    // (n, n), J at p = 1
  Matrix damping;      // (n, n)
  // For a body with stiffening; otherwise empty.
  Matrix drawn{};        // ∫ Γ_kl dm in rows 3 k, column l (3 n, n), kg
  Matrix drawn_first{};  // ∫ Γ_kl xᵀ dm (3 n, 3 n), kg m

  Index size() const { return stiffness.rows(); }
  bool stiffens() const { return drawn.size() > 0; }
  /// Return the mass matrix (n, n), which is the same at rest and in motion.
  Matrix mass_matrix() const;
};

/// An elastic description relative to the frame of a link, as the recursions need it.
struct ElasticLink : ElasticDescription {
  ElasticLink(const ElasticDescription& body, const Frame& frame);
  Matrix mass;      // M_el of (11.16) and the first part of (14.44)
  Matrix coupling;  // (3 n, 3 n) derivative of ∫ Φ_k rᵀ dm by p_l: `second` plus `drawn_first`
  bool displaces;   // false: sections rotate and no point is displaced
};

/// A section of an elastic body. Its frame F is displaced by Φ p and rotated by the angles ψ p
/// about its own axes e_x, e_y, e_z of the body frame, in this order. For small angles the order
/// does not matter.
struct ElasticNode {
  Rows3 displacement;                  // Φ (3, n), m
  Rows3 turn;                          // ψ (3, n), rad
  Matrix3 axes = Matrix3::Identity();  // e_x, e_y, e_z
  Matrix drawn{};                      // Γ_kl in rows 3 k, column l (3 n, n), m; may be empty

  bool stiffens() const { return drawn.size() > 0; }
  /// Return Σ_l Γ_kl x_l, the displacements of Γ_k for coordinates x.
  auto drawn_by(Index k, const Vector& x) const { return drawn.middleRows<3>(3 * k) * x; }

  /// Return the section with components in `frame`, which is fixed in the body frame.
  ElasticNode seen_from(const Frame& frame) const;
};

/// Return the description with symmetric matrices. Throws std::invalid_argument for wrong sizes,
/// non-finite numbers, and matrices that are no valid inertia, stiffness or damping.
ElasticDescription checked_elastic(const std::string& what, const ElasticDescription& elastic);

/// Throw std::invalid_argument for sizes other than `n` and non-finite numbers.
void check_node(const std::string& what, const ElasticNode& node, Index n);

}  // namespace nsmb
