#include <cmath>
#include <limits>

#include "nsmb/contact_laws/impact.hpp"

namespace nsmb {

namespace {

// x = (Λ_N, Λ_T⁺, Λ_T⁻, z⁻, z⁺) as in (8.87), where the four tangential blocks hold the rough
// participants only: a smooth contact has Λ_T = 0 and its block would be empty of information.
struct Layout {
  Index n_S = 0, n_R = 0;
  Index plus(Index r) const { return n_S + r; }
  Index minus(Index r) const { return n_S + n_R + r; }
  Index z_minus(Index r) const { return n_S + 2 * n_R + r; }
  Index z_plus(Index r) const { return n_S + 3 * n_R + r; }
  Index size() const { return n_S + 4 * n_R; }
};

bool is_rough(const ImpactProblem& p, Index contact) {
  const Index t = p.gamma_N.size() + contact;
  return p.laws[static_cast<std::size_t>(contact)].mu > 0.0 && p.G(t, t) > 0.0;
}

// Friction of one contact in the expansion phase: μ^(±) of (8.39).
struct ExpansionFriction {
  double mu_plus, mu_minus;
};

ExpansionFriction expansion_friction(const UnilateralContact& law, double Lambda_TC) {
  // sign(0): (8.31) with (8.37) leaves the plain Coulomb bounds (README, decision 1).
  if (Lambda_TC > 0.0) return {law.mu, (1.0 - law.nu) * law.mu};
  if (Lambda_TC < 0.0) return {(1.0 - law.nu) * law.mu, law.mu};
  return {law.mu, law.mu};
}

void fill_row(const ImpactProblem& p, const Layout& at, Index row, Index g, double sign,
              double scale_G, Matrix& A) {
  const Index nc = p.gamma_N.size();
  const double s = sign / scale_G;
  Index c = 0, r = 0;
  for (const Index j : p.participants) {
    A(row, c++) = s * p.G(g, j);
    if (!is_rough(p, j)) continue;
    A(row, at.plus(r)) = s * p.G(g, nc + j);
    A(row, at.minus(r)) = -s * p.G(g, nc + j);
    ++r;
  }
}

// The matrix of (8.87), or with μ^(±) that of (8.97).
void assemble_matrix(const ImpactProblem& p, const Layout& at, double scale_G,
                     const Vector* Lambda_TC, Matrix& A) {
  const Index nc = p.gamma_N.size();
  Index c = 0, r = 0;
  for (const Index i : p.participants) {
    fill_row(p, at, c, i, 1.0, scale_G, A);
    if (is_rough(p, i)) {
      const UnilateralContact& law = p.laws[static_cast<std::size_t>(i)];
      const ExpansionFriction friction =
          Lambda_TC ? expansion_friction(law, (*Lambda_TC)(i)) : ExpansionFriction{law.mu, law.mu};
      fill_row(p, at, at.plus(r), nc + i, 1.0, scale_G, A);
      fill_row(p, at, at.minus(r), nc + i, -1.0, scale_G, A);
      A(at.plus(r), at.z_minus(r)) = 1.0;
      A(at.minus(r), at.z_plus(r)) = 1.0;
      // Saturations Λ_T0 = μ Λ_N - Λ_T of (8.81).
      A(at.z_minus(r), c) = friction.mu_plus;
      A(at.z_minus(r), at.plus(r)) = -1.0;
      A(at.z_plus(r), c) = friction.mu_minus;
      A(at.z_plus(r), at.minus(r)) = -1.0;
      ++r;
    }
    ++c;
  }
}

bool accept(const ContactLcp::Slot& slot, ImpactResult& result) {
  result.status = slot.result.status;
  result.residual = std::max(result.residual, slot.result.residual);
  return result.status == LcpStatus::Solved;
}

// Adds the impulses of a solved phase.
void scatter(const ImpactProblem& p, const Layout& at, const Vector& x, double unit,
             Vector& Lambda_N, Vector& Lambda_T) {
  Index c = 0, r = 0;
  for (const Index i : p.participants) {
    Lambda_N(i) += unit * x(c++);
    if (!is_rough(p, i)) continue;
    Lambda_T(i) += unit * (x(at.plus(r)) - x(at.minus(r)));
    ++r;
  }
}

// A row of G times the impulses of the participants.
double row_effect(const ImpactProblem& p, Index row, const Vector& Lambda_N,
                  const Vector& Lambda_T) {
  double sum = 0.0;
  for (const Index j : p.participants) {
    sum += p.G(row, j) * Lambda_N(j) + p.G(row, p.gamma_N.size() + j) * Lambda_T(j);
  }
  return sum;
}

// Size of the terms of γ_C = γ_A + G Λ_C, the largest over all rows.
double size_of_terms(const ImpactProblem& p, const ImpactResult& result) {
  const Index nc = p.gamma_N.size();
  double largest = 0.0;
  for (const Index i : p.participants) {
    for (const Index row : {i, nc + i}) {
      double size = std::abs(row < nc ? p.gamma_N(i) : p.gamma_T(i));
      for (const Index j : p.participants) {
        size += std::abs(p.G(row, j) * result.Lambda_NC(j)) +
                std::abs(p.G(row, nc + j) * result.Lambda_TC(j));
      }
      largest = std::max(largest, size);
    }
  }
  return largest;
}

// γ_C of one row; what rounding leaves of a zero is zero: beside dependent contacts and a small
// ε_N it would make the expansion problem inconsistent.
double velocity_C(const ImpactProblem& p, Index row, double gamma_A, const ImpactResult& result,
                  double rounding) {
  const double value = gamma_A + row_effect(p, row, result.Lambda_NC, result.Lambda_TC);
  return std::abs(value) <= rounding ? 0.0 : value;
}

// Expansion (8.97) in Λ_P = Λ_E - Λ_R. On entry Lambda_N, Lambda_T hold Λ_R, on return Λ_E.
void solve_expansion(const ImpactProblem& p, const Layout& at, double scale_G, double scale_b,
                     ContactLcp& lcp, ImpactResult& result) {
  const Index nc = p.gamma_N.size();
  const double unit = scale_b / scale_G;
  const double rounding = 64.0 * std::numeric_limits<double>::epsilon() * size_of_terms(p, result);
  ContactLcp::Slot& slot = lcp.slot(at.size());
  assemble_matrix(p, at, scale_G, &result.Lambda_TC, slot.A);
  Index c = 0, r = 0;
  for (const Index i : p.participants) {
    const UnilateralContact& law = p.laws[static_cast<std::size_t>(i)];
    const double gamma_N = velocity_C(p, i, p.gamma_N(i), result, rounding) +
                           row_effect(p, i, result.Lambda_N, result.Lambda_T);
    slot.b(c++) = gamma_N / scale_b;
    if (!is_rough(p, i)) continue;
    const double gamma_T = velocity_C(p, nc + i, p.gamma_T(i), result, rounding) +
                           row_effect(p, nc + i, result.Lambda_N, result.Lambda_T);
    slot.b(at.plus(r)) = gamma_T / scale_b;
    slot.b(at.minus(r)) = -gamma_T / scale_b;
    // (Ñ_S - I_B) Λ_R: the bounds Λ_G^(±) of (8.94) at Λ_P = 0.
    const ExpansionFriction friction = expansion_friction(law, result.Lambda_TC(i));
    const double normal = result.Lambda_N(i) / unit;
    const double plus = std::max(result.Lambda_T(i), 0.0) / unit;
    const double minus = std::max(-result.Lambda_T(i), 0.0) / unit;
    slot.b(at.z_minus(r)) = friction.mu_plus * normal - plus + (1.0 - law.e_T) * minus;
    slot.b(at.z_plus(r)) = friction.mu_minus * normal + (1.0 - law.e_T) * plus - minus;
    ++r;
  }
  lcp.solve(slot);
  result.in_expansion = !accept(slot, result);
  if (!result.in_expansion) {
    scatter(p, at, slot.result.x, unit, result.Lambda_N, result.Lambda_T);
  }
}

}  // namespace

void solve_poisson_impact(const ImpactProblem& p, ContactLcp& lcp, ImpactResult& result) {
  Layout at;
  double scale_G = 0.0, scale_b = 0.0;
  for (const Index i : p.participants) {
    ++at.n_S;
    scale_G = std::max(scale_G, p.G(i, i));
    scale_b = std::max(scale_b, std::abs(p.gamma_N(i)));
    if (!is_rough(p, i)) continue;
    ++at.n_R;
    scale_b = std::max(scale_b, std::abs(p.gamma_T(i)));
  }
  result.status = LcpStatus::Solved;
  if (scale_b == 0.0) return;
  const double unit = scale_b / scale_G;

  // Compression (8.87): b = (γ_NA, γ_TA, -γ_TA, 0, 0).
  ContactLcp::Slot& slot = lcp.slot(at.size());
  assemble_matrix(p, at, scale_G, nullptr, slot.A);
  Index c = 0, r = 0;
  for (const Index i : p.participants) {
    slot.b(c++) = p.gamma_N(i) / scale_b;
    if (!is_rough(p, i)) continue;
    slot.b(at.plus(r)) = p.gamma_T(i) / scale_b;
    slot.b(at.minus(r)) = -p.gamma_T(i) / scale_b;
    ++r;
  }
  lcp.solve(slot);
  result.problems = 1;
  if (!accept(slot, result)) return;
  scatter(p, at, slot.result.x, unit, result.Lambda_NC, result.Lambda_TC);

  // Λ_R = ε̄_N Λ_C is given back in any case.
  bool elastic = false;
  for (const Index i : p.participants) {
    const double e_N = p.laws[static_cast<std::size_t>(i)].e_N;
    result.Lambda_N(i) = e_N * result.Lambda_NC(i);
    result.Lambda_T(i) = e_N * result.Lambda_TC(i);
    elastic = elastic || result.Lambda_N(i) > 0.0;
  }
  // P27: without stored impulses the expansion adds nothing.
  if (elastic) {
    solve_expansion(p, at, scale_G, scale_b, lcp, result);
    result.problems = 2;
  }
  result.Lambda_N += result.Lambda_NC;
  result.Lambda_T += result.Lambda_TC;
}

}  // namespace nsmb
