// Proximal point method for friction: a sequence of problems with compliance 1/ρ about r_0. Each
// starts from the previous solution, r_0 ← r. Sticking contacts creep by (r - r_0)/ρ, which
// vanishes.
//
// Solved by bodies with Newton's method in velocities, or, where W is given, with that of
// friction_sparse_newton.hpp.
#pragma once

#include "nsmb/complementarity/friction_sparse_newton.hpp"
#include "nsmb/complementarity/friction_velocities.hpp"

namespace nsmb::internal {

struct ProximalScratch {
  SparseNewtonScratch newton;
  VelocityScratch velocities;
};

struct ProximalOptions {
  double rho = 10.0;  // at the start, for diagonal blocks of one
  int max_outer = 40;
};

/// Run from the impulses `x`. Return true if solved.
bool run_proximal(const ContactSystem& system, const ProximalOptions& options, const Vector& x,
                  FrictionJudge& judge, ContactFactors& factors, ProximalScratch& scratch);

}  // namespace nsmb::internal
