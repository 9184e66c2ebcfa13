#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/contact_laws/impact.hpp"

namespace nsmb {

namespace {

// Λ_N = -G_N⁻¹ (E + ε̄_N) γ_NA (7.11); least norm where contacts are dependent.
Vector impulses(const ImpactProblem& p, const std::vector<Index>& set) {
  const Index n = static_cast<Index>(set.size());
  Matrix G_N(n, n);
  Vector right(n);
  for (Index i = 0; i < n; ++i) {
    const Index c = set[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) G_N(i, j) = p.G(c, set[static_cast<std::size_t>(j)]);
    right(i) = -(1.0 + p.laws[static_cast<std::size_t>(c)].e_N) * p.gamma_N(c);
  }
  return G_N.completeOrthogonalDecomposition().solve(right);
}

// Every participant of I_S* stays or leaves with γ_NE >= -ε_N γ_NA >= 0, up to its resolution and
// the rounding of the sum.
bool is_separating(const ImpactProblem& p, const std::vector<Index>& initial,
                   const Vector& Lambda_N) {
  constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
  for (const Index i : initial) {
    double gamma_NE = p.gamma_N(i), terms = std::abs(gamma_NE);
    for (const Index j : p.participants) {
      const double change = p.G(i, j) * Lambda_N(j);
      gamma_NE += change;
      terms += std::abs(change);
    }
    const double smallest = p.resolution ? (*p.resolution)(i) : 0.0;
    if (gamma_NE < -std::max(smallest, kRounding * terms)) return false;
  }
  return true;
}

// The same law as a complementarity problem: G Λ + (E + ε̄) γ_A >= 0 ⟂ Λ >= 0. G is positive
// semidefinite, so a solution exists and Lemke finds it.
void solve_as_lcp(const ImpactProblem& p, const std::vector<Index>& initial, ContactSolver& solver,
                  ImpactResult& result) {
  const Index n = static_cast<Index>(initial.size());
  double scale_G = 0.0, scale_b = 0.0;
  for (const Index i : initial) {
    scale_G = std::max(scale_G, p.G(i, i));
    scale_b = std::max(scale_b, std::abs(p.gamma_N(i)));
  }
  ContactProblem& slot = solver.problem(n, n);
  slot.by_size = true;
  if (p.resolution) slot.resolution.setZero(n);
  for (Index i = 0; i < n; ++i) {
    const Index c = initial[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) {
      slot.A(i, j) = p.G(c, initial[static_cast<std::size_t>(j)]) / scale_G;
    }
    if (p.resolution) slot.resolution(i) = (*p.resolution)(c) / scale_b;
    slot.b(i) = (1.0 + p.laws[static_cast<std::size_t>(c)].e_N) * p.gamma_N(c) / scale_b;
  }
  solver.solve(slot);
  result.status = slot.status;
  result.residual = std::max(result.residual, slot.residual);
  if (result.status != LcpStatus::Solved) return;
  for (Index i = 0; i < n; ++i) {
    result.Lambda_N(initial[static_cast<std::size_t>(i)]) = slot.x(i) * scale_b / scale_G;
  }
}

}  // namespace

void solve_newton_impact(const ImpactProblem& p, ContactSolver& solver, ImpactResult& result) {
  double scale = 0.0;
  for (const Index i : p.participants) scale = std::max(scale, std::abs(p.gamma_N(i)));
  const double rounding = p.resolution ? 0.0 : 1e-11 * scale;
  std::vector<Index> initial;  // I_S*: γ_NA <= 0, to rounding: a resting contact takes part
  for (const Index i : p.participants) {
    if (p.gamma_N(i) <= rounding) initial.push_back(i);
  }
  ++result.problems;
  std::vector<Index> set = initial;
  // Check and remove: contacts that would have to pull leave the set one by one, the worst first.
  while (!set.empty()) {
    const Vector Lambda = impulses(p, set);
    Index worst = 0;
    if (Lambda.minCoeff(&worst) >= 0.0) {
      for (std::size_t i = 0; i < set.size(); ++i) {
        result.Lambda_N(set[i]) = Lambda(static_cast<Index>(i));
      }
      break;
    }
    set.erase(set.begin() + worst);
  }
  result.status = LcpStatus::Solved;
  // Removed contacts must not penetrate; where they would, the loop removed the wrong ones.
  if (!is_separating(p, initial, result.Lambda_N)) {
    solve_as_lcp(p, initial, solver, result);
  }
}

}  // namespace nsmb
