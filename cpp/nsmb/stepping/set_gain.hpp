#pragma once

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/system/contact_set.hpp"

namespace nsmb {

/// Return the gain of kinetic energy in J by the impulses of a step, Λᵀ (γ_f + γ_k+1)/2 with
/// relative velocities. It is relative to the motion under forces alone and excludes the work of
/// contacts with prescribed motion. It is 0 if `tol` of the solver explains it. Nothing is gained
/// for ε = 0, with or without friction, nor for a common ε without friction.
double gain_of_impulses(const SetProblem& problem, const ContactSet& set,
                        const SparseFrictionResult& result, double tol);

}  // namespace nsmb
