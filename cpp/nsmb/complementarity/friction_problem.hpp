// Contact problems with friction discs: y = A x + b where every row of x belongs to one of
//
//   a normal part   0 <= x_N ⟂ y_N >= 0,
//   a disc          -y_T ∈ N_C(x_T),  C = {x_T : |x_T| <= mu x_N + bound},
//   a free part     y_F = 0.
//
// A disc has one row (an interval: planar friction) or two (a disc or an ellipse: friction in a
// plane); its radius may depend on one normal part, which several discs may share, or on none. On
// acceleration level x = λ, y = γ̇; on impulse level x = Λ, y = γ. The set C moves with x_N: the
// problem is a quasi-variational inequality, an LCP only where all discs have one row.
//
// Source: Wösle, Pfeiffer 1996, (17)-(28).
#pragma once

#include <vector>

#include "nsmb/complementarity/lcp.hpp"

namespace nsmb {

struct FrictionDisc {
  Index first = 0;      // its first row
  Index dim = 1;        // 1: interval, 2: disc or ellipse
  Index normal = -1;    // row of the normal part x_N its radius depends on; -1: none
  double mu = 0.0;      // radius per unit of x_N, >= 0
  double bound = 0.0;   // radius at x_N = 0, >= 0
  double aspect = 1.0;  // dim 2: half axis of the second row over that of the first, > 0
};

/// What the rows of A and b are. Rows named in neither list are free parts.
struct FrictionRows {
  std::vector<Index> normals;
  std::vector<FrictionDisc> discs;
};

/// Throws std::invalid_argument unless A is (n, n), b (n), both finite, every row in range belongs
/// to at most one part, discs refer to normal parts, and mu, bound, aspect are in range.
void check_friction_problem(const ConstMatrixRef& A, const ConstVectorRef& b,
                            const FrictionRows& rows);

/// Projection of (x_1, x_2) onto the disc or ellipse with half axes `radius` and `aspect radius`,
/// in the metric in which it is a disc: the fixed points x_T = proj(x_T - r y_T), r > 0, of the
/// law are the same in any metric, (36). dim 1 uses the first component only.
void project_disc(const FrictionDisc& disc, double radius, double* x);

/// max over all rows of |x - proj(x - y)| / max(1, ‖b‖_∞) with y = A x + b from the original data:
/// zero at a solution and only there. inf when x is not finite.
double friction_residual(const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
                         const ConstVectorRef& x);

}  // namespace nsmb
