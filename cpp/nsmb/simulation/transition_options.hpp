// How an instant is resolved, and what is counted on the way.
#pragma once

#include "nsmb/complementarity/friction_solver.hpp"
#include "nsmb/contact_laws/impact.hpp"

namespace nsmb {

/// What to do where closed contacts leave the accelerations without solution (Painlevé).
enum class OnInconsistent {
  Stop,    // end with a status
  Impact,  // an impact without collision (8.10), then go on
};

struct TransitionOptions {
  ImpactLaw impact_law = ImpactLaw::Poisson;
  double gap_tolerance = 1e-11;  // m: |g_N| below it counts as touching
  double rest_velocity = 1e-11;  // m/s: |γ_N|, |γ_T| below it count as zero
  OnInconsistent on_inconsistent = OnInconsistent::Stop;
  bool check_uniqueness = false;     // enumerate all solutions of small acceleration problems
  ExpansionParameters expansion;     // (8.10); empty: those of the contacts
  FrictionOptions friction;          // how contact problems with friction discs are solved
  bool sliding_compression = false;  // of several compressions take the one in which slip lasts
};

struct TransitionCounts {
  double largest_residual = 0.0;
  long contact_problems = 0;
  long dependent_impacts = 0;        // the split of impulses is a choice
  long dependent_contacts = 0;       // instants at which the split of forces is a choice
  long ambiguous_accelerations = 0;  // of these, those at which accelerations are one, too
  long nonunique_problems = 0;       // several solutions found by enumeration
  long impacts_without_collision = 0;
  long energy_gains = 0;      // impacts that created energy
  double largest_gain = 0.0;  // J
};

}  // namespace nsmb
