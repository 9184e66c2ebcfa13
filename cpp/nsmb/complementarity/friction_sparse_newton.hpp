// Semismooth Newton method of friction_newton.cpp with sparse factorizations.
//
// The step dx = dx_0 + R z of the contacts' reduced unknowns z solves
//
//   Lᵀ A R z + E z = r          where W is given, by contacts;
//   (1 + H R E⁻¹ Lᵀ Hᵀ) dv = H dx_0 + H R E⁻¹ r,   E z = r - Lᵀ Hᵀ dv,   by bodies,
//
// in velocities in which the mass matrix is 1, so that W is never formed. E is diagonal: the
// Levenberg term, the proximal weight, and (1 - κ) for sliding discs.
#pragma once

#include <array>

#include "nsmb/complementarity/friction_factors.hpp"
#include "nsmb/complementarity/friction_judge.hpp"

namespace nsmb::internal {

struct SparseNewtonScratch {
  std::vector<double> R, L;  // (units) kMostRows² numbers each, column by column
  Vector E, r, z;            // reduced, unit by unit
  std::vector<Index> first;  // (units + 1) first reduced unknown
  FrictionIterate it;
  Vector v, dx, dy, dv, x_old, y_old, center;
};

struct SparseNewtonOptions {
  int max_steps = 40;
  double target = 1e-13;  // of ‖F‖_∞ / max(1, ‖x‖_∞)
  double weight = 0.0;    // of the proximal term weight (x - center)
  double smallest = 0.0;  // lower limit of the Levenberg term; 0: the usual one
  bool judged = true;     // true: every point is offered, and one within tol ends the run
};

/// Run from scratch.it.x. Return true if the target was reached, or the judge accepts the point.
bool run_sparse_newton(const ContactSystem& system, const SparseNewtonOptions& options,
                       FrictionJudge& judge, ContactFactors& factors, SparseNewtonScratch& scratch);

/// Run proximal steps around it, each starting from the end of the previous one.
bool run_proximal_newton(const ContactSystem& system, int max_outer, FrictionJudge& judge,
                         ContactFactors& factors, SparseNewtonScratch& scratch);

}  // namespace nsmb::internal
