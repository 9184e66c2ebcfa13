// Contact states and energy terms that follow from the impulses of a step.
#pragma once

#include <vector>

#include "nsmb/stepping/step_outcome.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Relative velocities (nc) and (nt) of the contacts that are closed in a step.
struct StepVelocities {
  explicit StepVelocities(const ContactRows& rows);
  Vector start_N, start_T;  // before the step, after the impacts that come first
  Vector free_N, free_T;    // at its end, without contact impulses
  Vector end_N, end_T;      // at its end, with contact impulses
  Vector given_N, given_T;  // e_N γ_NA, e_T γ_TA required by restitution, otherwise 0
};

/// Set contact states. Contacts are closed if they are pressed and do not separate. They stick if
/// they have no slip. Velocities below `tol` times the fastest count as zero.
void decide_states(const ContactRows& rows, const std::vector<Index>& closed,
                   const StepVelocities& velocities, const Vector& Lambda_N, double tol,
                   ContactStates& states);

/// Open friction that only the normal force of an open contact bounds.
void open_unpressed(const ContactRows& rows, ContactStates& states);

/// Velocities along the directions of impulses, before and after them.
struct ImpulseVelocities {
  const Vector &before_N, &before_T, &after_N, &after_T;
};

/// Add losses and drive work to `outcome`. Return the work in J, Λᵀ(γ_A + γ_E)/2 - Λᵀw̃, (7.13).
double add_impulse_work(const ContactKinematics& contacts, const ContactRows& rows,
                        const std::vector<Index>& closed, const Vector& Lambda_N,
                        const Vector& Lambda_T, const ImpulseVelocities& velocities,
                        StepOutcome& outcome);

}  // namespace nsmb
