// Nonnegative least squares, which decides whether a vector is in the cone of some columns.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

struct NnlsResult {
  Vector z;               // (n) minimizer; the columns of its positive entries are independent
  double residual = 0.0;  // ‖C z - d‖₂, recomputed
  bool converged = false;
};

/// Minimize ‖C z - d‖₂ over z >= 0 by the active-set method of Lawson and Hanson (Solving Least
/// Squares Problems, chapter 23). C (m, n) and d (m) of size one; for small, dense problems.
NnlsResult solve_nnls(const ConstMatrixRef& C, const ConstVectorRef& d);

}  // namespace nsmb
