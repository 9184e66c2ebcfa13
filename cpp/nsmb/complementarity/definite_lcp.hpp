// Small problems y = A x + b, 0 <= x ⟂ y >= 0 whose A has a positive definite symmetric part.
//
// They have one solution each, so that it does not matter which path leads there: principal pivots
// on the pair that violates its sign most, later on the first that does (Murty's rule, which comes
// to an end). Without scaling, artificial variable and lexicographic order, in arrays of fixed
// size.
//
// Reference: Cottle, Pang, Stone: The Linear Complementarity Problem, sections 3.3 and 4.2.
#pragma once

#include "nsmb/complementarity/lcp.hpp"

namespace nsmb::internal {

inline constexpr Index kLargestDefinite = 8;  // unknowns

/// A (n, n), b (n) finite, 1 <= n <= kLargestDefinite. False, and nothing is written, where A is
/// not clearly definite or not finite, or the residual of the point found exceeds
/// `accept_residual`.
bool solve_definite_lcp(const ConstMatrixRef& A, const ConstVectorRef& b, double accept_residual,
                        LcpResult& result);

}  // namespace nsmb::internal
