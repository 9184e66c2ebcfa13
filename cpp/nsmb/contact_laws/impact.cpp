#include "nsmb/contact_laws/impact.hpp"

#include <algorithm>

#include "nsmb/contact_laws/sliding_compression.hpp"

namespace nsmb {

ImpactResult::ImpactResult(const ContactRows& rows)
    : Lambda_NC(Vector::Zero(rows.nc)),
      Lambda_TC(Vector::Zero(rows.nt)),
      Lambda_N(Vector::Zero(rows.nc)),
      Lambda_T(Vector::Zero(rows.nt)),
      gamma_NC(Vector::Zero(rows.nc)),
      gamma_TC(Vector::Zero(rows.nt)),
      gamma_N(Vector::Zero(rows.nc)),
      gamma_T(Vector::Zero(rows.nt)),
      normal_at(static_cast<std::size_t>(rows.nc), -1) {}

EnergyBook::EnergyBook(const ContactRows& rows)
    : work_N(Vector::Zero(rows.nc)), work_T(Vector::Zero(rows.nc)) {}

namespace internal {

Index place_impulses(const ImpactProblem& p, ImpactResult& r, double& scale_G, double& scale_b) {
  const ContactRows& rows = p.rows;
  scale_G = scale_b = 0.0;
  std::fill(r.normal_at.begin(), r.normal_at.end(), -1);
  Index n = 0;
  for (const Index i : p.participants) {
    r.normal_at[static_cast<std::size_t>(i)] = n++;
    scale_G = std::max(scale_G, p.G(i, i));
    scale_b = std::max(scale_b, std::abs(p.gamma_N(i)));
  }
  // A smooth contact has no tangential unknowns: they would be empty of information. Given friction
  // bounds are finite forces and have no impulse.
  r.rough.clear();
  for (Index i = 0; i < rows.nc; ++i) {
    const Index k = rows.normal_of(i);
    const bool takes_part = k >= 0 && r.normal_at[static_cast<std::size_t>(k)] >= 0;
    const Index t = rows.row(i);
    const Index d = rows.dim(i);
    if (!takes_part || !(p.laws[static_cast<std::size_t>(i)].mu > 0.0)) continue;
    if (!(p.G.block(t, t, d, d).trace() > 0.0)) continue;
    r.rough.push_back(i);
    n += d;
    const auto gamma_T = p.gamma_T.segment(rows.tangent(i), d);
    scale_b = std::max(scale_b, gamma_T.cwiseAbs().maxCoeff());
  }
  return n;
}

namespace {

void fill_row(const ImpactProblem& p, const ImpactResult& r, Index row, Index g, double scale_G,
              Matrix& A) {
  Index c = 0;
  for (const Index j : p.participants) A(row, c++) = p.G(g, j) / scale_G;
  for (const Index j : r.rough) {
    for (Index d = 0; d < p.rows.dim(j); ++d) A(row, c++) = p.G(g, p.rows.row(j) + d) / scale_G;
  }
}

}  // namespace

ContactProblem& assemble_impact(const ImpactProblem& p, const ImpactResult& r, Index n,
                                double scale_G, double scale_b, ContactSolver& solver) {
  const Index n_S = static_cast<Index>(p.participants.size());
  ContactProblem& problem = solver.problem(n, n_S);
  Index row = 0;
  for (const Index i : p.participants) {
    fill_row(p, r, row, i, scale_G, problem.A);
    problem.b(row++) = p.gamma_N(i) / scale_b;
  }
  for (const Index i : r.rough) {
    const UnilateralContact& law = p.laws[static_cast<std::size_t>(i)];
    const Index normal = r.normal_at[static_cast<std::size_t>(p.rows.normal_of(i))];
    problem.friction.push_back({row, p.rows.dim(i), normal, law.mu, law.mu, 0.0, 0.0, law.aspect});
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      fill_row(p, r, row, p.rows.row(i) + d, scale_G, problem.A);
      problem.b(row++) = p.gamma_T(p.rows.tangent(i) + d) / scale_b;
    }
  }
  return problem;
}

bool accept(const ContactProblem& problem, ImpactResult& result) {
  result.status = problem.status;
  result.residual = std::max(result.residual, problem.residual);
  ++result.problems;
  return result.status == LcpStatus::Solved;
}

void scatter(const ImpactProblem& p, const ImpactResult& r, const Vector& x, double unit,
             Vector& Lambda_N, Vector& Lambda_T) {
  Index c = 0;
  for (const Index i : p.participants) Lambda_N(i) += unit * x(c++);
  for (const Index i : r.rough) {
    for (Index d = 0; d < p.rows.dim(i); ++d) Lambda_T(p.rows.tangent(i) + d) += unit * x(c++);
  }
}

void add_velocities(const ImpactProblem& p, const Vector& Lambda_N, const Vector& Lambda_T,
                    Vector& gamma_N, Vector& gamma_T) {
  const Index nc = p.rows.nc;
  const Index nt = p.rows.nt;
  gamma_N.noalias() += p.G.topLeftCorner(nc, nc) * Lambda_N;
  gamma_N.noalias() += p.G.topRightCorner(nc, nt) * Lambda_T;
  gamma_T.noalias() += p.G.bottomLeftCorner(nt, nc) * Lambda_N;
  gamma_T.noalias() += p.G.bottomRightCorner(nt, nt) * Lambda_T;
}

}  // namespace internal

