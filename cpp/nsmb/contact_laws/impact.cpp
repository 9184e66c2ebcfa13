#include "nsmb/contact_laws/impact.hpp"

namespace nsmb {

ImpactResult::ImpactResult(Index nc)
    : Lambda_NC(Vector::Zero(nc)),
      Lambda_TC(Vector::Zero(nc)),
      Lambda_N(Vector::Zero(nc)),
      Lambda_T(Vector::Zero(nc)),
      gamma_N(Vector::Zero(nc)),
      gamma_T(Vector::Zero(nc)) {}

void solve_impact(ImpactLaw law, const ImpactProblem& problem, ContactLcp& lcp,
                  ImpactResult& result) {
  result.residual = 0.0;
  result.in_expansion = false;
  result.problems = 0;
  result.Lambda_NC.setZero();
  result.Lambda_TC.setZero();
  result.Lambda_N.setZero();
  result.Lambda_T.setZero();
  if (law == ImpactLaw::Poisson) {
    solve_poisson_impact(problem, lcp, result);
  } else {
    solve_newton_impact(problem, lcp, result);
  }
  const Index nc = problem.gamma_N.size();
  result.gamma_N = problem.gamma_N;
  result.gamma_T = problem.gamma_T;
  result.gamma_N.noalias() += problem.G.topLeftCorner(nc, nc) * result.Lambda_N;
  result.gamma_N.noalias() += problem.G.topRightCorner(nc, nc) * result.Lambda_T;
  result.gamma_T.noalias() += problem.G.bottomLeftCorner(nc, nc) * result.Lambda_N;
  result.gamma_T.noalias() += problem.G.bottomRightCorner(nc, nc) * result.Lambda_T;
}

double kinetic_energy_change(const ImpactProblem& problem, const ImpactResult& result,
                             const ContactKinematics& contacts) {
  double change = 0.0;
  for (const Index i : problem.participants) {
    change += 0.5 * result.Lambda_N(i) * (problem.gamma_N(i) + result.gamma_N(i)) +
              0.5 * result.Lambda_T(i) * (problem.gamma_T(i) + result.gamma_T(i)) -
              result.Lambda_N(i) * contacts.w_tilde_N(i) -
              result.Lambda_T(i) * contacts.w_tilde_T(i);
  }
  return change;
}

}  // namespace nsmb
