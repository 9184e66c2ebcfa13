#include "nsmb/stepping/time_stepping_options.hpp"

#include "nsmb/core/check.hpp"

namespace nsmb {

const TimeSteppingOptions& check_options(const TimeSteppingOptions& options) {
  check_positive("step", options.step);
  if (options.error.size() > 0) {
    for (const double error : options.error) check_positive("error", error);
    check_positive("min_step", options.min_step);
    check_range("min_step", options.min_step, 0.0, options.step);
  }
  check_range("theta", options.theta, 0.5, 1.0);
  check_positive("tol", options.tol);
  check_positive("rtol", options.rtol);
  check_range("rtol", options.rtol, 1e-15, 1.0);
  check_positive("gap_tolerance", options.gap_tolerance);
  check_positive("start_tolerance", options.start_tolerance);
  check_positive("max_memory", options.max_memory);
  if (options.scheme == SteppingScheme::Rattle && options.impact_law != ImpactLaw::Moreau) {
    reject("impact_law", "\"moreau\" for scheme=\"rattle\"", "another one");
  }
  // Groups that a tried step puts to sleep, or wakes, would stay so when it is taken back.
  if (options.sleeping && options.error.size() > 0) {
    reject("sleeping", "False where steps are controlled by their error", "True");
  }
  return options;
}

}  // namespace nsmb
