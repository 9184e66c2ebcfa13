// Treatment of contact problems that a solver has missed. Group by group of bodies connected by
// contacts, the impulses are accepted or the group is locked, see plastic_lock.hpp.
#pragma once

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/stepping/step_outcome.hpp"

namespace nsmb {

/// Judge and change `result` in all groups whose residual exceeds `tol`. Return Solved if rest is a
/// solution for each of them.
StepVerdict settle_missed(const SetProblem& problem, const FrictionMeasure& measure, double tol,
                          SparseFrictionResult& result);

}  // namespace nsmb
