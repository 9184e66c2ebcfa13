// Conversion of a small sparse friction problem to the dense one of friction_problem.hpp, whose
// solver supports polygons and enumeration.
#pragma once

#include "nsmb/complementarity/friction_judge.hpp"
#include "nsmb/complementarity/friction_solver.hpp"

namespace nsmb::internal {

struct DenseScratch {
  Matrix A;
  Vector unit, v, y;
  FrictionRows rows;
  FrictionWorkspace workspace;
  FrictionResult result;
};

/// Run from x, which is replaced by the result. Return true if solved. Checks the time only before
/// it starts.
bool run_dense(const ContactSystem& system, int max_iterations, FrictionJudge& judge,
               DenseScratch& scratch, Vector& x);

}  // namespace nsmb::internal
