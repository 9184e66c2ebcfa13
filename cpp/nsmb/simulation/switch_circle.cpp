#include "nsmb/simulation/switch_circle.hpp"

#include <algorithm>

namespace nsmb {

bool SwitchCircle::closes(const ContactStates& states, const ElementModes& modes) {
  std::pair<ContactStates, ElementModes> now{states, modes};
  const bool seen = std::find(ended_.begin(), ended_.end(), now) != ended_.end();
  ended_.push_back(std::move(now));
  return seen;
}

std::vector<Index> SwitchCircle::elements() const {
  std::vector<Index> found;
  const ElementModes& last = ended_.back().second;
  for (std::size_t e = 0; e < last.size(); ++e) {
    const auto differs = [&](const auto& before) { return before.second[e] != last[e]; };
    if (std::any_of(ended_.begin(), ended_.end(), differs)) found.push_back(static_cast<Index>(e));
  }
  return found;
}

}  // namespace nsmb
