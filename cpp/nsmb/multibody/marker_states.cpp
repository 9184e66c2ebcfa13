#include "nsmb/multibody/marker_states.hpp"

#include <limits>

namespace nsmb {

MarkerStates::MarkerStates(const Tree& tree, const std::vector<Marker>& markers,
                           const TreeWorkspace& work)
    : tree_(tree), markers_(markers), work_(work), known_(markers.size(), 0) {
  for (const Marker& marker : markers) states_.emplace_back(tree, marker);
}

// Markers fixed in the environment are computed only once.
void MarkerStates::find(std::size_t k) const {
  marker_kinematics(tree_, work_, markers_[k], states_[k]);
  known_[k] = states_[k].moves ? instant_ : std::numeric_limits<long>::max();
}

}  // namespace nsmb
