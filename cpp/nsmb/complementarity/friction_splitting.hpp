// First-order methods for the convex problem with De Saxcé's term s fixed,
//
//   min ½ xᵀA x + (b + s)ᵀx,  x in the cones,   s_N = Σ mu |y_T|,
//
// whose fixed points in s are the solutions; s is updated after every step. Bounds and radii that
// no cone describes are projected onto with the normal impulse of the projected point.
#pragma once

#include "nsmb/complementarity/friction_factors.hpp"
#include "nsmb/complementarity/friction_judge.hpp"

namespace nsmb::internal {

/// Project z onto the sets of a unit, in place; `x_all` is used for radii that depend on other
/// units.
void project_unit(const ContactSystem& system, Index unit, const Vector& x_all, double* z);
/// Return De Saxcé's term of a unit: the shift of its normal row at y (rows of the unit).
double de_saxce(const ContactSystem& system, Index unit, const double* y);

struct SplittingScratch {
  Vector x, z, u, y, v, right, previous, momentum, trial;
  Vector gradient, y_previous, y_momentum, y_trial;  // of the projected gradient
};

/// Run accelerated projected gradient from x, with restarts. Return true if solved.
bool run_projected_gradient(const ContactSystem& system, long max_steps, FrictionJudge& judge,
                            SplittingScratch& scratch, Vector& x);

/// Run ADMM from x. A + ρ E is factorized once for many steps, and ρ is adapted to the residuals in
/// a few jumps.
bool run_admm(const ContactSystem& system, long max_steps, FrictionJudge& judge,
              ContactFactors& factors, SplittingScratch& scratch, Vector& x);

}  // namespace nsmb::internal
