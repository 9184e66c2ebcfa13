// Several solutions: what dependent contacts leave open, and what enumeration finds.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"

namespace nsmb {

/// One solution of the acceleration level.
struct AccelerationSolution {
  Vector lambda_N, lambda_T;
  Vector gammadot_N, gammadot_T;
};

/// All solutions of (6.35) in forces, by enumeration of its complementary cones: isolated ones and
/// one of every continuum in a cone. Empty where the problem is too large (`max_size` unknowns of
/// the LCP) or has two tangential directions, or where there is none; `status` says which.
std::vector<AccelerationSolution> enumerate_accelerations(const AccelerationProblem& problem,
                                                          ContactSolver& solver, Index max_size,
                                                          LcpStatus& status);

/// How many different accelerations M⁻¹W λ these solutions have.
long count_acceleration_solutions(const AccelerationProblem& problem, ContactSolver& solver,
                                  const Matrix& Minv_W);

/// With dependent conditions, the rows marked in `hold`, forces can be exchanged for one another
/// without changing γ̇ there. Does that change accelerations? Sliding friction can make it so (5.4).
bool accelerations_are_a_choice(const AccelerationProblem& problem, const std::vector<bool>& hold,
                                const Matrix& Minv_W, const FrozenRoles& roles);

}  // namespace nsmb
