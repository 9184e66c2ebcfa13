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
// variable blocks the entering one). The lexicographic ratio test makes the path unique even in the
// case of ties, so that it cannot cycle.
//
// A path that ends on a ray proves nothing about the problem, with two exceptions: the rates of x
// along the ray, or a linear program, may prove that A x + b >= 0 has no solution x >= 0
// (infeasibility.hpp).
//
// Reference: Cottle, Pang, Stone: The Linear Complementarity Problem, sections 4.4 and 4.9.
#pragma once

#include <vector>

#include "nsmb/complementarity/dictionary.hpp"
#include "nsmb/complementarity/lcp.hpp"
#include "nsmb/complementarity/start_point.hpp"
#include "nsmb/core/dense_lu.hpp"

namespace nsmb {

struct LemkeOptions {
  int max_pivots = 0;             // per covering vector; 0: 50 (n + 2)
  int max_covering_vectors = 8;   // the first is (1, ..., 1); the others deterministic and positive
  double accept_residual = 1e-9;  // a point with a larger natural residual is not Solved
  bool prove_infeasibility = true;  // search for a certificate after a ray, see infeasibility.hpp
};

namespace internal {
class LemkeRun;
}

/// Scratch of one solve, one per thread. It takes the size of the last problem and is reused while
/// the size stays the same. Nothing is carried over between solves: results do not depend on
/// history.
class LemkeWorkspace {
  friend class internal::LemkeRun;

  EquilibrationScratch equilibration;
  Vector row_scale, column_scale;
  Vector b;              // (n) equilibrated, largest entry near one
  double b_scale = 1.0;  // x = column_scale · (scaled x) / b_scale

  Dictionary dictionary;
  std::vector<Dictionary::Variable> reference;   // basic variables at the start of the path
  std::vector<Dictionary::Variable> candidates;  // rows in the ratio test
  Vector column, tie_column;                     // (stride) of the entering variable
  Vector point;                                  // (stride) values of the basic variables

  StartPointScratch start;
  std::vector<char> x_is_basic;  // complementary basis under test
  Vector x, y;                   // (n) point offered to the result
  Vector x_start, y_start;       // (n) x_start and A x_start + b

  Matrix
      C;  // (n, n) columns e_i (y_i basic) or -a_i (x_i basic); used where the path lost accuracy
  DenseLu lu;
};

/// Solve y = A x + b. `x_start` (n) is an optional warm start: its positive entries define the
/// first complementary basis. When that basis solves the problem no pivot is made. (`pivots` counts
/// steps along the path, not the transform into the start basis.) x_start may be `&result.x`.
/// Without a warm start, problems with n <= 8 and a positive definite symmetric part of A are
/// solved by principal pivots instead (definite_lcp.hpp): the same unique solution,
/// covering_vectors = 0.
/// Allocates nothing when workspace and result were last used for a problem of this size.
/// Exceptions are the search for a certificate and the solution of a badly conditioned basis by LU.
void solve_lemke(const ConstMatrixRef& A, const ConstVectorRef& b, const LemkeOptions& options,
                 LemkeWorkspace& workspace, LcpResult& result, const Vector* x_start = nullptr);

}  // namespace nsmb