namespace {

// The impulses that slow approaches lead to, extrapolated to none: they depend linearly on a slow
// enough approach, but not continuously on its sign.
void solve_without_collision(ContactProblem& problem, ContactSolver& solver, ImpactResult& r) {
  constexpr double kApproach = 1e-6;  // of the largest velocity
  constexpr double kResidual = 1e-7;
  auto b_N = problem.b.head(problem.n_N).array();
  b_N -= kApproach;
  solver.solve(problem);
  if (problem.status != LcpStatus::Solved) return;
  r.start = problem.x;
  b_N -= kApproach;
  solver.solve(problem, &r.start);
  if (problem.status != LcpStatus::Solved) return;
  b_N += 2.0 * kApproach;
  problem.x = 2.0 * r.start - problem.x;
  // In units in which the largest velocity is one, impulses below this are none.
  for (double& impulse : problem.x) impulse = std::abs(impulse) < 1e-9 ? 0.0 : impulse;
  problem.residual = solver.residual(problem);
  if (!(problem.residual <= kResidual)) problem.status = LcpStatus::Inaccurate;
}

}  // namespace

void solve_one_phase(const ImpactProblem& p, bool restitution, ContactSolver& solver,
                     ImpactResult& r, Vector& Lambda_N, Vector& Lambda_T) {
  double scale_G = 0.0, scale_b = 0.0;
  const Index n = internal::place_impulses(p, r, scale_G, scale_b);
  r.status = LcpStatus::Solved;
  if (scale_b == 0.0) return;
  ContactProblem& problem = internal::assemble_impact(p, r, n, scale_G, scale_b, solver);
  if (restitution) {
    Index row = 0;
    for (const Index i : p.participants) {
      // A contact that separates anyhow has nothing to restitute.
      const double e_N = p.laws[static_cast<std::size_t>(i)].e_N;
      problem.b(row++) += e_N * std::min(p.gamma_N(i), 0.0) / scale_b;
    }
    for (const Index i : r.rough) {
      const double e_T = p.laws[static_cast<std::size_t>(i)].e_T;
      for (Index d = 0; d < p.rows.dim(i); ++d) problem.b(row++) *= 1.0 + e_T;
    }
  }
  const bool may_slide = solver.sliding_compression() && !restitution;
  if (p.without_collision) {
    solve_without_collision(problem, solver, r);
  } else if (!may_slide || !solve_sliding_compression(problem, solver)) {
    solver.solve(problem);
  }
  if (!internal::accept(problem, r)) return;
  internal::scatter(p, r, problem.x, scale_b / scale_G, Lambda_N, Lambda_T);
}

void solve_moreau_impact(const ImpactProblem& p, ContactSolver& solver, ImpactResult& r) {
  solve_one_phase(p, true, solver, r, r.Lambda_N, r.Lambda_T);
  // The restitutions of dependent contacts can contradict each other (a mass between two walls);
  // without restitution they do not.
  if (r.status == LcpStatus::Solved) return;
  r.residual = 0.0;
  solve_one_phase(p, false, solver, r, r.Lambda_N, r.Lambda_T);
}

void solve_impact(ImpactLaw law, const ImpactProblem& problem, ContactSolver& solver,
                  ImpactResult& r) {
  r.residual = 0.0;
  r.in_expansion = false;
  r.problems = 0;
  for (Vector* impulse : {&r.Lambda_NC, &r.Lambda_TC, &r.Lambda_N, &r.Lambda_T}) {
    impulse->setZero();
  }
  switch (law) {
    case ImpactLaw::Poisson:
      solve_poisson_impact(problem, solver, r);
      break;
    case ImpactLaw::Newton:
      solve_newton_impact(problem, solver, r);
      break;
    case ImpactLaw::Moreau:
      solve_moreau_impact(problem, solver, r);
      break;
  }
  r.gamma_N = r.gamma_NC = problem.gamma_N;
  r.gamma_T = r.gamma_TC = problem.gamma_T;
  internal::add_velocities(problem, r.Lambda_NC, r.Lambda_TC, r.gamma_NC, r.gamma_TC);
  internal::add_velocities(problem, r.Lambda_N, r.Lambda_T, r.gamma_N, r.gamma_T);
}

void keep_book(const ImpactProblem& p, const ImpactResult& r, const ContactKinematics& contacts,
               EnergyBook& book) {
  book.change = book.compression = 0.0;
  book.work_N.setZero();
  book.work_T.setZero();
  const auto account = [&book](double Lambda_C, double Lambda, double A, double C, double E,
                               double w_tilde, double& work) {
    const double compression = Lambda_C * (0.5 * (A + C) - w_tilde);
    const double rest = (Lambda - Lambda_C) * (0.5 * (C + E) - w_tilde);
    book.compression += compression;
    book.change += compression + rest;
    work += compression + rest;
  };
  for (Index i = 0; i < p.rows.nc; ++i) {
    account(r.Lambda_NC(i), r.Lambda_N(i), p.gamma_N(i), r.gamma_NC(i), r.gamma_N(i),
            contacts.w_tilde_N(i), book.work_N(i));
    for (Index t = p.rows.tangent(i); t < p.rows.tangent(i) + p.rows.dim(i); ++t) {
      account(r.Lambda_TC(t), r.Lambda_T(t), p.gamma_T(t), r.gamma_TC(t), r.gamma_T(t),
              contacts.w_tilde_T(t), book.work_T(i));
    }
  }
}

}  // namespace nsmb
