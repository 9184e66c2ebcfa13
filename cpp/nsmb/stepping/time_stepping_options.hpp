// How a run is stepped.
#pragma once

#include <optional>

#include "nsmb/complementarity/friction_solver.hpp"
#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/stepping/runge_kutta_tableau.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

enum class SteppingScheme {
  Midpoint,  // a drift, a kick by loads and contacts, a drift
  Hybrid,    // event-driven as long as events are isolated, Midpoint where they crowd
  // Forces are found, constant over a step, that keep gaps or their rates at its end,
  // (5.10)-(5.37).
  EulerPosition,
  Rk4Position,
  Rk4Velocity,
  RadauPosition,
  RadauVelocity,
};

/// A scheme that finds forces: of gaps, or of their rates.
bool finds_forces(SteppingScheme scheme);
bool finds_rates(SteppingScheme scheme);
/// Of such a scheme how its forces move the end of a step.
RungeKuttaMethod map_method(SteppingScheme scheme);

enum class OnStepFailure {
  Continue,  // with the best impulses found
  Stop,
};

struct TimeSteppingOptions {
  double step = 1e-3;  // s, with an error the longest
  Vector error;        // (nq) what coordinates may err by in two longest steps; empty: no control
  double min_step = 1e-8;  // s, with an error the shortest
  SteppingScheme scheme = SteppingScheme::Midpoint;
  ImpactLaw impact_law = ImpactLaw::Moreau;
  double tol = 1e-8;  // of the largest relative velocity: what a solver may leave of the laws
  OnStepFailure on_failure = OnStepFailure::Continue;
  // Schemes that find forces:
  std::optional<RungeKuttaMethod> main_integrator;  // what advances the motion; none: the scheme's
  double mixing = 0.0;  // of gaps: σ, 0 to 1, which part of their law is that of their rates
  long max_outer = 50;  // problems of contacts in a step, each linearised where the last has led
  double rtol = 1e-8;   // Hybrid: of the integrators between events
  FrictionOptions friction;       // how contact problems of few rows are solved
  SparseFrictionOptions sparse;   // and those of many; tol and measure are the run's
  double gap_tolerance = 1e-9;    // m: a smaller predicted gap is closed
  double start_tolerance = 1e-9;  // m: a start that penetrates deeper is refused
  bool sleeping = false;          // groups of bodies at rest are left out
  bool dense_output = true;       // keep every step as a polynomial
  bool step_log = false;          // and its processor time
  double max_memory = 2e9;        // bytes that samples, events and steps may take
};

/// What advances the motion of a scheme that finds forces.
RungeKuttaMethod main_method(const TimeSteppingOptions& options);

/// Throws std::invalid_argument for options out of range; returns them.
const TimeSteppingOptions& check_options(const TimeSteppingOptions& options);

}  // namespace nsmb
