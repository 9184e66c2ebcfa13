// A proof that y = A x + b has no solution, independent of n and of the kind of A.
//
// If z >= 0, Aᵀz <= 0 and bᵀz < 0, then zᵀ(A x + b) < 0 for every x >= 0, so that no x >= 0 has
// y >= 0, let alone a complementary one. By the lemma of Farkas such a z exists exactly when
// {x >= 0, A x + b >= 0} is empty. The converse, solvable when feasible, holds for A with positive
// semidefinite symmetric part, and not in general.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// What z excludes: every x >= 0 with A x + b >= 0 has a sum of entries larger than this. inf:
/// there is none at all; 0: z proves nothing. Rounding makes Aᵀz <= 0 hold up to some 1e-16 only,
/// so that solutions of the size of its inverse remain possible. Sums are evaluated in twice the
/// working precision, and their errors counted against the proof. bᵀz closer to zero than 1e-7 of
/// its terms proves nothing, because data of that accuracy could be solvable.
double excluded_size(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& z);

/// Whether z excludes everything up to 1e10 times the size that the equilibrated problem lends to
/// x_i, column_i / b_scale: what is called a proof.
bool is_infeasibility_certificate(const ConstMatrixRef& A, const ConstVectorRef& b,
                                  const Vector& column_scale, double b_scale,
                                  const ConstVectorRef& z);

/// Look for a certificate by a linear program, the least t >= 0 with A x + b + t d >= 0 for some
/// x >= 0, on equilibrated data and with a positive d; its dual solution is one when t > 0. Solved
/// by Lemke's algorithm as a problem of 2 n + 1 unknowns with skew-symmetric matrix. Allocates.
bool find_infeasibility_certificate(const ConstMatrixRef& A, const ConstVectorRef& b, Vector& z);

/// Whether A + Aᵀ is positive semidefinite, up to a relative 1e-12 of its diagonal (Cholesky).
bool is_positive_semidefinite(const ConstMatrixRef& A);

}  // namespace nsmb
