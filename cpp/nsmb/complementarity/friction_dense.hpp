// A sparse friction problem as the dense one of friction_problem.hpp, for small ones: its solver
// knows polygons and enumeration.
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

/// From x, which becomes what was found; true: solved. Asks for time only before it begins.
bool run_dense(const ContactSystem& system, int max_iterations, FrictionJudge& judge,
               DenseScratch& scratch, Vector& x);

}  // namespace nsmb::internal
