#include "nsmb/contact_laws/impact.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/sliding_compression.hpp"
#include "nsmb/contact_laws/tolerances.hpp"

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
      is_rough(static_cast<std::size_t>(rows.nc), false),
      gamma_NA(Vector::Zero(rows.nc)),
      gamma_TA(Vector::Zero(rows.nt)),
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
  // A contact without friction has no tangential unknowns, which would carry no information. Given
  // friction bounds are finite forces and have no impulse.
  r.rough.clear();
  for (Index i = 0; i < rows.nc; ++i) {
    if (!r.is_rough[static_cast<std::size_t>(i)]) continue;
    const Index d = rows.dim(i);
    if (r.normal_at[static_cast<std::size_t>(rows.normal_of(i))] < 0) continue;
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
  problem.by_size = p.course != ImpactCourse::WithoutCollision;
  problem.judged = p.resolution != nullptr;
  if (p.resolution) problem.resolution.setZero(n);
  Index row = 0;
  for (const Index i : p.participants) {
    fill_row(p, r, row, i, scale_G, problem.A);
    if (p.resolution) problem.resolution(row) = (*p.resolution)(i) / scale_b;
    problem.b(row++) = p.gamma_N(i) / scale_b;
  }
  for (const Index i : r.rough) {
    const UnilateralContact& law = p.laws[static_cast<std::size_t>(i)];
    const Index normal = r.normal_at[static_cast<std::size_t>(p.rows.normal_of(i))];
    problem.friction.push_back({row, p.rows.dim(i), normal, law.mu, law.mu, 0.0, 0.0, law.aspect});
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      fill_row(p, r, row, p.rows.row(i) + d, scale_G, problem.A);
      if (p.resolution) problem.resolution(row) = (*p.resolution)(p.rows.row(i) + d) / scale_b;
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
  const auto add = [&](Index row, double impulse) {
    if (impulse == 0.0) return;
    gamma_N += impulse * p.G.col(row).head(nc);
    gamma_T += impulse * p.G.col(row).tail(nt);
  };
  for (Index i = 0; i < nc; ++i) add(i, Lambda_N(i));
  for (Index t = 0; t < nt; ++t) add(nc + t, Lambda_T(t));
}

void list_participants(const ImpactProblem& p, ImpactResult& r, std::size_t k) {
  r.groups.list(k, r.members);
  std::erase_if(r.members, [&](Index i) { return !p.rows.is_unilateral(i); });
}

bool takes_part(const ImpactProblem& group) {
  const auto approaches = [&](Index i) {
    return group.gamma_N(i) < (group.resolution ? -(*group.resolution)(i) : 0.0);
  };
  return group.course == ImpactCourse::WithoutCollision ||
         std::any_of(group.participants.begin(), group.participants.end(), approaches);
}

}  // namespace internal

namespace {

using namespace tolerances;

// Extrapolate the impulses of slow approaches to zero approach. They are linear for sufficiently
// slow approaches, but not continuous where the approach changes sign.
void solve_without_collision(ContactProblem& problem, ContactSolver& solver, ImpactResult& r) {
  auto b_N = problem.b.head(problem.n_N).array();
  b_N -= impact::kSlowApproach;
  solver.solve(problem);
  if (problem.status != LcpStatus::Solved) return;
  r.start = problem.x;
  b_N -= impact::kSlowApproach;
  solver.solve(problem, &r.start);
  if (problem.status != LcpStatus::Solved) return;
  b_N += 2.0 * impact::kSlowApproach;
  problem.x = 2.0 * r.start - problem.x;
  // Smaller impulses count as zero, in units in which the largest velocity is one.
  for (double& impulse : problem.x) impulse = std::abs(impulse) < 1e-9 ? 0.0 : impulse;
  problem.residual = solver.residual(problem);
  if (!(problem.residual <= impact::kExtrapolated)) problem.status = LcpStatus::Inaccurate;
}

}  // namespace

