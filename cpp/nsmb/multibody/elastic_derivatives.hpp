// Elastic bodies in the derivatives of the recursion: what derivatives.hpp says of one velocity,
// for elastic coordinates.
//
// A section is moved by four velocities one after the other: shifts along the axes of its body,
// then its turn; they are multiples C of the elastic ones, and so are all columns of what changes
// behind the section. With Γ the shifts among them change with p, C_k = Φ_k + Σ_l Γ_kl p_l, so that
// with those of single shifts
//   ψ = C ψ + Ċ s,   ψ' = C ψ' + Ċ χ + C̈ s,   χ = C χ + 2 Ċ s,   ΔR_k = Γ_klᵀ (sᵀF) besides,
// Ċ and C̈ those of ṗ and of p̈ alone. Of the body itself, with R_k the residual of its coordinate k,
// F its force and ψ, ψ' as there,
//   ΔR_k = h_kᵀψ' + b_kᵀψ,   b_k = (2 ∫ v × Φ_k dm + Ω × ∫ dJ ψ_k, 0),
// v the velocity of each point; to B comes x -> 2 ∫ (r × (x_R × ṡ), x_R × ṡ) dm + x_R × ∫ dJ ψ ṗ.
#pragma once

#include "nsmb/multibody/derivatives.hpp"

namespace nsmb {

/// Columns of a section, from those of its six velocities; v and a are those of its body, at P.
void prepare_section(const Link& node, const Link& body, const TreeWorkspace& work,
                     const LinkState& parent, const Vector3& from_root, const ConstVectorRef& udot,
                     Vector6 v, Vector6 a, TreeDerivatives& d);

/// Fills the derivatives of an elastic body, and adds its part to F and B of `own`, so far those of
/// a rigid body.
void elastic_body_derivatives(const Link& link, const LinkState& state, const ElasticState& elastic,
                              const Vector3& gravity, LinkDerivatives& own, ElasticDerivatives& e);

/// Rows and columns of a section against all in front of it, and against itself, into D.
void section_derivatives(const Tree& tree, const Link& node, const LinkDerivatives& own,
                         const Vector6& weight, const TreeDerivatives& d, MatrixRef D);

/// The same of what an elastic body is beside its sections.
void elastic_rows(const Tree& tree, Index place, const Vector6& weight, const TreeDerivatives& d,
                  MatrixRef D);

}  // namespace nsmb
