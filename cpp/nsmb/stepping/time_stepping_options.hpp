// Options of time stepping.
#pragma once

#include <optional>

#include "nsmb/complementarity/friction_solver.hpp"
#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/stepping/runge_kutta_tableau.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

enum class SteppingScheme {
  Midpoint,  // drift, kick by loads and contacts, drift
  Hybrid,    // event-driven while events are isolated, Midpoint where they accumulate
  // Schemes that find constant forces over a step, which enforce gaps or their rates at its end,
  // (5.10)-(5.37).
  EulerPosition,
  Rk4Position,
  Rk4Velocity,
  RadauPosition,
  RadauVelocity,
};

/// Return true if a scheme finds forces (finds_rates: on velocity level).
bool finds_forces(SteppingScheme scheme);
bool finds_rates(SteppingScheme scheme);
/// Return the method that maps forces to the end of a step, for a scheme that finds forces.
RungeKuttaMethod map_method(SteppingScheme scheme);

enum class OnStepFailure {
  Continue,  // use the best impulses found
  Stop,
};

struct TimeSteppingOptions {
  double step = 1e-3;  // s, with error control the longest
  Vector error;        // (nq) allowed error of the coordinates over two steps of maximum length;
                       // empty: no control
  double min_step = 1e-8;  // s, the shortest step with error control
  SteppingScheme scheme = SteppingScheme::Midpoint;
  ImpactLaw impact_law = ImpactLaw::Moreau;
  double tol = 1e-8;  // residual of the laws that a solver may leave, relative to the largest
                      // relative velocity
  OnStepFailure on_failure = OnStepFailure::Continue;
  // Schemes that find forces:
  std::optional<RungeKuttaMethod> main_integrator;  // integrator of the motion; none: that of the
                                                    // scheme
  double mixing = 0.0;            // σ from 0 to 1: weight of rates in the laws of gaps
  long max_outer = 50;            // contact problems in a step, each linearised at the last result
  double rtol = 1e-8;             // Hybrid: of the integrators between events
  FrictionOptions friction;       // solver of contact problems with few rows
  SparseFrictionOptions sparse;   // solver of those with many; tol and measure are set by the run
  double gap_tolerance = 1e-9;    // m, smaller predicted gaps are closed
  double start_tolerance = 1e-9;  // m, a start with deeper penetration is rejected
  bool sleeping = false;          // skip groups of bodies at rest
  bool dense_output = true;       // store every step as a polynomial
  bool step_log = false;          // store the processor time of every step as well
  double max_memory = 2e9;        // bytes for samples, events and steps
};

/// Return the integrator of the motion, for a scheme that finds forces.
RungeKuttaMethod main_method(const TimeSteppingOptions& options);

/// Return `options`. Throw std::invalid_argument if one is out of range.
const TimeSteppingOptions& check_options(const TimeSteppingOptions& options);

}  // namespace nsmb
