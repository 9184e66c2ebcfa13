// The laws of one contact, solved with all others fixed: y = A x + c with its diagonal block A.
#pragma once

#include "nsmb/complementarity/friction_contacts.hpp"

namespace nsmb::internal {

/// The law of a normal row and a disc of two rows whose radius grows with it, and the quantities
/// that do not depend on its impulses. The normal impulse for y_N = 0 is n_0 + nᵀx_T. What remains
/// is a disc in the plane with S = A_TT + A_TN nᵀ.
struct CoulombLaw {
  double mu = 0.0;
  double inverse = 0.0;  // 1 / A_NN
  double A_TN[2] = {};
  double n[2] = {};
  double S[4] = {}, inverse_S[4] = {};  // column by column

  void assign(const double* A, double friction);  // (3, 3)
  /// Compute x (3) in place from c (3), exactly.
  void solve(const double* c, double* x) const;
};

/// Compute x (rows of the unit) in place from c (rows). The result is exact for one normal with at
/// most one disc. Other units are updated part by part, once. `x_all` holds normal impulses of
/// other units on which radii depend.
void solve_unit(const ContactSystem& system, Index unit, const double* c, const Vector& x_all,
                double* x);

/// Compute the point of a disc of two rows with -(A x + c) ∈ N_C(x), A (2, 2) column by column,
/// positive definite. On entry x holds an initial guess.
void solve_disc(const double* A, const double* c, double radius, double* x);

}  // namespace nsmb::internal
