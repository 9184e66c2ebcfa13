// The mixed complementarity problem with bounds l <= x <= u, which may be infinite:
//
//   x_i = l_i and F_i(x) >= 0,   or   l_i < x_i < u_i and F_i(x) = 0,
//   or   x_i = u_i and F_i(x) <= 0.
//
// With the projection π onto [l, u] these are the zeros z of the normal map F(π(z)) + z - π(z),
// x = π(z), which is piecewise smooth. A major iteration replaces F by its linearization
// A x + b and follows the piecewise linear path
//
//   y(s) = A x(s) + b - s r,   x(s) and y(s) complementary in the sense above,
//
// from the current point, s = 1 with r = F(x) - y, to the Newton point, s = 0, by complementary
// pivots. An affine F needs one major iteration.
//
// Sources: Ralph, Global convergence of damped Newton's method for nonsmooth equations via the path
// search, Math. Oper. Res. 19 (1994). Dirkse, Ferris, The PATH solver: a non-monotone stabilization
// scheme for mixed complementarity problems, Optim. Methods Softw. 5 (1995).
#pragma once

#include <functional>
#include <vector>

#include "nsmb/complementarity/equilibration.hpp"
#include "nsmb/complementarity/lcp.hpp"
#include "nsmb/complementarity/lemke.hpp"
#include "nsmb/complementarity/mcp_path.hpp"

namespace nsmb {

struct McpOptions {
  int max_pivots = 0;             // per path; 0: 50 (n + 2)
  int max_crash_steps = 20;       // projected Newton steps that estimate the active bounds
  int max_restarts = 8;           // paths from corners, or other starts of a nonlinear problem
  int max_proximal_steps = 30;    // affine problems: steps with A + ε I when everything else failed
  bool fall_back = true;          // affine problems: finally Lemke, then all pieces of small ones
  int max_iterations = 200;       // nonlinear problems: linearizations, over all restarts
  double accept_residual = 1e-9;  // a point with a larger natural residual is not Solved
};

/// Result of one solve; its storage is reused.
struct McpResult {
  LcpStatus status = LcpStatus::NotRun;
  Vector x;               // (n) the best point found, within the bounds; NaN: no point
  Vector F;               // (n) F(x), recomputed
  double residual = 0.0;  // natural residual, see below; inf when there is no point
  int iterations = 0;     // linear systems solved for a piece (affine), linearizations (nonlinear)
  int pivots = 0;         // exchanges of a pair, by paths and by crash steps
  int restarts = 0;       // starts beyond the first
  int evaluations = 0;    // of a nonlinear F
};

/// F and its Jacobian, both evaluated only within the bounds. Exceptions are propagated unchanged.
struct McpFunction {
  std::function<void(const ConstVectorRef& x, VectorRef F)> value;
  std::function<void(const ConstVectorRef& x, MatrixRef J)> jacobian;  // (n, n) ∂F_i/∂x_j
};

namespace internal {
class McpRun;
class McpNewton;
}  // namespace internal

/// Scratch of one solve, one per thread. Nothing is carried over between solves.
class McpWorkspace {
  friend class internal::McpRun;
  friend class internal::McpNewton;

  internal::McpPath path;  // the equilibrated problem
  EquilibrationScratch equilibration;
  Vector row_scale, column_scale;  // x = column_scale · (scaled x) / b_scale
  double b_scale = 1.0;
  std::vector<internal::McpState> best;     // piece with the fewest violations
  std::vector<internal::McpState> earlier;  // piece before a crash step
  Vector x, F, y;                           // (n) trial point in the original units
  Vector x_center, b_original;              // (n) proximal steps
  Vector lower, upper;                      // (n) scaled bounds including artificial ones
  Matrix J;                                 // (n, n) Jacobian
  Vector x_now, F_now, y_now;               // (n) current point of the nonlinear iteration
  Vector x_check, F_check, y_check;         // (n) its checkpoint
  Vector merit_scale;                       // (n) weights of the merit
  Matrix lcp_A;                             // equivalent LCP
  Vector lcp_b;
  std::vector<Index> lcp_variable;  // x_i of each of its rows
  std::vector<int> lcp_sign;        // its sign in x_i; 0: multiplier of an upper bound
  LemkeWorkspace lemke;
  LcpResult lcp;
};

/// Solve for F = A x + b. `x_start` (n) is an optional warm start. The first piece is that of
/// mid(l, x_start - F(x_start), u). If it is the right one no pivot is made. x_start may be
/// `&result.x`. Allocates nothing when workspace and result were last used for a problem of this
/// size (the fallback to an LCP: of this size and kind of bounds).
void solve_mcp(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& lower,
               const ConstVectorRef& upper, const McpOptions& options, McpWorkspace& workspace,
               McpResult& result, const Vector* x_start = nullptr);

/// Solve for a nonlinear F from x_start (n), which is moved into the bounds. `status` is Solved,
/// IterationLimit or Stalled. Throws std::invalid_argument when F or its Jacobian is not finite at
/// the start.
void solve_mcp_nonlinear(const McpFunction& function, const ConstVectorRef& lower,
                         const ConstVectorRef& upper, const ConstVectorRef& x_start,
                         const McpOptions& options, McpWorkspace& workspace, McpResult& result);

/// F(x) - F'(x) x is the b of the linearization. It is large wherever F' is, even far from every
/// solution. It may therefore account only for the rounding of F: with the default tolerance 1e-15
/// ‖b‖_∞.
inline constexpr double kMcpNonlinearScale = 1e-6;

/// Return max_i |x_i - mid(l_i, x_i - F_i, u_i)| / max(1, ‖b‖_∞) from given values of F. It is zero
/// at a solution and only there, and inf when x or F is not finite. For a nonlinear F, b is
/// kMcpNonlinearScale (F(x) - F'(x) x).
double mcp_residual(const ConstVectorRef& F, const ConstVectorRef& b, const ConstVectorRef& lower,
                    const ConstVectorRef& upper, const ConstVectorRef& x);

/// Throw std::invalid_argument unless lower and upper are (n), lower <= upper, not NaN, and no
/// lower bound is inf, no upper bound -inf.
void check_mcp_bounds(Index n, const ConstVectorRef& lower, const ConstVectorRef& upper);
void check_mcp_options(const McpOptions& options);

}  // namespace nsmb
