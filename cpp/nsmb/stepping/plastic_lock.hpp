// Treatment of a step whose contact problem no solver has solved.
//
// Impulses are accepted if they create no energy beyond that of restitution, and if no contact
// separates faster than it approached,
//
//   Λᵀ(γ_f + γ_E)/2 <= -Λᵀ(e γ_A),   max|γ_E| <= max(|γ_f| + |e γ_A|)
//
// where γ_f are the velocities without impulses. Otherwise the set C of contacts that are pressed
// or approach comes to rest, as in a plastic impact,
//
//   d = d_p + Z s,   W_Cᵀ d_p = -γ_fC,   ZᵀM Z s = -ZᵀM d_p,   W_CᵀZ = 0
//
// d_p and Z follow from W alone. Ratios of masses amplify nothing, since the new velocities are
// means of the old ones. If impulses in the friction cones of the contacts produce d, M d = W Λ,
// then d solves the problem.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb {

/// Contacts coupled by impulses. The columns of W are ordered by contact, as the rows of `blocks`.
struct CoupledContacts {
  Matrix M;                          // (n, n) symmetric, positive definite
  Matrix W;                          // (n, m) force directions
  Vector gamma_free;                 // (m) γ_f, m/s
  Vector given;                      // (m) e γ_A, the velocity required by restitution; > 0: the
                                     // contact may still approach
  std::vector<ContactBlock> blocks;  // friction-only contacts take no part in a lock
};

/// Return true if the impulses are accepted. `gamma` (m) are the velocities after the impulses
/// `Lambda` (m).
bool are_acceptable(const CoupledContacts& contacts, const Vector& Lambda, const Vector& gamma);

/// Return the fraction of the impulses that removes the most energy, so that none is created. It is
/// 0 if no fraction removes energy.
double braking_share(const CoupledContacts& contacts, const Vector& Lambda, const Vector& gamma);

struct PlasticLock {
  Vector change;           // (n) d, m/s
  Vector Lambda;           // (m) N s, impulses in the cones of the contacts whose effect is closest
                           // to M d
  double residual = 0.0;   // |M d - W Λ| over the largest entry of M d
  bool holds = false;      // a change d exists that brings all contacts of C to rest
  bool certified = false;  // M d = W Λ holds: the problem is solved
};

/// Lock contacts. C starts with the contacts that `Lambda` (m) presses and those that approach.
/// Contacts that would close are added.
PlasticLock lock(const CoupledContacts& contacts, const Vector& Lambda);

}  // namespace nsmb
