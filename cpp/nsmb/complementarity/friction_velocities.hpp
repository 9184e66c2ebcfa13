// Newton's method in the velocities of bodies, for friction with compliance 1/ρ about impulses r_0:
//
//   z = r_0 - ρ y,   y = Hᵀv + b,   r_N = max(0, z_N),   r_T = z_T min(1, C(r_N)/|z_T|)
//   F(v) = v - H r(y) = 0,          (1 + H G Hᵀ) dv = -F,   G = -∂r/∂y
//
// in velocities in which M is 1, C(r_N) the radius of the disc. Impulses are a function of
// velocities, contact by contact, so that dependent contacts do not make the matrix singular. At
// the solution r obeys Coulomb's law with y + (r - r_0)/ρ in place of y.
#pragma once

#include "nsmb/complementarity/friction_factors.hpp"
#include "nsmb/complementarity/friction_judge.hpp"

namespace nsmb::internal {

struct VelocityScratch {
  Vector center, r;                    // (m) r_0, r
  Vector v, F;                         // (n)
  std::vector<double> G;               // (units) kMostRows² numbers each, column by column
  Vector dv, v_old, v_best, v_before;  // (n)
};

struct VelocityOptions {
  double rho = 10.0;
  double target = 1e-12;  // of ‖Hᵀ F‖ / ‖b‖
  int max_steps = 25;
};

/// Return true for a system by bodies whose discs grow only with normal impulses of their own
/// contact.
bool suits_velocities(const ContactSystem& system);

/// Run from s.v and s.center. Return the number of steps to the target, or -1.
int run_velocity_newton(const ContactSystem& system, const VelocityOptions& options,
                        FrictionJudge& judge, ContactFactors& factors, VelocityScratch& s);

}  // namespace nsmb::internal
