// Solvers for contact problems with friction discs, see friction_problem.hpp.
//
//   Newton              the projection equations x = proj(x - r y), (33), (36), solved by a
//                       semismooth Newton method with line search; a Levenberg term allows for
//                       dependent contacts (singular A).
//   AugmentedLagrangian (40)-(42): outer update x <- proj(x - r y), inner Newton. Equivalent to the
//                       proximal point method: each outer step solves the problem with
//                       A + E / r, b - x / r.
//   GaussSeidel         one projection per part at a time, r from the diagonal blocks of A.
//   Lcp                 discs replaced by polygons; intervals exactly. Lemke, then, for small
//                       problems with intervals only, enumeration, which can prove that there is
//                       no solution.
//   Auto                Newton from the start, then from zero; augmented Lagrangian; Newton from
//                       points of Gauss-Seidel; the LCP, exact for intervals, and Newton from
//                       its solution.
//
// Source: Wösle, Pfeiffer 1996, (30)-(42).
#pragma once

#include "nsmb/complementarity/friction_polygons.hpp"
#include "nsmb/complementarity/lemke.hpp"

namespace nsmb {

enum class FrictionMethod { Auto, Newton, AugmentedLagrangian, GaussSeidel, Lcp };

std::string_view to_text(FrictionMethod method);

struct FrictionOptions {
  FrictionMethod method = FrictionMethod::Auto;
  // Limit of the selected method; 0: its default limit. Auto starts no further attempt after it; 0:
  // tries all. Without effect on Lcp.
  int max_iterations = 0;
  double accept_residual = 1e-10;  // a point with a larger friction_residual is not Solved
  double scale = 0.0;              // of y: residuals are relative to max(scale, ‖b‖_∞)
  double r = 0.0;                  // AugmentedLagrangian: one r for all rows; 0: adapted by part
  int facets = 16;                 // Lcp: corners of the polygon in a disc of two rows, even
  int max_enumeration = 16;        // largest exact LCP that is enumerated, unknowns; at most 24
};

/// Result of one solve. Repeated solves with the same sizes do not allocate.
struct FrictionResult {
  LcpStatus status = LcpStatus::NotRun;  // Solved, IterationLimit, Inaccurate, NoSolution
  Vector x;                              // (n) the best point found, also when not Solved
  Vector y;                              // (n) A x + b, recomputed
  double residual = 0.0;                 // friction_residual of x
  int iterations = 0;                    // total of Newton steps, Gauss-Seidel sweeps and pivots
  int outer_iterations = 0;              // of the augmented Lagrangian
  FrictionMethod used = FrictionMethod::Auto;  // method that found x; Auto: x is the start
};

/// Scratch of one solve, one per thread. Nothing is carried over between solves.
struct FrictionWorkspace {
  std::vector<char> row_is_used;
  internal::ScaledFriction problem;
  internal::FrictionIterate iterate;
  internal::NewtonScratch newton;
  Vector x_start;  // (n) scaled; x_start may be the x of the result that is overwritten
  Vector x, y;     // (n) point offered to the result, original units
  Vector center;   // (n) of the proximal term
  Vector sweep_x;  // (n) point from which Gauss-Seidel continues after an attempt of Newton
  internal::PolygonLcp polygons;
  LemkeWorkspace lemke;
  LcpResult lcp;
};

/// Solve the problem of friction_problem.hpp. `x_start` (n) is an optional warm start, which Lcp
/// ignores. If it is within accept_residual it is returned unchanged. Allocates nothing when
/// workspace and result were last used for a problem with the same rows, unless enumeration is
/// reached.
void solve_friction(const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
                    const FrictionOptions& options, FrictionWorkspace& workspace,
                    FrictionResult& result, const Vector* x_start = nullptr);

}  // namespace nsmb
