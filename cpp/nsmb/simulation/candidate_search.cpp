#include "nsmb/simulation/candidate_search.hpp"

#include <algorithm>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

Index renew_candidates(const System& system, const EventDrivenOptions& options,
                       const Triggers& triggers, Mechanics& mechanics, RunState& state) {
  const auto closes = [](Trigger trigger) { return trigger == Trigger::Closes; };
  const bool touches = std::any_of(triggers.contacts.begin(), triggers.contacts.end(), closes);
  if (!triggers.features && !touches) return -1;
  mechanics.contacts.features = state.features;
  const double gap_tolerance = options.transition.gap_tolerance;
  if (triggers.features) {
    mechanics.find_features(state.t, state.y, state.states, gap_tolerance);
  } else {
    mechanics.settle_features(state.t, state.y, state.states, gap_tolerance);
  }
  const double deepest = drift::kClosedGap * options.start_tolerance;
  for (std::size_t c = 0; c < state.states.size(); ++c) {
    const ContactFeature& before = state.features.slots[c];
    const ContactFeature& now = mechanics.contacts.features.slots[c];
    const Index i = static_cast<Index>(c);
    if (!now.used() || !now.valid || !system.rows().is_unilateral(i)) continue;
    const bool fresh = !before.valid || !before.same(now);
    if (fresh && mechanics.contacts.g_N(i) < -deepest) return i;
  }
  state.features = mechanics.contacts.features;
  return -1;
}

OutlineOverlap unseen_overlap(const RunState& state, const Mechanics& mechanics) {
  const OutlineOverlap found = mechanics.deepest_shapes(state.t, state.y);
  return found.share > features::kInEachOther ? found : OutlineOverlap{};
}

bool search_on_the_way(const System& system, double gap_tolerance, const ContactFeatures& found,
                       Mechanics& mechanics, RunState& state) {
  mechanics.contacts.features = found;
  mechanics.find_features(state.t, state.y, state.states, gap_tolerance);
  for (std::size_t c = 0; c < state.states.size(); ++c) {
    const Index i = static_cast<Index>(c);
    if (!system.rows().is_unilateral(i)) continue;
    const ContactFeature& now = mechanics.contacts.features.slots[c];
    if (is_closed(state.states[c])) {
      if (!now.valid || !now.same(found.slots[c])) return false;
    } else if (now.valid && !(mechanics.contacts.g_N(i) > gap_tolerance)) {
      return false;
    }
  }
  state.features = mechanics.contacts.features;
  return true;
}

}  // namespace nsmb
