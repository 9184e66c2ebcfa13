#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

// Size of the terms of γ_C = γ_A + G Λ_C, the largest over all rows that take part.
double size_of_terms(const ImpactProblem& p, const ImpactResult& r) {
  double largest = 0.0;
  const auto include = [&](Index g, double gamma_A) {
    double size = std::abs(gamma_A);
    for (const Index j : p.participants) size += std::abs(p.G(g, j) * r.Lambda_NC(j));
    for (const Index j : r.rough) {
      for (Index d = 0; d < p.rows.dim(j); ++d) {
        size += std::abs(p.G(g, p.rows.row(j) + d) * r.Lambda_TC(p.rows.tangent(j) + d));
      }
    }
    largest = std::max(largest, size);
  };
  for (const Index i : p.participants) include(i, p.gamma_N(i));
  for (const Index i : r.rough) {
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      include(p.rows.row(i) + d, p.gamma_T(p.rows.tangent(i) + d));
    }
  }
  return largest;
}

// γ_C; what rounding leaves of a zero is zero: beside dependent contacts and a small ε_N it would
// make the expansion problem inconsistent.
void velocities_C(const ImpactProblem& p, ImpactResult& r) {
  r.gamma_NC = p.gamma_N;
  r.gamma_TC = p.gamma_T;
  internal::add_velocities(p, r.Lambda_NC, r.Lambda_TC, r.gamma_NC, r.gamma_TC);
  const double rounding = 64.0 * std::numeric_limits<double>::epsilon() * size_of_terms(p, r);
  for (Vector* gamma : {&r.gamma_NC, &r.gamma_TC}) {
    for (double& value : *gamma) value = std::abs(value) <= rounding ? 0.0 : value;
  }
}

// Norm of a tangential impulse in the metric in which its friction ellipse is a disc.
double disc_norm(const UnilateralContact& law, const Vector& Lambda_T, Index first, Index dim) {
  return dim == 1 ? std::abs(Lambda_T(first))
                  : std::hypot(Lambda_T(first), Lambda_T(first + 1) / law.aspect);
}

// The law of an interval (8.38), (8.94) in Λ_P = Λ_E - Λ_R, Λ_R = ε̄_N Λ_C.
void bound_interval(const UnilateralContact& law, double Lambda_TC, double Lambda_NR,
                    double Lambda_TR, FrictionBound& f) {
  // (8.39). sign(0): (8.31) with (8.37) leaves the plain Coulomb bounds (README, decision 1).
  f.mu_plus = Lambda_TC < 0.0 ? (1.0 - law.nu) * law.mu : law.mu;
  f.mu_minus = Lambda_TC > 0.0 ? (1.0 - law.nu) * law.mu : law.mu;
  const double plus = std::max(Lambda_TR, 0.0);
  const double minus = std::max(-Lambda_TR, 0.0);
  f.bound_plus = f.mu_plus * Lambda_NR - plus + (1.0 - law.e_T) * minus;
  f.bound_minus = f.mu_minus * Lambda_NR + (1.0 - law.e_T) * plus - minus;
}

// The law of a disc, (8.31) with vectors: |Λ_TE - Λ_TS| <= μ Λ_NE - |Λ_TS|, where
// 2Λ_TS = μ ν Λ_NE d + ε_N ε_T Λ_TC (8.37) and d is the direction of Λ_TC. The unknown is
// Λ_TE - Λ_TS; `shift` d is what a unit of Λ_NP adds to Λ_TS.
void bound_disc(const UnilateralContact& law, double norm_C, double Lambda_NR, FrictionBound& f,
                double& shift) {
  shift = norm_C > 0.0 ? 0.5 * law.mu * law.nu : 0.0;
  f.mu_plus = f.mu_minus = law.mu - shift;
  const double bound = f.mu_plus * Lambda_NR - 0.5 * law.e_N * law.e_T * norm_C;
  f.bound_plus = f.bound_minus = std::max(bound, 0.0);
}

// Parameters of the expansion phase: those of the contacts unless they are chosen from the results
// of compression (8.10).
const std::vector<UnilateralContact>& expansion_laws(const ImpactProblem& p, double rounding,
                                                     ImpactResult& r) {
  if (!p.expansion || !*p.expansion) return p.laws;
  r.laws = p.laws;
  (*p.expansion)(r, r.laws);
  for (const Index i : r.rough) {
    const UnilateralContact& law = r.laws[static_cast<std::size_t>(i)];
    const double norm = disc_norm(law, r.Lambda_TC, p.rows.tangent(i), p.rows.dim(i));
    const double normal = r.Lambda_NC(p.rows.normal_of(i));
    const bool lowered = law.mu < p.laws[static_cast<std::size_t>(i)].mu;
    if (lowered && norm > (1.0 + 1e-9) * law.mu * normal + rounding) {
      reject("expansion parameters: mu",
             "at least |Lambda_TC|/Lambda_NC = " + to_text(norm / normal), to_text(law.mu));
    }
  }
  return r.laws;
}

