// Non-unique solutions: forces left open by dependent contacts, and results of enumeration.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"

namespace nsmb {

/// A solution on acceleration level.
struct AccelerationSolution {
  Vector lambda_N, lambda_T;
  Vector gammadot_N, gammadot_T;
};

/// Enumerate the force solutions of (6.35) over its complementary cones: all isolated solutions and
/// one of every continuum in a cone. The list is empty if the problem has more than `max_size` LCP
/// unknowns, has two tangential directions, or has no solution. `status` states the reason.
std::vector<AccelerationSolution> enumerate_accelerations(const AccelerationProblem& problem,
                                                          ContactSolver& solver, Index max_size,
                                                          LcpStatus& status);

/// Return the number of distinct accelerations M⁻¹W λ of these solutions.
long count_acceleration_solutions(const AccelerationProblem& problem, ContactSolver& solver,
                                  const Matrix& Minv_W);

/// Return true if the accelerations are not unique. With dependent conditions, the rows marked in
/// `hold`, different forces give the same γ̇ there. With sliding friction they can give different
/// accelerations (5.4).
bool accelerations_are_a_choice(const AccelerationProblem& problem, const std::vector<bool>& hold,
                                const Matrix& Minv_W, const FrozenRoles& roles);

}  // namespace nsmb