void solve_one_phase(const ImpactProblem& p, bool restitution, ContactSolver& solver,
                     ImpactResult& r, Vector& Lambda_N, Vector& Lambda_T) {
  double scale_G = 0.0, scale_b = 0.0;
  const Index n = internal::place_impulses(p, r, scale_G, scale_b);
  r.status = LcpStatus::Solved;
  if (scale_b == 0.0) return;
  if (!(scale_G > 0.0)) {  // a contact that approaches cannot be moved
    r.status = LcpStatus::NoSolution;
    return;
  }
  ContactProblem& problem = internal::assemble_impact(p, r, n, scale_G, scale_b, solver);
  if (restitution) {
    Index row = 0;
    for (const Index i : p.participants) {
      // A contact that separates anyway has no restitution.
      const double e_N = p.laws[static_cast<std::size_t>(i)].e_N;
      problem.b(row++) += e_N * std::min(p.gamma_N(i), 0.0) / scale_b;
    }
    for (const Index i : r.rough) {
      const double e_T = p.laws[static_cast<std::size_t>(i)].e_T;
      for (Index d = 0; d < p.rows.dim(i); ++d) problem.b(row++) *= 1.0 + e_T;
    }
  }
  const bool may_slide = solver.sliding_compression() && !restitution;
  if (p.course == ImpactCourse::WithoutCollision) {
    solve_without_collision(problem, solver, r);
  } else if (!may_slide || !solve_sliding_compression(problem, solver)) {
    solver.solve(problem);
  }
  if (!internal::accept(problem, r)) return;
  internal::scatter(p, r, problem.x, scale_b / scale_G, Lambda_N, Lambda_T);
}

void solve_moreau_impact(const ImpactProblem& p, ContactSolver& solver, ImpactResult& r) {
  internal::for_each_group(p, r, [&](const ImpactProblem& group) {
    const double residual = r.residual;
    solve_one_phase(group, true, solver, r, r.Lambda_N, r.Lambda_T);
    if (r.status == LcpStatus::Solved) return;
    // The restitutions of dependent contacts may contradict each other (a mass between two walls).
    // Without restitution they do not.
    r.residual = residual;
    solve_one_phase(group, false, solver, r, r.Lambda_N, r.Lambda_T);
  });
}

namespace {

// Set γ_A to zero below its resolution, and find the groups of the participants.
void prepare(const ImpactProblem& p, ImpactResult& r) {
  const ContactRows& rows = p.rows;
  r.gamma_NA = p.gamma_N;
  r.gamma_TA = p.gamma_T;
  if (p.resolution) {
    for (Index i = 0; i < rows.nc; ++i) {
      if (std::abs(r.gamma_NA(i)) <= (*p.resolution)(i)) r.gamma_NA(i) = 0.0;
    }
    for (Index t = 0; t < rows.nt; ++t) {
      if (std::abs(r.gamma_TA(t)) <= (*p.resolution)(rows.nc + t)) r.gamma_TA(t) = 0.0;
    }
  }
  r.struck.clear();
  std::fill(r.normal_at.begin(), r.normal_at.end(), -1);
  for (const Index i : p.participants) r.normal_at[static_cast<std::size_t>(i)] = i;
  r.members = p.participants;
  for (Index i = 0; i < rows.nc; ++i) {
    const Index k = rows.normal_of(i);
    const Index t = rows.row(i);
    const Index d = rows.dim(i);
    const bool rough = k >= 0 && r.normal_at[static_cast<std::size_t>(k)] >= 0 &&
                       p.laws[static_cast<std::size_t>(i)].mu > 0.0 &&
                       p.G.block(t, t, d, d).trace() > 0.0;
    r.is_rough[static_cast<std::size_t>(i)] = rough;
    if (rough && !rows.is_unilateral(i)) r.members.push_back(i);
  }
  r.groups.find(rows, p.G, r.members, r.is_rough);
}

}  // namespace

