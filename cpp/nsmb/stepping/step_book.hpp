// What the impulses of a step mean: contact states, and who has taken which energy.
#pragma once

#include <vector>

#include "nsmb/stepping/step_outcome.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Relative velocities of contacts in a step, (nc) and (nt), of those that are closed in it.
struct StepVelocities {
  explicit StepVelocities(const ContactRows& rows);
  Vector start_N, start_T;  // before it, behind the impacts that come first
  Vector free_N, free_T;    // at its end, without impulses of contacts
  Vector end_N, end_T;      // with them
  Vector given_N, given_T;  // e_N γ_NA, e_T γ_TA: what restitution asks for; 0 without
};

/// Closed is what is pressed and stays; what sticks has no slip left. To `tol` of the fastest.
void decide_states(const ContactRows& rows, const std::vector<Index>& closed,
                   const StepVelocities& velocities, const Vector& Lambda_N, double tol,
                   ContactStates& states);

/// Velocities along the directions of impulses, before and behind them.
struct BookedVelocities {
  const Vector &before_N, &before_T, &behind_N, &behind_T;
};

/// Λᵀ(γ_A + γ_E)/2 - Λᵀw̃, (7.13): adds losses and drive work to `outcome`; the work, J.
double book_impulses(const ContactKinematics& contacts, const ContactRows& rows,
                     const std::vector<Index>& closed, const Vector& Lambda_N,
                     const Vector& Lambda_T, const BookedVelocities& velocities,
                     StepOutcome& outcome);

}  // namespace nsmb
