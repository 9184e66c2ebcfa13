// What becomes of a step whose contact problem no solver has solved.
//
// Accepted are impulses that create no energy beyond what restitution gives and that let nothing
// part faster than it came,
//
//   Λᵀ(γ_f + γ_E)/2 <= -Λᵀ(e γ_A),   max|γ_E| <= max(|γ_f| + |e γ_A|)
//
// with γ_f the velocities without impulses. Otherwise the contacts C that are pressed, or approach,
// come to rest, as by a plastic impact,
//
//   d = d_p + Z s,   W_Cᵀ d_p = -γ_fC,   ZᵀM Z s = -ZᵀM d_p,   W_CᵀZ = 0
//
// d_p and Z are found from W alone. No ratio of masses amplifies anything: the new velocities are
// means of the old ones. Where impulses in the cones of the contacts lead there, M d = W Λ, this is
// a solution of the problem.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb {

/// Contacts that impulses couple. Columns of W by contacts, as the rows of `blocks` say.
struct CoupledContacts {
  Matrix M;                          // (n, n) symmetric, positive definite
  Matrix W;                          // (n, m) force directions
  Vector gamma_free;                 // (m) γ_f, m/s
  Vector given;                      // (m) e γ_A, what restitution asks for; > 0: may go on
  std::vector<ContactBlock> blocks;  // friction alone has no part in a lock
};

/// See above. `gamma` (m) are the velocities that the impulses `Lambda` (m) lead to.
bool are_acceptable(const CoupledContacts& contacts, const Vector& Lambda, const Vector& gamma);

/// Which part of such impulses takes most of the energy: it creates none. 0: none does.
double braking_share(const CoupledContacts& contacts, const Vector& Lambda, const Vector& gamma);

struct PlasticLock {
  Vector change;           // (n) d, m/s
  Vector Lambda;           // (m) N s in the cones of the contacts, as near to M d as there are
  double residual = 0.0;   // |M d - W Λ|, part of the largest entry of M d
  bool holds = false;      // all contacts of C are at rest: there is such a d
  bool certified = false;  // M d = W Λ: the problem is solved
};

/// C starts with the contacts that `Lambda` (m) presses and those that approach; contacts that
/// would close join it.
PlasticLock lock(const CoupledContacts& contacts, const Vector& Lambda);

}  // namespace nsmb