namespace {

// Set the friction impulses of contacts whose slip nothing can change, as on a belt: they change no
// velocity, and the belt does their work.
void slide_unmoved(const ImpactProblem& p, ImpactResult& r) {
  const ContactRows& rows = p.rows;
  for (Index i = 0; i < rows.nc; ++i) {
    const Index k = rows.normal_of(i), t = rows.tangent(i), d = rows.dim(i);
    const UnilateralContact& law = p.laws[static_cast<std::size_t>(i)];
    if (k < 0 || d == 0 || !(law.mu > 0.0) || !(r.Lambda_N(k) > 0.0)) continue;
    if (p.G.block(rows.row(i), rows.row(i), d, d).trace() > 0.0) continue;
    const double aspect = d > 1 ? law.aspect : 1.0;
    const double first = r.gamma_TA(t), second = d > 1 ? aspect * r.gamma_TA(t + 1) : 0.0;
    const double size = std::hypot(first, second);
    if (!(size > 0.0)) continue;
    const auto slide = [&](double normal, Vector& Lambda_T) {
      Lambda_T(t) = -law.mu * normal * first / size;
      if (d > 1) Lambda_T(t + 1) = -law.mu * normal * aspect * second / size;
    };
    slide(r.Lambda_NC(k), r.Lambda_TC);
    slide(r.Lambda_N(k), r.Lambda_T);
  }
}

void solve_groups(ImpactLaw law, const ImpactProblem& p, ContactSolver& solver, ImpactResult& r) {
  for (Vector* impulse : {&r.Lambda_NC, &r.Lambda_TC, &r.Lambda_N, &r.Lambda_T}) {
    impulse->setZero();
  }
  r.residual = 0.0;
  r.in_expansion = false;
  r.failed.clear();
  switch (law) {
    case ImpactLaw::Poisson:
      solve_poisson_impact(p, solver, r);
      break;
    case ImpactLaw::Newton:
      internal::for_each_group(
          p, r, [&](const ImpactProblem& group) { solve_newton_impact(group, solver, r); });
      break;
    case ImpactLaw::Moreau:
      solve_moreau_impact(p, solver, r);
      break;
  }
}

}  // namespace

void solve_impact(ImpactLaw law, const ImpactProblem& problem, ContactSolver& solver,
                  ImpactResult& r) {
  r.problems = 0;
  prepare(problem, r);
  const ImpactProblem resolved{problem.rows,      problem.G,      r.gamma_NA,
                               r.gamma_TA,        problem.laws,   problem.participants,
                               problem.expansion, problem.course, problem.resolution};
  internal::for_each_group(resolved, r, [&](const ImpactProblem& group) {
    r.struck.insert(r.struck.end(), group.participants.begin(), group.participants.end());
  });
  std::sort(r.struck.begin(), r.struck.end());
  solve_groups(law, resolved, solver, r);
  if (r.status != LcpStatus::Solved && problem.resolution) {
    // Zeros may contradict velocities of dependent contacts that are only slightly larger.
    solve_groups(law, problem, solver, r);
  }
  slide_unmoved(problem, r);
  r.gamma_N = r.gamma_NC = problem.gamma_N;
  r.gamma_T = r.gamma_TC = problem.gamma_T;
  internal::add_velocities(problem, r.Lambda_NC, r.Lambda_TC, r.gamma_NC, r.gamma_TC);
  internal::add_velocities(problem, r.Lambda_N, r.Lambda_T, r.gamma_N, r.gamma_T);
}

void keep_book(const ImpactProblem& p, const ImpactResult& r, const Vector& w_tilde_N,
               const Vector& w_tilde_T, EnergyBook& book) {
  book.change = book.compression = book.drive = 0.0;
  book.work_N.setZero();
  book.work_T.setZero();
  const auto account = [&book](double Lambda_C, double Lambda, double A, double C, double E,
                               double w_tilde, double& work) {
    const double compression = Lambda_C * 0.5 * (A + C);
    const double rest = (Lambda - Lambda_C) * 0.5 * (C + E);
    book.compression += compression;
    book.change += compression + rest;
    book.drive -= Lambda * w_tilde;
    work += compression + rest;
  };
  for (Index i = 0; i < p.rows.nc; ++i) {
    account(r.Lambda_NC(i), r.Lambda_N(i), p.gamma_N(i), r.gamma_NC(i), r.gamma_N(i), w_tilde_N(i),
            book.work_N(i));
    for (Index t = p.rows.tangent(i); t < p.rows.tangent(i) + p.rows.dim(i); ++t) {
      account(r.Lambda_TC(t), r.Lambda_T(t), p.gamma_T(t), r.gamma_TC(t), r.gamma_T(t),
              w_tilde_T(t), book.work_T(i));
    }
  }
}

}  // namespace nsmb
