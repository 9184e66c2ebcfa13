// Teeth with their own states: which teeth have states, and which of them interact.
#include <algorithm>

#include "nsmb/multibody/gear_train.hpp"

namespace nsmb {

namespace {

/// Return consecutive blocks of n and n + 1 places, so that any n consecutive teeth have different
/// places. Return nothing if the teeth cannot be divided in this way.
std::vector<Index> in_blocks(Index teeth, Index n) {
  const Index blocks = teeth / n, longer = teeth - blocks * n;
  std::vector<Index> places;
  if (longer > blocks) return places;
  for (Index b = 0; b < blocks; ++b) {
    for (Index k = 0; k < n + (b < longer ? 1 : 0); ++k) places.push_back(k);
  }
  return places;
}

}  // namespace

void GearTrain::add_group(Index wheel, Index size, std::string name) {
  const GearWheel& w = wheels_[static_cast<std::size_t>(wheel)];
  Group group{wheel, states_, std::min(size, w.teeth), {}, std::move(name) + w.name};
  while (group.size < w.teeth && group.place.empty()) {
    group.place = in_blocks(w.teeth, group.size);
    if (group.place.empty()) ++group.size;
  }
  if (group.place.empty()) {
    for (Index k = 0; k < w.teeth; ++k) group.place.push_back(k);
  }
  group.size = *std::max_element(group.place.begin(), group.place.end()) + 1;
  states_ += group.size * (options_.teeth == Teeth::Dynamic ? 2 : 1);
  groups_.push_back(std::move(group));
}

std::vector<std::string> GearTrain::states() const {
  std::vector<std::string> names;
  for (const Group& group : groups_) {
    for (const char* symbol : {"_s", "_omega"}) {
      if (symbol[1] == 'o' && options_.teeth != Teeth::Dynamic) continue;
      for (Index k = 0; k < group.size; ++k) {
        names.push_back(group.name + symbol + std::to_string(k));
      }
    }
  }
  return names;
}

Vector GearTrain::initial() const {
  Vector x = Vector::Zero(states_);
  if (options_.teeth == Teeth::Dynamic) {
    for (const Group& group : groups_) {
      x.segment(group.first + group.size, group.size)
          .setConstant(wheels_[static_cast<std::size_t>(group.wheel)].spin);
    }
  }
  return x;
}

SparsityPattern GearTrain::rate_pattern() const {
  if (!has_states()) return {};
  const bool is_dynamic = options_.teeth == Teeth::Dynamic;
  // For each group, the groups whose teeth touch its own.
  std::vector<std::vector<std::size_t>> partners(groups_.size());
  for (const std::array<Index, 2>& pair : group_of_) {
    partners[at(pair[0])].push_back(at(pair[1]));
    partners[at(pair[1])].push_back(at(pair[0]));
  }
  SparsityPattern pattern;
  pattern.begin.push_back(0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const Index all = is_dynamic ? 2 * group.size : group.size;
    for (Index k = 0; k < all; ++k) {
      // Forces change velocities or, for massless teeth, displacements.
      const Index tooth = k % group.size;
      for (Index i = tooth; i < all; i += group.size) pattern.rows.push_back(group.first + i);
      for (const std::size_t other : partners[g]) {
        const Group& partner = groups_[other];
        const Index moved = partner.first + (is_dynamic ? partner.size : 0);
        for (Index i = 0; i < partner.size; ++i) pattern.rows.push_back(moved + i);
      }
      pattern.begin.push_back(static_cast<Index>(pattern.rows.size()));
    }
  }
  return pattern;
}

}  // namespace nsmb
