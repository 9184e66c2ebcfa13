#include "nsmb/stepping/stepper.hpp"

#include "nsmb/stepping/force_stepping.hpp"
#include "nsmb/stepping/midpoint.hpp"

namespace nsmb {

std::unique_ptr<Stepper> make_stepper(Mechanics& mechanics, const TimeSteppingOptions& options) {
  if (finds_forces(options.scheme)) return std::make_unique<ForceStepping>(mechanics, options);
  return std::make_unique<Midpoint>(mechanics, options);
}

}  // namespace nsmb
