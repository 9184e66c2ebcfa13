// Contact points that come and go in the course of a run.
#pragma once

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/triggers.hpp"

namespace nsmb {

/// Candidates anew at `state`, where they may have changed, and which contact points that touch are
/// contacts. -1, or a contact that is found where its impact would have been before.
Index renew_candidates(const System& system, const EventDrivenOptions& options,
                       const Triggers& triggers, Mechanics& mechanics, RunState& state);

/// Candidates anew while the motion goes on as it is, with the features it has found so far. False:
/// what is closed or touches is concerned, which an instant has to decide.
bool search_on_the_way(const System& system, double gap_tolerance, const ContactFeatures& found,
                       Mechanics& mechanics, RunState& state);

}  // namespace nsmb
