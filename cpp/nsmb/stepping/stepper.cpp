#include "nsmb/stepping/stepper.hpp"

#include "nsmb/stepping/force_stepping.hpp"
#include "nsmb/stepping/half_explicit.hpp"
#include "nsmb/stepping/moreau_jean.hpp"
#include "nsmb/stepping/rattle.hpp"

namespace nsmb {

std::unique_ptr<Stepper> make_stepper(Mechanics& mechanics, const TimeSteppingOptions& options) {
  if (mechanics.system().contact_finder() || options.scheme == SteppingScheme::HalfExplicit) {
    return std::make_unique<HalfExplicit>(mechanics, options);
  }
  if (finds_forces(options.scheme)) return std::make_unique<ForceStepping>(mechanics, options);
  if (options.scheme == SteppingScheme::Rattle) return std::make_unique<Rattle>(mechanics, options);
  return std::make_unique<MoreauJean>(mechanics, options);
}

}  // namespace nsmb
