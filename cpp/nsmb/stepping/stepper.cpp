#include "nsmb/stepping/stepper.hpp"

#include "nsmb/stepping/force_stepping.hpp"
#include "nsmb/stepping/many_contacts.hpp"
#include "nsmb/stepping/moreau_jean.hpp"
#include "nsmb/stepping/rattle.hpp"

namespace nsmb {

std::unique_ptr<Stepper> make_stepper(Mechanics& mechanics, const TimeSteppingOptions& options) {
  if (mechanics.system().contact_finder()) {
    return std::make_unique<ManyContacts>(mechanics, options);
  }
  if (finds_forces(options.scheme)) return std::make_unique<ForceStepping>(mechanics, options);
  if (options.scheme == SteppingScheme::Rattle) return std::make_unique<Rattle>(mechanics, options);
  return std::make_unique<MoreauJean>(mechanics, options);
}

}  // namespace nsmb
