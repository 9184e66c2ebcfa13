// A proof that y = A x + b has no solution, independent of n and of the kind of A.
//
// If z >= 0, Aᵀz <= 0 and bᵀz < 0, then zᵀ(A x + b) < 0 for every x >= 0. Hence no x >= 0 has
// y >= 0, let alone a complementary one. By Farkas' lemma such a z exists exactly when
// {x >= 0, A x + b >= 0} is empty. The converse, that every feasible problem is solvable, holds for
// A with positive semidefinite symmetric part, and not in general.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Return the size of x that z excludes: every x >= 0 with A x + b >= 0 has a sum of entries larger
/// than this. inf: there is no such x; 0: z proves nothing. Because of rounding, Aᵀz <= 0 holds
/// only up to some 1e-16, so that solutions of the size of its inverse remain possible. Sums are
/// evaluated in twice the working precision, and their errors count against the proof. bᵀz closer
/// to zero than 1e-7 of its terms proves nothing, because data of that accuracy could be solvable.
double excluded_size(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& z);

/// Return true if z is a proof: it excludes every x up to 1e10 times column_i / b_scale, the
/// natural size of x_i in the equilibrated problem.
bool is_infeasibility_certificate(const ConstMatrixRef& A, const ConstVectorRef& b,
                                  const Vector& column_scale, double b_scale,
                                  const ConstVectorRef& z);

/// Search for a certificate by a linear program: the least t >= 0 with A x + b + t d >= 0 for some
/// x >= 0, on equilibrated data and with a positive d. Its dual solution is a certificate when
/// t > 0. Solved by Lemke's algorithm as a problem of 2 n + 1 unknowns with skew-symmetric matrix.
/// Allocates.
bool find_infeasibility_certificate(const ConstMatrixRef& A, const ConstVectorRef& b, Vector& z);

/// Return true if A + Aᵀ is positive semidefinite, up to a relative 1e-12 of its diagonal
/// (Cholesky).
bool is_positive_semidefinite(const ConstMatrixRef& A);

}  // namespace nsmb
