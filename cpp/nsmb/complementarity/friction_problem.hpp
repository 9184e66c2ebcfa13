// Contact problems with friction discs: y = A x + b where every row of x belongs to one of
//
//   a normal part   0 <= x_N ⟂ y_N >= 0,
//   a disc          -y_T ∈ N_C(x_T),  C = {x_T : |x_T| <= mu x_N + bound},
//   a free part     y_F = 0.
//
// A disc has one row (an interval: planar friction) or two (a disc or an ellipse: friction in a
// plane). Its radius may depend on one normal part, which several discs may share, or on none. On
// acceleration level x = λ, y = γ̇; on impulse level x = Λ, y = γ. The set C moves with x_N. The
// problem is therefore a quasi-variational inequality. It is an LCP only if all discs have one row.
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

/// The roles of the rows of A and b. Rows in neither list are free parts.
struct FrictionRows {
  std::vector<Index> normals;
  std::vector<FrictionDisc> discs;
};

/// Throw std::invalid_argument unless A is (n, n), b (n), and both are finite. Rows must be in
/// range and belong to at most one part. Discs must refer to normal parts, and mu, bound, aspect
/// must be in range.
void check_friction_problem(const ConstMatrixRef& A, const ConstVectorRef& b,
                            const FrictionRows& rows);
/// Check the problem with a scratch list that keeps its storage: `row_is_used` (n).
void check_friction_problem(const ConstMatrixRef& A, const ConstVectorRef& b,
                            const FrictionRows& rows, std::vector<char>& row_is_used);

/// Project (x_1, x_2) onto the disc or ellipse with half axes `radius` and `aspect radius`, in the
/// metric diag(1, aspect⁻²), in which it is a disc. The law of an ellipse has the fixed points
/// x_T = proj(x_T - r diag(1, aspect²) y_T), r > 0, (36). The step needs the same metric as the
/// projection. dim 1 uses the first component only.
void project_disc(const FrictionDisc& disc, double radius, double* x);

/// Return the largest violation of the law of a part, in units of y, over max(scale, ‖b‖_∞), or
/// over 1 where both are zero. y = A x + b is computed from the original data. The residual is zero
/// at a solution and only there, and inf when x is not finite. The violation is
/// |s x - proj(s x - y)|, where proj is the projection onto the set of the part, enlarged s times.
/// s is the largest entry of the part's columns of A: s x is the effect of the part's forces on y.
/// With scale = 0 the residual does not change when A, b and bound are multiplied by α, β and
/// β / α.
double friction_residual(const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
                         const ConstVectorRef& x, double scale = 0.0);

namespace internal {
/// Return friction_residual of a checked problem for given y = A x + b; allocates nothing.
double friction_residual_at(const ConstMatrixRef& A, const ConstVectorRef& b,
                            const FrictionRows& rows, const ConstVectorRef& x,
                            const ConstVectorRef& y, const std::vector<char>& row_is_used,
                            double scale);
}  // namespace internal

}  // namespace nsmb
