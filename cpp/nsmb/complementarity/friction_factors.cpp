#include "nsmb/complementarity/friction_factors.hpp"

namespace nsmb::internal {

void ContactFactors::analyse(const ContactSystem& system) {
  size.clear();
  if (system.split) {
    node_pattern(system.H, system.node_first, K);
    for (Index g = 0; g < system.nodes(); ++g) size.push_back(system.node_size(g));
  } else {
    K = system.A;
    for (const ContactUnit& unit : system.units) size.push_back(unit.rows);
  }
  lu.analyse(K, size);
}

}  // namespace nsmb::internal
