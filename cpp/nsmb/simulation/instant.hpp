// Solutions of the laws at one instant, without simulation: forces and accelerations, and all other
// solutions that can be found.
#pragma once

#include <vector>

#include "nsmb/contact_laws/ambiguity.hpp"
#include "nsmb/simulation/transition.hpp"

namespace nsmb {

struct InstantSolution {
  AccelerationSolution law;
  Vector udot;  // (nu) M⁻¹(h + W λ)
};

struct InstantResult {
  LcpStatus status = LcpStatus::NotRun;       // of `found`
  LcpStatus enumeration = LcpStatus::NotRun;  // of `solutions`, see enumerate_accelerations()
  double residual = 0.0;
  std::vector<ContactRole> roles;  // (nc) from gaps and velocities, (5.5)
  InstantSolution found;           // the solution that a simulation takes
  std::vector<InstantSolution> solutions;
};

/// Solve the laws at (t, y), y = (q, u, x), with force elements in `modes` and `inputs` (ni).
/// Solutions of the LCP (6.35) are enumerated for up to `max_size` unknowns. Throws
/// std::invalid_argument for wrong sizes.
InstantResult solve_instant(const System& system, double t, const ConstVectorRef& y,
                            const ElementModes& modes, const ConstVectorRef& inputs,
                            const TransitionOptions& options, Index max_size);

/// Move y = (q, u, x) onto the bilateral constraints along M⁻¹W, in position and velocity. Return
/// false if no such state was found near it. Throws std::invalid_argument for a wrong size of y.
bool satisfy_constraints(const System& system, double t, VectorRef y);

}  // namespace nsmb
