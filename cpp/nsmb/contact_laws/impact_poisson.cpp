#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/contact_laws/tolerances.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// γ_C of the participants after the impulses of compression, with exact zeros where the law
// requires them: γ_N of contacts with an impulse, γ_T of sticking contacts. Rounding errors in
// their place would make the expansion problem of dependent contacts inconsistent.
class EndOfCompression {
 public:
  EndOfCompression(const ImpactProblem& p, ImpactResult& r) : p_(p), r_(r) {}

  void write() {
    for (const Index i : p_.participants) {
      const double gamma = value(i, p_.gamma_N(i), i);
      r_.gamma_NC(i) = gamma <= p_.G(i, i) * r_.Lambda_NC(i) ? 0.0 : gamma;
    }
    for (const Index i : r_.rough) write_tangential(i);
  }

 private:
  // Return γ_A + G Λ_C of row g, or zero if it is below the rounding of its terms.
  double value(Index g, double gamma_A, Index resolution) const {
    double sum = gamma_A, terms = std::abs(gamma_A);
    const auto add = [&](Index row, double impulse) {
      sum += p_.G(g, row) * impulse;
      terms += std::abs(p_.G(g, row) * impulse);
    };
    for (const Index j : p_.participants) add(j, r_.Lambda_NC(j));
    for (const Index j : r_.rough) {
      for (Index d = 0; d < p_.rows.dim(j); ++d) {
        add(p_.rows.row(j) + d, r_.Lambda_TC(p_.rows.tangent(j) + d));
      }
    }
    const double smallest = p_.resolution ? (*p_.resolution)(resolution) : 0.0;
    return std::abs(sum) <= std::max(smallest, rounding::kRow * terms) ? 0.0 : sum;
  }

  void write_tangential(Index i) {
    const UnilateralContact& law = p_.laws[static_cast<std::size_t>(i)];
    const Index t = p_.rows.tangent(i), row = p_.rows.row(i), dim = p_.rows.dim(i);
    auto gamma = r_.gamma_TC.segment(t, dim);
    for (Index d = 0; d < dim; ++d) gamma(d) = value(row + d, p_.gamma_T(t + d), row + d);
    const double a = dim == 1 ? 1.0 : law.aspect;
    double s = p_.G(row, row), size = std::abs(s * r_.Lambda_TC(t) - gamma(0));
    if (dim == 2) {
      s = std::max(s, a * a * p_.G(row + 1, row + 1));
      size = std::hypot(s * r_.Lambda_TC(t) - gamma(0), s * r_.Lambda_TC(t + 1) / a - a * gamma(1));
    }
    if (size < s * law.mu * r_.Lambda_NC(p_.rows.normal_of(i))) gamma.setZero();
  }

  const ImpactProblem& p_;
  ImpactResult& r_;
};

// Return the norm of a tangential impulse in the metric in which its friction ellipse is a disc.
double disc_norm(const UnilateralContact& law, const Vector& Lambda_T, Index first, Index dim) {
  return dim == 1 ? std::abs(Lambda_T(first))
                  : std::hypot(Lambda_T(first), Lambda_T(first + 1) / law.aspect);
}

// Set the law of an interval (8.38), (8.94) in Λ_P = Λ_E - Λ_R, Λ_R = ε̄_N Λ_C.
void bound_interval(const UnilateralContact& law, double Lambda_TC, double Lambda_NR,
                    double Lambda_TR, FrictionBound& f) {
  // (8.39). sign(0): (8.31) with (8.37) leaves the plain Coulomb bounds (README, decision 1).
  f.mu_plus = Lambda_TC < 0.0 ? (1.0 - law.nu) * law.mu : law.mu;
  f.mu_minus = Lambda_TC > 0.0 ? (1.0 - law.nu) * law.mu : law.mu;
  const double plus = std::max(Lambda_TR, 0.0);
  const double minus = std::max(-Lambda_TR, 0.0);
  // Nonnegative except for rounding, since |Λ_TR| <= μ Λ_NR.
  f.bound_plus = std::max(f.mu_plus * Lambda_NR - plus + (1.0 - law.e_T) * minus, 0.0);
  f.bound_minus = std::max(f.mu_minus * Lambda_NR + (1.0 - law.e_T) * plus - minus, 0.0);
}

