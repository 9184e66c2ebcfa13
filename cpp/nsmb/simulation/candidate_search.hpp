// Contact points that come and go in the course of a run.
#pragma once

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/triggers.hpp"
#include "nsmb/system/feature_search.hpp"

namespace nsmb {

/// Candidates anew at `state`, where they may have changed, and which contact points that touch are
/// contacts. -1, or a contact that is found where its impact would have been before.
Index renew_candidates(const System& system, const EventDrivenOptions& options,
                       const Triggers& triggers, Mechanics& mechanics, RunState& state);

/// Two shapes that are in each other although no contact says so; its contact is -1: none are.
OutlineOverlap unseen_overlap(const RunState& state, const Mechanics& mechanics);

/// Candidates anew while the motion goes on as it is, with the features it has found so far. False:
/// what is closed or touches is concerned, which an instant has to decide.
bool search_on_the_way(const System& system, double gap_tolerance, const ContactFeatures& found,
                       Mechanics& mechanics, RunState& state);

}  // namespace nsmb
