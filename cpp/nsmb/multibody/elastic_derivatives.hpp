// Elastic bodies in the derivatives of the recursion: the equivalent of derivatives.hpp for elastic
// coordinates.
//
// A section is moved by single velocities one after another: three shifts along the axes of its
// body, then its rotation. These are multiples C of the elastic velocities, and so are all columns
// of the changes beyond the section. With Γ the shifts change with p, C_k = Φ_k + Σ_l Γ_kl p_l. In
// terms of the columns of single shifts
//   ψ = C ψ + Ċ s,   ψ' = C ψ' + Ċ χ + C̈ s,   χ = C χ + 2 Ċ s,   plus ΔR_k = Γ_klᵀ (sᵀF),
// where Ċ and C̈ are those of ṗ and p̈ alone. For the body itself, let R_k be the residual of its
// coordinate k, F its force, and ψ, ψ' as above. Then
//   ΔR_k = h_kᵀψ' + b_kᵀψ,   b_k = (2 ∫ v × Φ_k dm + Ω × ∫ dJ ψ_k, 0),
// where v is the velocity of each point. B gains the term
//   x -> 2 ∫ (r × (x_R × ṡ), x_R × ṡ) dm + x_R × ∫ dJ ψ ṗ.
#pragma once

#include "nsmb/multibody/derivatives.hpp"

namespace nsmb {

/// Compute the columns of a section from those of its six velocities. v and a are those of its
/// body, at P.
void prepare_section(const Link& node, const Link& body, const TreeWorkspace& work,
                     const LinkState& parent, const Vector3& from_root, const ConstVectorRef& udot,
                     Vector6 v, Vector6 a, TreeDerivatives& d);

/// Compute the derivatives of an elastic body, and add its part to F and B of `own`, which contain
/// those of a rigid body so far.
void elastic_body_derivatives(const Link& link, const LinkState& state, const ElasticState& elastic,
                              const Vector3& gravity, LinkDerivatives& own, ElasticDerivatives& e);

/// Write rows and columns of a section, relative to everything further in and to itself, to D.
void section_derivatives(const Tree& tree, const Link& node, const LinkDerivatives& own,
                         const Vector6& weight, const TreeDerivatives& d, MatrixRef D);

/// Write the corresponding rows and columns of an elastic body without its sections.
void elastic_rows(const Tree& tree, Index place, const Vector6& weight, const TreeDerivatives& d,
                  MatrixRef D);

}  // namespace nsmb
