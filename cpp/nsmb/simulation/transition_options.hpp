// Options and counters of the resolution of instants.
#pragma once

#include "nsmb/complementarity/friction_solver.hpp"
#include "nsmb/contact_laws/impact.hpp"

namespace nsmb {

/// The reaction to closed contacts that leave the accelerations without solution (Painlevé).
enum class OnInconsistent {
  Stop,    // end with a status
  Impact,  // apply an impact without collision (8.10), then continue
};

struct TransitionOptions {
  ImpactLaw impact_law = ImpactLaw::Poisson;
  double gap_tolerance = 1e-11;  // m, smaller |g_N| counts as touching
  double rest_velocity = 1e-11;  // m/s, smaller |γ_N|, |γ_T| count as zero
  OnInconsistent on_inconsistent = OnInconsistent::Stop;
  bool check_uniqueness = false;     // enumerate all solutions of small acceleration problems
  ExpansionParameters expansion;     // (8.10); if empty, those of the contacts
  FrictionOptions friction;          // solution of contact problems with friction discs
  bool sliding_compression = false;  // of several compressions, take the one in which slip lasts
};

struct TransitionCounts {
  double largest_residual = 0.0;
  long contact_problems = 0;
  long dependent_impacts = 0;        // impacts at which the split of impulses is a choice
  long dependent_contacts = 0;       // instants at which the split of forces is a choice
  long ambiguous_accelerations = 0;  // of these, instants at which accelerations are a choice, too
  long nonunique_problems = 0;       // problems with several solutions, found by enumeration
  long impacts_without_collision = 0;
  long energy_gains = 0;      // impacts that created energy
  double largest_gain = 0.0;  // J
};

}  // namespace nsmb