// Expansion (8.97). Lambda_N, Lambda_T receive Λ_E.
void solve_expansion(const ImpactProblem& p, Index n, double scale_G, double scale_b,
                     ContactSolver& solver, ImpactResult& r) {
  const double unit = scale_b / scale_G;
  velocities_C(p, r);
  const std::vector<UnilateralContact>& laws = expansion_laws(p, 1e-12 * unit, r);
  ContactProblem& problem = internal::assemble_impact(p, r, n, scale_G, scale_b, solver);
  bool spatial = false;
  for (const FrictionBound& f : problem.friction) spatial = spatial || f.dim > 1;
  // Λ_R = ε̄_N Λ_C is given back in any case; of a disc the part that Λ_TS has at Λ_NP = 0.
  for (const Index i : p.participants) {
    r.Lambda_N(i) = laws[static_cast<std::size_t>(i)].e_N * r.Lambda_NC(i);
  }
  for (std::size_t k = 0; k < r.rough.size(); ++k) {
    const Index i = r.rough[k];
    const UnilateralContact& law = laws[static_cast<std::size_t>(i)];
    const Index first = p.rows.tangent(i), dim = p.rows.dim(i);
    const Index normal = p.rows.normal_of(i);
    const double e_N = laws[static_cast<std::size_t>(normal)].e_N;
    FrictionBound& f = problem.friction[k];
    auto Lambda_T = r.Lambda_T.segment(first, dim);
    const auto Lambda_TC = r.Lambda_TC.segment(first, dim);
    if (!spatial) {
      Lambda_T = e_N * Lambda_TC;
      bound_interval(law, Lambda_TC(0), r.Lambda_N(normal) / unit, Lambda_T(0) / unit, f);
      continue;
    }
    const double norm = disc_norm(law, r.Lambda_TC, first, dim);
    double shift = 0.0;
    UnilateralContact disc_law = law;
    disc_law.e_N = e_N;
    bound_disc(disc_law, norm / unit, r.Lambda_N(normal) / unit, f, shift);
    f.aspect = law.aspect;
    if (norm == 0.0) continue;
    Lambda_T = (shift * r.Lambda_N(normal) / norm + 0.5 * e_N * law.e_T) * Lambda_TC;
    for (Index d = 0; d < dim; ++d) {
      problem.A.col(f.normal) += shift * Lambda_TC(d) / norm * problem.A.col(f.first + d);
    }
  }
  Vector& gamma_N = r.gamma_N;
  Vector& gamma_T = r.gamma_T;
  gamma_N = r.gamma_NC;
  gamma_T = r.gamma_TC;
  internal::add_velocities(p, r.Lambda_N, r.Lambda_T, gamma_N, gamma_T);
  Index row = 0;
  for (const Index i : p.participants) problem.b(row++) = gamma_N(i) / scale_b;
  for (const Index i : r.rough) {
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      problem.b(row++) = gamma_T(p.rows.tangent(i) + d) / scale_b;
    }
  }
  solver.solve(problem);
  r.in_expansion = !internal::accept(problem, r);
  if (r.in_expansion) return;
  if (spatial) {
    for (std::size_t k = 0; k < r.rough.size(); ++k) {
      const Index i = r.rough[k];
      const Index first = p.rows.tangent(i), dim = p.rows.dim(i);
      const UnilateralContact& law = laws[static_cast<std::size_t>(i)];
      const double norm = disc_norm(law, r.Lambda_TC, first, dim);
      if (norm == 0.0) continue;
      const double Lambda_NP = unit * problem.x(problem.friction[k].normal);
      r.Lambda_T.segment(first, dim) +=
          0.5 * law.mu * law.nu * Lambda_NP / norm * r.Lambda_TC.segment(first, dim);
    }
  }
  internal::scatter(p, r, problem.x, unit, r.Lambda_N, r.Lambda_T);
}

}  // namespace

void solve_poisson_impact(const ImpactProblem& p, ContactSolver& solver, ImpactResult& r) {
  // Compression (8.87): b = (γ_NA, γ_TA, -γ_TA, 0, 0).
  solve_one_phase(p, false, solver, r, r.Lambda_NC, r.Lambda_TC);
  if (r.status != LcpStatus::Solved) return;
  bool elastic = p.expansion && *p.expansion;
  for (const Index i : p.participants) {
    elastic = elastic || p.laws[static_cast<std::size_t>(i)].e_N * r.Lambda_NC(i) > 0.0;
  }
  // P27: without stored impulses the expansion adds nothing.
  if (elastic) {
    double scale_G = 0.0, scale_b = 0.0;
    const Index n = internal::place_impulses(p, r, scale_G, scale_b);
    if (scale_b > 0.0) solve_expansion(p, n, scale_G, scale_b, solver, r);
  }
  r.Lambda_N += r.Lambda_NC;
  r.Lambda_T += r.Lambda_TC;
}

}  // namespace nsmb
