// Detachment and stick-slip transitions: the LCP (6.35) on acceleration level.
#pragma once

#include "nsmb/contact_laws/contact_lcp.hpp"
#include "nsmb/contact_laws/contact_state.hpp"

namespace nsmb {

/// All vectors over all nc contacts; G is (2nc, 2nc) as in Delassus.
struct AccelerationProblem {
  const Matrix& G;
  const Vector& free_N;  // W_Nᵀ M⁻¹h + w̄_N
  const Vector& free_T;  // W_Tᵀ M⁻¹h + w̄_T
  const Vector& mu;
  const std::vector<ContactRole>& roles;
};

struct AccelerationResult {
  explicit AccelerationResult(Index nc);

  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;
  double scale = 0.0;             // m/s², largest acceleration the problem was scaled by
  Vector lambda_N, lambda_T;      // (nc) N; zero for absent contacts
  Vector gammadot_N, gammadot_T;  // (nc) m/s², of all contacts under these forces
};

void solve_acceleration_law(const AccelerationProblem& problem, ContactLcp& lcp,
                            AccelerationResult& result);

}  // namespace nsmb
