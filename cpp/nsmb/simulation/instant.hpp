// What the laws say at one instant, without moving: forces and accelerations, and all other
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
  LcpStatus enumeration = LcpStatus::NotRun;  // of `solutions`, as enumerate_accelerations says
  double residual = 0.0;
  std::vector<ContactRole> roles;  // (nc) from distances and velocities, as (5.5)
  InstantSolution found;           // what a simulation would take
  std::vector<InstantSolution> solutions;
};

/// At (t, y), y = (q, u, x), force elements in `modes`, under `inputs` (ni). `max_size`: unknowns
/// of the LCP (6.35) up to which its solutions are enumerated. Throws std::invalid_argument for
/// wrong sizes.
InstantResult solve_instant(const System& system, double t, const ConstVectorRef& y,
                            const ElementModes& modes, const ConstVectorRef& inputs,
                            const TransitionOptions& options, Index max_size);

/// Moves y = (q, u, x) onto the bilateral constraints along M⁻¹W, position and velocity; false: no
/// such state was found near it. Throws std::invalid_argument for a wrong size of y.
bool satisfy_constraints(const System& system, double t, VectorRef y);

}  // namespace nsmb
