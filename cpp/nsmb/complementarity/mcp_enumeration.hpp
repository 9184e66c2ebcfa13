// All pieces of a small affine mixed complementarity problem: every solution, or the proof that
// there is none.
//
// Each x_i is at its lower bound, between its bounds or at its upper bound. There are at most 3^n
// pieces, on each of which the problem is a system of linear equations and inequalities. Pieces
// with a singular matrix are decided by nonnegative least squares.
#pragma once

#include <vector>

#include "nsmb/complementarity/mcp.hpp"

namespace nsmb {

struct McpEnumerationOptions {
  int max_pieces = 60000;         // at most 16 million
  double accept_residual = 1e-9;  // natural residual of an accepted solution
};

struct McpEnumerationResult {
  McpResult first;                // status, and the first solution in the order of the pieces
  std::vector<Vector> solutions;  // distinct x: the isolated ones, one from each piece's continuum
  bool complete = false;          // no piece with a singular matrix contains a solution
};

/// Return the number of pieces: a factor 2 for each pair with one finite bound, 3 for each with
/// two. It is a floating-point number, because it may be large.
double count_mcp_pieces(const ConstVectorRef& lower, const ConstVectorRef& upper);

/// Find all solutions. `first.status` is Solved, NoSolution, TooLarge (nothing was tried) or
/// Inaccurate. Inaccurate means that no solution is within the tolerance, but one is missed so
/// narrowly that this is not a proof.
McpEnumerationResult solve_mcp_enumeration(const ConstMatrixRef& A, const ConstVectorRef& b,
                                           const ConstVectorRef& lower, const ConstVectorRef& upper,
                                           const McpEnumerationOptions& options = {});

}  // namespace nsmb
