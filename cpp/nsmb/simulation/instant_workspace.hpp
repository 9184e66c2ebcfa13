// Data shared by the steps of an instant.
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

/// The system at (t, y), the contacts involved, and the findings so far.
struct InstantWorkspace {
  InstantWorkspace(const System& system, const TransitionOptions& chosen);

  /// Return the problem (6.35) of the current roles.
  AccelerationProblem problem() const;
  /// Return γ̇_T of a contact under `forces`; in a plane, its magnitude.
  double gammadot_T(Index contact) const;
  /// Return a text of contacts with their velocities. The direction in which they would slide
  /// decides whether they jam.
  std::string describe(const std::vector<Index>& contacts) const;

  const TransitionOptions options;
  Mechanics mechanics;
  const ContactRows& rows;
  ContactSolver solver;
  RowSelection selection;
  std::vector<Index> touching;  // I_S, unilateral contacts only
  std::vector<Index> active;    // these, and contacts with friction only
  ContactStates before;         // the states that led here
  bool had_impact = false;
  double taken_by_rest = 0.0;              // J
  std::vector<ContactRole> contact_roles;  // (nc) by velocities
  Vector friction;                         // (nt) of contacts that slip
  AccelerationResult forces;               // under these roles
  FrozenRoles roles;                       // of the phase that follows, or that led here
  std::vector<bool> hold;                  // (rows) scratch: rows that others cannot move against
  InstantMemory memory;
  TransitionEvents events;
  TransitionCounts counts;
  std::string message;
};

/// Return how a contact problem ended, as part of a message.
std::string verdict(LcpStatus status);

}  // namespace nsmb
