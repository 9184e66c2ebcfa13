#pragma once

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/system/contact_set.hpp"

namespace nsmb {

/// J, what the impulses of a step add to the kinetic energy that forces alone lead to, without the
/// work of contacts that move by themselves: Λᵀ (γ_f + γ_k+1)/2 of relative velocities. It is 0
/// where `tol` of the solver explains it. For ε = 0 there is none, whatever rubs, nor for one ε
/// without friction.
double gain_of_impulses(const SetProblem& problem, const ContactSet& set,
                        const SparseFrictionResult& result, double tol);

}  // namespace nsmb
