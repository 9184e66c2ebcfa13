// Elastic bodies: small displacements by functions of the place, about a frame that moves with the
// body. The recursion takes matrices; where functions and integrals come from is not its business.
#pragma once

#include <string_view>

#include "nsmb/multibody/frame.hpp"

namespace nsmb {

using Rows3 = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// Inertia and stiffness of elastic coordinates p (n): points of the body are displaced by
/// s = Φ(x) p and its sections turned by ψ(x) p, (11.4), (14.37). Components are those of the body
/// frame, places x those of the body at p = 0. The displacement is taken as it stands, of any size;
/// sections add their turning inertia as if they had not turned.
///
/// Where forces along the body stiffen it, displacements have a second order, s = Φ p + ½ Γ_kl p_k
/// p_l with Γ_kl = Γ_lk: how far points draw near as the body bends without strain. It enters
/// momentum and inertia to first and second order in p, the kinetic energy of ṗ alone not at all.
struct ElasticDescription {
  Rows3 displacement;  // ∫ Φ dm (3, n), kg
  Matrix first;        // ∫ Φ_k xᵀ dm one below the other (3 n, 3), kg m
  Matrix second;       // ∫ Φ_k Φ_lᵀ dm (3 n, 3 n), kg
  Rows3 turn;          // ∫ dJ ψ (3, n), h of (11.16), kg m²
  Matrix turning;      // ∫ ψᵀ dJ ψ (n, n), kg m²
  Matrix stiffness;    // (n, n), J for p of 1
  Matrix damping;      // (n, n)
  // Of a body that is stiffened; otherwise empty.
  Matrix drawn{};        // ∫ Γ_kl dm in rows 3 k, column l (3 n, n), kg
  Matrix drawn_first{};  // ∫ Γ_kl xᵀ dm (3 n, 3 n), kg m

  Index size() const { return stiffness.rows(); }
  bool stiffens() const { return drawn.size() > 0; }
  /// (n, n), at rest and in motion the same.
  Matrix mass_matrix() const;
};

/// The same about the frame of a link, as the recursions need it.
struct ElasticLink : ElasticDescription {
  ElasticLink(const ElasticDescription& body, const Frame& frame);
  Matrix mass;      // M_el of (11.16) and the first part of (14.44)
  Matrix coupling;  // (3 n, 3 n) change of ∫ Φ_k rᵀ dm with p_l: `second`, `drawn_first` besides
  bool displaces;   // false: sections turn, and nothing else
};

/// A section of an elastic body: its frame F is displaced by Φ p and turned by the angles ψ p about
/// its own axes e_x, e_y, e_z of the body frame, in turn; where they are small their order is none.
struct ElasticNode {
  Rows3 displacement;                  // Φ (3, n), m
  Rows3 turn;                          // ψ (3, n), rad
  Matrix3 axes = Matrix3::Identity();  // e_x, e_y, e_z
  Matrix drawn{};                      // Γ_kl in rows 3 k, column l (3 n, n), m; empty: none

  bool stiffens() const { return drawn.size() > 0; }
  /// Of Γ_k: its displacements for coordinates x, Σ_l Γ_kl x_l.
  auto drawn_by(Index k, const Vector& x) const { return drawn.middleRows<3>(3 * k) * x; }

  /// Components in `frame`, fixed in the body frame.
  ElasticNode seen_from(const Frame& frame) const;
};

/// With symmetric matrices. Throws std::invalid_argument for wrong sizes, numbers that are not
/// finite, and matrices that are no inertia, stiffness or damping.
ElasticDescription checked_elastic(const std::string& what, const ElasticDescription& elastic);

/// Throws std::invalid_argument for sizes other than `n` and numbers that are not finite.
void check_node(const std::string& what, const ElasticNode& node, Index n);

}  // namespace nsmb
