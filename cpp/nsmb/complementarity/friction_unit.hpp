// The laws of one contact, solved with all others held: y = A x + c with its diagonal block A.
#pragma once

#include "nsmb/complementarity/friction_contacts.hpp"

namespace nsmb::internal {

/// A normal row and a disc of two rows that grows with it, beside everything that its impulses do
/// not change: the normal impulse for y_N = 0 is n_0 + nᵀx_T, and what is left is a disc in the
/// plane with S = A_TT + A_TN nᵀ.
struct CoulombLaw {
  double mu = 0.0;
  double inverse = 0.0;  // 1 / A_NN
  double A_TN[2] = {};
  double n[2] = {};
  double S[4] = {}, inverse_S[4] = {};  // columns one after the other

  void assign(const double* A, double friction);  // (3, 3)
  /// x (3), in place, from c (3): exactly.
  void solve(const double* c, double* x) const;
};

/// x (rows of the unit), in place, from c (rows): exactly for one normal with at most one disc,
/// part by part, once, for others. `x_all` holds normal impulses of other units that radii ask
/// for.
void solve_unit(const ContactSystem& system, Index unit, const double* c, const Vector& x_all,
                double* x);

/// The point of a disc of two rows with -(A x + c) ∈ N_C(x), A (2, 2) column by column, positive
/// definite; x holds a first guess.
void solve_disc(const double* A, const double* c, double radius, double* x);

}  // namespace nsmb::internal
