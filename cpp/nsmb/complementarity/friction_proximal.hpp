// Proximal point method for friction: problems with compliance 1/ρ about r_0, of which each is
// begun where the last one ended, r_0 ← r. What sticks creeps by (r - r_0)/ρ, which vanishes.
//
// By bodies with Newton's method in velocities, where W is given with that of
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
  double rho = 10.0;  // at the start, of diagonal blocks of one
  int max_outer = 40;
};

/// From the impulses `x`; true: solved.
bool run_proximal(const ContactSystem& system, const ProximalOptions& options, const Vector& x,
                  FrictionJudge& judge, ContactFactors& factors, ProximalScratch& scratch);

}  // namespace nsmb::internal
