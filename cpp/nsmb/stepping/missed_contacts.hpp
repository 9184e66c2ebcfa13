// Contacts in any number whose problem a solver has missed: group by group of bodies that contacts
// join, its impulses are taken or the group is locked, see plastic_lock.hpp.
#pragma once

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/stepping/step_outcome.hpp"

namespace nsmb {

/// `result` of the problem, of which groups with more than `tol` are judged and changed. Solved:
/// rest is a solution of all of them.
StepVerdict settle_missed(const SetProblem& problem, const FrictionMeasure& measure, double tol,
                          SparseFrictionResult& result);

}  // namespace nsmb
