// The linear complementarity problem y = A x + b, y >= 0, x >= 0, yᵀx = 0   (6.8).
#pragma once

#include <string_view>

#include "nsmb/complementarity/equilibration.hpp"
#include "nsmb/core/types.hpp"

namespace nsmb {

enum class LcpStatus {
  NotRun,
  Solved,          // recomputed residual within the tolerance
  Ray,             // Lemke ended on a ray for every covering vector tried: no statement
  PivotLimit,      // stopped after max_pivots
  NoSolution,      // proven: by a certificate, or no complementary cone contains b (enumeration)
  Inaccurate,      // a complementary basis was found, but its recomputed residual is too large
  TooLarge,        // more than max_size unknowns in an enumeration
  IterationLimit,  // an iteration ended without reaching the tolerance: no statement
  Stalled,         // nonlinear: no step from any start lowers the residual
};

std::string_view to_text(LcpStatus status);

/// Result of one solve. Solvers reuse its storage: repeated solves with the same n do not allocate.
struct LcpResult {
  LcpStatus status = LcpStatus::NotRun;
  Vector x;                  // (n) the best point found, also when not Solved; NaN: no point
  Vector y;                  // (n) A x + b, recomputed
  double residual = 0.0;     // natural residual, see below; inf when there is no point
  int pivots = 0;            // over all covering vectors
  int covering_vectors = 0;  // number of covering vectors tried
  Vector certificate;        // (n) proof of NoSolution, see infeasibility.hpp; empty: no proof
};

/// Return max_i |min(x_i, (A x + b)_i)| / max(1, ‖b‖_∞), computed from the original data. It is
/// zero at a solution and only there, and inf when x is not finite. All solvers check their results
/// with this residual.
double natural_residual(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& x);

/// Return the same residual, computed from y = A x + b.
double natural_residual_of(const ConstVectorRef& b, const ConstVectorRef& x,
                           const ConstVectorRef& y);

/// Compute y = A x + b, summed in the order in which natural_residual sums it.
void evaluate_lcp(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& x,
                  VectorRef y);

/// Throw std::invalid_argument unless A is (n, n), b (n) and both are finite.
void check_lcp(const ConstMatrixRef& A, const ConstVectorRef& b);

}  // namespace nsmb
