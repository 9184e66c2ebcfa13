#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/contact_laws/tolerances.hpp"
#include "nsmb/core/dense_qr.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Return Λ_N = -G_N⁻¹ (E + ε̄_N) γ_NA (7.11), the least-norm solution if contacts are dependent.
Vector impulses(const ImpactProblem& p, const std::vector<Index>& set) {
  const Index n = static_cast<Index>(set.size());
  Matrix G_N(n, n);
  Vector right(n);
  for (Index i = 0; i < n; ++i) {
    const Index c = set[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) G_N(i, j) = p.G(c, set[static_cast<std::size_t>(j)]);
    right(i) = -(1.0 + p.laws[static_cast<std::size_t>(c)].e_N) * p.gamma_N(c);
  }
  RankedQr solver;
  solver.compute(G_N);
  return solver.solve(right);
}

// Limit of impacts at one instant before their limit value is used.
constexpr int kNewtonTurns = 1000;

// γ_NE of a contact, and its allowed violation of the law.
struct After {
  After(const ImpactProblem& p, Index i, const Vector& Lambda_N)
      : gamma(p.gamma_N(i)), allowed(std::abs(gamma)) {
    for (const Index j : p.participants) {
      const double change = p.G(i, j) * Lambda_N(j);
      gamma += change;
      allowed += std::abs(change);
    }
    const double smallest = p.resolution ? (*p.resolution)(i) : 0.0;
    allowed = std::max(smallest, rounding::kRow * allowed);
  }
  double gamma, allowed;
};

// Return true if the law holds. A contact with an impulse leaves with γ_NE = -ε_N γ_NA (7.9), which
// coincident contacts with different ε_N cannot all satisfy. Every participant of I_S* stays closed
// or separates: γ_NE >= 0.
bool obeys_law(const ImpactProblem& p, const std::vector<Index>& initial, const Vector& Lambda_N) {
  for (const Index i : initial) {
    const After after(p, i, Lambda_N);
    const double wanted = -p.laws[static_cast<std::size_t>(i)].e_N * p.gamma_N(i);
    if (after.gamma < -after.allowed) return false;
    if (Lambda_N(i) > 0.0 && std::abs(after.gamma - wanted) > after.allowed) return false;
  }
  return true;
}

// Solve the same law as a complementarity problem: G Λ + (E + ε̄) γ_A >= 0 ⟂ Λ >= 0, with `share`
// of ε̄. G is positive semidefinite, so a solution exists and Lemke's method finds it. `relaxed`
// allows for errors of γ_A within its resolution, which may be contradictory in dependent contacts.
void solve_as_lcp(const ImpactProblem& p, const std::vector<Index>& members, double share,
                  bool relaxed, ContactSolver& solver, ImpactResult& result, Vector& Lambda_N) {
  const Index n = static_cast<Index>(members.size());
  double scale_G = 0.0, scale_b = 0.0;
  for (const Index i : members) {
    scale_G = std::max(scale_G, p.G(i, i));
    scale_b = std::max(scale_b, std::abs(p.gamma_N(i)));
  }
  if (!(scale_G > 0.0)) {  // a contact that approaches cannot be moved
    result.status = LcpStatus::NoSolution;
    return;
  }
  ContactProblem& slot = solver.problem(n, n);
  slot.by_size = true;
  slot.judged = p.resolution != nullptr;
  if (p.resolution) slot.resolution.setZero(n);
  for (Index i = 0; i < n; ++i) {
    const Index c = members[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) {
      slot.A(i, j) = p.G(c, members[static_cast<std::size_t>(j)]) / scale_G;
    }
    if (p.resolution) slot.resolution(i) = (*p.resolution)(c) / scale_b;
    slot.b(i) = (1.0 + share * p.laws[static_cast<std::size_t>(c)].e_N) * p.gamma_N(c) / scale_b;
    if (relaxed) slot.b(i) += impact::kRelaxed * slot.resolution(i);
  }
  solver.solve(slot);
  result.status = slot.status;
  result.residual = std::max(result.residual, slot.residual);
  if (result.status != LcpStatus::Solved) return;
  for (Index i = 0; i < n; ++i) {
    Lambda_N(members[static_cast<std::size_t>(i)]) = slot.x(i) * scale_b / scale_G;
  }
}

// Solve one impact. Lambda_N (nc) of the participants must be zero at the start.
void solve_once(const ImpactProblem& p, ContactSolver& solver, ImpactResult& result,
                Vector& Lambda_N) {
  double scale = 0.0;
  for (const Index i : p.participants) scale = std::max(scale, std::abs(p.gamma_N(i)));
  const double rounding = p.resolution ? 0.0 : 1e-11 * scale;
  std::vector<Index> initial;  // I_S*: γ_NA <= 0 up to rounding, including resting contacts
  for (const Index i : p.participants) {
    if (p.gamma_N(i) <= rounding) initial.push_back(i);
  }
  ++result.problems;
  result.status = LcpStatus::Solved;
  std::vector<Index> set = initial;
  // Check and remove: contacts with tensile impulses leave the set one by one, the worst first.
  while (!set.empty()) {
    const Vector Lambda = impulses(p, set);
    Index worst = 0;
    if (Lambda.minCoeff(&worst) >= 0.0) {
      for (std::size_t i = 0; i < set.size(); ++i) Lambda_N(set[i]) = Lambda(static_cast<Index>(i));
      break;
    }
    set.erase(set.begin() + worst);
  }
  if (obeys_law(p, initial, Lambda_N)) return;
  // A removed contact would penetrate, or the equations (7.11) are contradictory.
  for (const Index i : p.participants) Lambda_N(i) = 0.0;
  solve_as_lcp(p, initial, 1.0, false, solver, result, Lambda_N);
}

// Solve impact after impact until nothing approaches, and sum the impulses. If contacts pass the
// impact back and forth indefinitely, it fades. In the limit no contact with an impulse separates
// or approaches, and the limit is unique.
void solve_to_the_end(const ImpactProblem& p, ContactSolver& solver, ImpactResult& result) {
  Vector gamma_N = p.gamma_N, once(p.gamma_N.size()), total = Vector::Zero(once.size());
  Vector resolution = p.resolution ? *p.resolution : Vector::Zero(p.rows.size());
  const ImpactProblem next{
      p.rows,     p.G, gamma_N, p.gamma_T, p.laws, p.participants, nullptr, ImpactCourse::Collision,
      &resolution};
  result.status = LcpStatus::Solved;
  for (int turn = 0; internal::takes_part(next); ++turn) {
    once.setZero();
    const bool fades = turn >= kNewtonTurns;
    if (!fades) solve_once(next, solver, result, once);
    if (fades) solve_as_lcp(next, p.participants, 0.0, false, solver, result, once);
    if (result.status != LcpStatus::Solved) {
      solve_as_lcp(next, p.participants, 0.0, true, solver, result, once);
    }
    if (result.status != LcpStatus::Solved) return;
    total += once;
    for (const Index i : p.participants) {
      const After after(p, i, total);
      resolution(i) = std::max(resolution(i), after.allowed);
      gamma_N(i) = std::abs(after.gamma) <= after.allowed ? 0.0 : after.gamma;
    }
    if (fades) break;
  }
  for (const Index i : p.participants) result.Lambda_N(i) = total(i);
}

}  // namespace

void solve_newton_impact(const ImpactProblem& p, ContactSolver& solver, ImpactResult& result) {
  if (p.course == ImpactCourse::ToTheEnd) {
    solve_to_the_end(p, solver, result);
  } else {
    solve_once(p, solver, result, result.Lambda_N);
  }
}

}  // namespace nsmb
