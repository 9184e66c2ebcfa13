// Small problems y = A x + b, 0 <= x ⟂ y >= 0 whose A has a positive definite symmetric part.
//
// Such a problem has a unique solution, so that it does not matter which path leads there.
// Principal pivots are made first on the pair that violates its sign most, later on the first that
// does (Murty's rule, which is finite). No scaling, artificial variable or lexicographic order is
// needed. Arrays have fixed size.
//
// Reference: Cottle, Pang, Stone: The Linear Complementarity Problem, sections 3.3 and 4.2.
#pragma once

#include "nsmb/complementarity/lcp.hpp"

namespace nsmb::internal {

inline constexpr Index kLargestDefinite = 8;  // unknowns

/// Solve for finite A (n, n), b (n), 1 <= n <= kLargestDefinite. Return false, and write nothing,
/// where A is not clearly definite or not finite, or the residual of the point found exceeds
/// `accept_residual`.
bool solve_definite_lcp(const ConstMatrixRef& A, const ConstVectorRef& b, double accept_residual,
                        LcpResult& result);

}  // namespace nsmb::internal
