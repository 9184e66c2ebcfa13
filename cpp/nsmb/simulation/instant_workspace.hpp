// What the steps of an instant share.
#pragma once

#include <string>
#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/simulation/instant_memory.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/transition_events.hpp"
#include "nsmb/simulation/transition_options.hpp"

namespace nsmb {

/// The system at (t, y), who takes part, and what has been found so far.
struct InstantWorkspace {
  InstantWorkspace(const System& system, const TransitionOptions& chosen);

  /// The problem (6.35) of the roles at hand.
  AccelerationProblem problem() const;
  /// γ̇_T of a contact under `forces`; in a plane its size.
  double gammadot_T(Index contact) const;
  /// Contacts with their velocities: which way they would slide decides whether they jam.
  std::string describe(const std::vector<Index>& contacts) const;

  const TransitionOptions options;
  Mechanics mechanics;
  const ContactRows& rows;
  ContactSolver solver;
  RowSelection selection;
  std::vector<Index> touching;  // I_S, unilateral contacts only
  std::vector<Index> active;    // these, and friction alone
  ContactStates before;         // the states that led here
  bool had_impact = false;
  double taken_by_rest = 0.0;              // J
  std::vector<ContactRole> contact_roles;  // (nc) by velocities
  Vector friction;                         // (nt) of contacts that slip
  AccelerationResult forces;               // under these roles
  FrozenRoles roles;                       // of the phase that follows, or led here
  std::vector<bool> hold;                  // (rows) scratch: those others cannot move against
  InstantMemory memory;
  TransitionEvents events;
  TransitionCounts counts;
  std::string message;
};

/// How a contact problem ended, as part of a message.
std::string verdict(LcpStatus status);

}  // namespace nsmb