// Set the law of a disc, (8.31) with vectors: |Λ_TE - Λ_TS| <= μ Λ_NE - |Λ_TS|. Here
// 2Λ_TS = μ ν Λ_NE d + ε_N ε_T Λ_TC (8.37), and d is the direction of Λ_TC. The unknown is
// Λ_TE - Λ_TS, and `shift` d is the increase of Λ_TS per unit of Λ_NP.
void bound_disc(const UnilateralContact& law, double norm_C, double Lambda_NR, FrictionBound& f,
                double& shift) {
  shift = norm_C > 0.0 ? 0.5 * law.mu * law.nu : 0.0;
  f.mu_plus = f.mu_minus = law.mu - shift;
  const double bound = f.mu_plus * Lambda_NR - 0.5 * law.e_N * law.e_T * norm_C;
  f.bound_plus = f.bound_minus = std::max(bound, 0.0);
}

// Return the parameters of the expansion phase: those of the contacts unless they are chosen from
// the results of compression (8.10).
const std::vector<UnilateralContact>& expansion_laws(const ImpactProblem& p, ImpactResult& r) {
  if (!p.expansion || !*p.expansion) return p.laws;
  r.laws = p.laws;
  r.gamma_NC = p.gamma_N;
  r.gamma_TC = p.gamma_T;
  internal::add_velocities(p, r.Lambda_NC, r.Lambda_TC, r.gamma_NC, r.gamma_TC);
  (*p.expansion)(r, r.laws);
  const double rounding = 1e-12 * r.Lambda_NC.maxCoeff();
  for (Index i = 0; i < p.rows.nc; ++i) {
    if (!r.is_rough[static_cast<std::size_t>(i)]) continue;
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

// Solve expansion (8.97). Lambda_N and Lambda_T receive Λ_E.
void solve_expansion(const ImpactProblem& p, const std::vector<UnilateralContact>& laws,
                     ContactSolver& solver, ImpactResult& r) {
  double scale_G = 0.0, scale_b = 0.0;
  const Index n = internal::place_impulses(p, r, scale_G, scale_b);
  const double unit = scale_b / scale_G;
  EndOfCompression(p, r).write();
  ContactProblem& problem = internal::assemble_impact(p, r, n, scale_G, scale_b, solver);
  bool spatial = false;
  for (const FrictionBound& f : problem.friction) spatial = spatial || f.dim > 1;
  // Λ_R = ε̄_N Λ_C is restored in any case. For a disc this is the part of Λ_TS at Λ_NP = 0.
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
  const auto given_back = [&](Index g) {
    double change = 0.0;
    for (const Index j : p.participants) change += p.G(g, j) * r.Lambda_N(j);
    for (const Index j : r.rough) {
      for (Index d = 0; d < p.rows.dim(j); ++d) {
        change += p.G(g, p.rows.row(j) + d) * r.Lambda_T(p.rows.tangent(j) + d);
      }
    }
    return change;
  };
  Index row = 0;
  for (const Index i : p.participants) {
    problem.b(row++) = (r.gamma_NC(i) + given_back(i)) / scale_b;
  }
  for (const Index i : r.rough) {
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      const double gamma_TC = r.gamma_TC(p.rows.tangent(i) + d);
      problem.b(row++) = (gamma_TC + given_back(p.rows.row(i) + d)) / scale_b;
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
  const bool compressed = internal::for_each_group(p, r, [&](const ImpactProblem& group) {
    solve_one_phase(group, false, solver, r, r.Lambda_NC, r.Lambda_TC);
  });
  if (!compressed) return;
  const std::vector<UnilateralContact>& laws = expansion_laws(p, r);
  internal::for_each_group(p, r, [&](const ImpactProblem& group) {
    // Without stored impulses the expansion adds nothing.
    const auto stores = [&](Index i) {
      return laws[static_cast<std::size_t>(i)].e_N * r.Lambda_NC(i) > 0.0;
    };
    const std::vector<Index>& members = group.participants;
    if (std::any_of(members.begin(), members.end(), stores)) {
      solve_expansion(group, laws, solver, r);
    }
  });
  r.Lambda_N += r.Lambda_NC;
  r.Lambda_T += r.Lambda_TC;
}

}  // namespace nsmb
