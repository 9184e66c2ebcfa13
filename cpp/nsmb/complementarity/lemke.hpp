// Lemke's complementary pivot algorithm with lexicographic ratio test.
//
// The problem y = A x + b (6.8) is augmented by one artificial variable z >= 0 and a covering
// vector e > 0,
//
//   y = A x + b + e z,   y, x, z >= 0,   y_i x_i = 0,
//
// which has the trivial solution x = 0, z large. Lowering z until a y_i vanishes starts a path of
// basic solutions along which exactly one pair (y_i, x_i) is out of the basis; the complement of
// the variable that left enters next. The path ends where z leaves (a solution) or on a ray (no
// variable blocks the entering one). The lexicographic ratio test makes the path unique also
// under ties, so that it cannot cycle.
//
// Reference: Cottle, Pang, Stone: The Linear Complementarity Problem, sections 4.4 and 4.9.
#pragma once

#include <Eigen/LU>
#include <vector>

#include "nsmb/complementarity/lcp.hpp"

namespace nsmb {

struct LemkeOptions {
  int max_pivots = 0;             // per covering vector; 0: 50 (n + 2)
  int max_covering_vectors = 8;   // the first is (1, ..., 1); the others deterministic and positive
  double accept_residual = 1e-9;  // a larger natural residual is not called solved
};

namespace internal {
class LemkeRun;
}

/// Scratch of one solve, one per thread; takes the size of the last problem and is reused while
/// the size stays. Carries nothing from one solve to the next: results do not depend on history.
class LemkeWorkspace {
  friend class internal::LemkeRun;

  Matrix A;  // (n, n) equilibrated copy of the data
  Vector b;  // (n) equilibrated, largest entry near one
  Vector row_scale, column_scale;
  double b_scale = 1.0;  // x = column_scale · (scaled x) / b_scale

  // Dictionary basic = q + T · nonbasic. Columns 0..n of T belong to `nonbasic`, column n + 1 is q.
  Matrix T;
  std::vector<Index> basic, nonbasic;    // variable of each row, of each column
  std::vector<Index> row_of, column_of;  // inverse of these two; -1 on the other side
  std::vector<Index> reference;          // basic variables at the start of the path
  std::vector<Index> candidates;         // rows in the ratio test
  Vector pivot_column, pivot_row;        // (n), (n + 2)

  std::vector<char> x_is_basic;  // complementary basis under test
  Matrix C;                      // (n, n) its columns e_i (y_i basic) or -a_i (x_i basic)
  Eigen::PartialPivLU<Matrix> lu;
  Vector z, correction, defect;  // (n) basic solution, its refinement
  Vector x;                      // (n) point offered to the result
  Vector y_start;                // (n) A x_start + b
};

/// Solve y = A x + b. `x_start` (n) is an optional warm start: its positive entries name the
/// complementary basis to begin with; when that basis solves the problem no pivot is made
/// (`pivots` counts steps along the path, not the transform into the start basis). x_start may be
/// `&result.x`.
/// Allocates nothing when workspace and result have last seen a problem of this size.
void solve_lemke(const ConstMatrixRef& A, const ConstVectorRef& b, const LemkeOptions& options,
                 LemkeWorkspace& workspace, LcpResult& result, const Vector* x_start = nullptr);

}  // namespace nsmb
