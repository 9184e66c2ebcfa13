#include "nsmb/multibody/force_element.hpp"

#include <limits>

namespace nsmb {

double ForceElement::energy(const ForceInput& /*in*/, ForceWorkspace& /*work*/) const {
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace nsmb
