// Contact points that appear and disappear during a run.
#pragma once

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/triggers.hpp"
#include "nsmb/system/feature_search.hpp"

namespace nsmb {

/// Update the candidates at `state` if they may have changed, and decide which touching contact
/// points are contacts. Return -1, or a contact found so deep that its impact has been missed.
Index renew_candidates(const System& system, const EventDrivenOptions& options,
                       const Triggers& triggers, Mechanics& mechanics, RunState& state);

/// Return two shapes that penetrate each other without a contact. The contact of the result is -1
/// if there are none.
OutlineOverlap unseen_overlap(const RunState& state, const Mechanics& mechanics);

/// Update the candidates during a phase, starting from the features in `found`. Return false if a
/// closed or touching contact is affected, which an instant has to decide.
bool search_on_the_way(const System& system, double gap_tolerance, const ContactFeatures& found,
                       Mechanics& mechanics, RunState& state);

}  // namespace nsmb
