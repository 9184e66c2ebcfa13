#include "nsmb/stepping/time_stepping_options.hpp"

#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

// Check the options of schemes that find forces.
void check_forces(const TimeSteppingOptions& options) {
  if (!finds_forces(options.scheme)) {
    if (options.main_integrator) {
      reject("main_integrator", "none for nsmb.Midpoint and nsmb.Hybrid", "an integrator");
    }
    if (options.mixing != 0.0) {
      reject("mixing", "0 for nsmb.Midpoint and nsmb.Hybrid", to_text(options.mixing));
    }
    return;
  }
  if (options.impact_law != ImpactLaw::Moreau) {
    reject("impact_law",
           "\"moreau\" for nsmb.PositionForces and nsmb.VelocityForces, which have no impacts",
           "another law");
  }
  if (options.error.size() > 0) {
    reject("error", "none for nsmb.PositionForces and nsmb.VelocityForces",
           "an error. Choose a constant step for the highest contact frequency.");
  }
  check_range("mixing", options.mixing, 0.0, 1.0);
  if (finds_rates(options.scheme) && options.mixing != 0.0) {
    reject("mixing", "0 for nsmb.VelocityForces", to_text(options.mixing));
  }
  if (options.mixing == 1.0) {
    reject("mixing", "less than 1", "1. Use nsmb.VelocityForces for the law of rates alone.");
  }
  if (options.max_outer < 1) {
    reject("max_iterations", "at least 1", std::to_string(options.max_outer));
  }
}

}  // namespace

bool finds_rates(SteppingScheme scheme) {
  return scheme == SteppingScheme::Rk4Velocity || scheme == SteppingScheme::RadauVelocity;
}

bool finds_forces(SteppingScheme scheme) {
  return finds_rates(scheme) || scheme == SteppingScheme::EulerPosition ||
         scheme == SteppingScheme::Rk4Position || scheme == SteppingScheme::RadauPosition;
}

RungeKuttaMethod map_method(SteppingScheme scheme) {
  switch (scheme) {
    case SteppingScheme::EulerPosition:
      return RungeKuttaMethod::Euler;
    case SteppingScheme::RadauPosition:
    case SteppingScheme::RadauVelocity:
      return RungeKuttaMethod::Radau;
    default:
      return RungeKuttaMethod::Rk4;
  }
}

RungeKuttaMethod main_method(const TimeSteppingOptions& options) {
  return options.main_integrator.value_or(map_method(options.scheme));
}

const TimeSteppingOptions& check_options(const TimeSteppingOptions& options) {
  check_positive("step", options.step);
  if (options.error.size() > 0) {
    for (const double error : options.error) check_positive("error", error);
    check_positive("min_step", options.min_step);
    check_range("min_step", options.min_step, 0.0, options.step);
  }
  check_positive("tol", options.tol);
  check_positive("rtol", options.rtol);
  check_range("rtol", options.rtol, 1e-15, 1.0);
  check_positive("gap_tolerance", options.gap_tolerance);
  check_positive("start_tolerance", options.start_tolerance);
  check_positive("max_memory", options.max_memory);
  // Groups that a trial step puts to sleep or wakes would stay so after its rejection.
  if (options.sleeping && options.error.size() > 0) {
    reject("sleeping", "False with error control", "True");
  }
  check_forces(options);
  return options;
}

}  // namespace nsmb
