// All complementary cones of a small problem: every solution, or the proof that there is none.
//
// Each choice of one variable out of every pair (y_i, x_i) spans the cone of the columns of C, e_i
// for y_i and -a_i for x_i (section 6.4). A solution exists exactly when b lies in one of the 2^n
// cones. Cones with singular C are decided by nonnegative least squares: they may contain no x, one
// x, or a continuum.
#pragma once

#include <vector>

#include "nsmb/complementarity/lcp.hpp"

namespace nsmb {

struct EnumerationOptions {
  int max_size = 16;              // 2^n cones; at most 24
  double accept_residual = 1e-9;  // natural residual of an accepted solution
};

struct EnumerationResult {
  LcpResult first;                // status, and the first solution in cone order
  std::vector<Vector> solutions;  // distinct x: the isolated ones, one from each cone's continuum
  bool unique = false;            // exactly one x found, to rounding; false also when there is none
};

/// Find all solutions. `first.status` is Solved, NoSolution, TooLarge (nothing was tried) or
/// Inaccurate. Inaccurate means that no solution is within the tolerance, but b is so close to a
/// cone that this is not a proof.
EnumerationResult solve_enumeration(const ConstMatrixRef& A, const ConstVectorRef& b,
                                    const EnumerationOptions& options = {});

}  // namespace nsmb
