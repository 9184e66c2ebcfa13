// Impacts: what both laws take and give.
#pragma once

#include <vector>

#include "nsmb/contact_laws/contact_lcp.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

enum class ImpactLaw {
  Poisson,  // compression (8.87) and expansion (8.97), friction and tangential restitution
  Newton,   // (7.11), (7.12), without friction, with the check-and-remove loop of 7.2
};

/// All vectors over all nc contacts; G is (2nc, 2nc) as in Delassus.
struct ImpactProblem {
  const Matrix& G;
  const Vector& gamma_N;  // γ_NA, m/s, before the impact
  const Vector& gamma_T;  // γ_TA
  const std::vector<UnilateralContact>& laws;
  const std::vector<Index>& participants;  // I_S: every contact with g_N = 0 (8.1)
};

struct ImpactResult {
  explicit ImpactResult(Index nc);

  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;        // the larger one of the two phases
  int problems = 0;             // complementarity problems it took
  bool in_expansion = false;    // which phase failed, when not Solved
  Vector Lambda_NC, Lambda_TC;  // (nc) N s, end of compression; Newton: zero
  Vector Lambda_N, Lambda_T;    // (nc) N s, whole impact
  Vector gamma_N, gamma_T;      // (nc) m/s, after the impact, of all contacts
};

void solve_impact(ImpactLaw law, const ImpactProblem& problem, ContactLcp& lcp,
                  ImpactResult& result);

/// T_E - T_A = ½ Λᵀ(γ_A + γ_E) - Λᵀw̃ (7.13), (8.52).
double kinetic_energy_change(const ImpactProblem& problem, const ImpactResult& result,
                             const ContactKinematics& contacts);

void solve_poisson_impact(const ImpactProblem& problem, ContactLcp& lcp, ImpactResult& result);
void solve_newton_impact(const ImpactProblem& problem, ContactLcp& lcp, ImpactResult& result);

}  // namespace nsmb
