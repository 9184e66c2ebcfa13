// The laws of one contact, solved with all others held: y = A x + c with its diagonal block A.
#pragma once

#include "nsmb/complementarity/friction_contacts.hpp"

namespace nsmb::internal {

/// x (rows of the unit), in place, from c (rows): exactly for one normal with at most one disc,
/// part by part in turn for others. `x_all` holds normal impulses of other units that radii ask
/// for.
void solve_unit(const ContactSystem& system, Index unit, const double* c, const Vector& x_all,
                double* x);

/// The point of a disc of two rows with -(A x + c) ∈ N_C(x), A (2, 2) column by column, positive
/// definite; x holds a first guess.
void solve_disc(const double* A, const double* c, double radius, double* x);

}  // namespace nsmb::internal
