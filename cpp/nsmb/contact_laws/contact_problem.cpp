#include "nsmb/contact_laws/contact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "nsmb/complementarity/infeasibility.hpp"
#include "nsmb/contact_laws/contact_pieces.hpp"
#include "nsmb/contact_laws/contact_vertex.hpp"
#include "nsmb/contact_laws/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Generalized central problems with this many intervals are solved in two stages. These are then
// cheaper than Lemke's method on the LCP with four rows for each interval.
constexpr Index kManyIntervals = 8;
// If Newton's method for friction converges, it needs half of these iterations.
constexpr int kFirstIterations = 30;

bool is_lcp(const ContactProblem& p) {
  return std::all_of(p.friction.begin(), p.friction.end(),
                     [](const FrictionBound& f) { return f.dim == 1; });
}

// Return true if W_Nᵀ M⁻¹ W_T = 0: friction does not act on the normal rows (8.10).
bool is_central(const ContactProblem& p) {
  const Index n_T = p.b.size() - p.n_N;
  return n_T >= kManyIntervals && p.A.topRightCorner(p.n_N, n_T).isZero(0.0);
}

bool is_undecided(const ContactProblem& p) {
  return p.status == LcpStatus::Inaccurate || p.status == LcpStatus::Ray ||
         p.status == LcpStatus::PivotLimit;
}

Index lcp_size(const ContactProblem& p) {
  return p.n_N + 4 * static_cast<Index>(p.friction.size());
}

}  // namespace

ContactProblem& ContactSolver::problem(Index n, Index n_N) {
  ContactProblem& problem = problems_[n];
  problem.A.setZero(n, n);
  problem.b.setZero(n);
  problem.n_N = n_N;
  problem.friction.clear();
  problem.judged = false;  // the storage is kept
  problem.by_size = false;
  problem.status = LcpStatus::NotRun;
  return problem;
}

void ContactSolver::solve(ContactProblem& problem, const Vector* x_start) {
  if (problem.by_size && solve_by_size(problem)) return;
  solve_whole(problem, x_start);
  const bool solved = problem.status == LcpStatus::Solved;
  if (solved && (!problem.judged || row_defects(problem).worst <= 1.0 || polish(problem))) return;
  if (solved) problem.status = LcpStatus::Inaccurate;
  if (solved && solve_from_faster_approach(problem)) return;
  if (is_undecided(problem) && is_lcp(problem) && solve_without_pivots(problem)) return;
  if (solved) solve_pieces(problem);
}

// A point far out on a ray could pass within the rounding of its own terms, so its residual is also
// compared with b.
bool ContactSolver::holds(ContactProblem& p) {
  if (!p.x.allFinite() || (row_defects(p).worst > 1.0 && !polish(p))) return false;
  const double most = without_pivots::kMost * std::max(1.0, p.b.lpNorm<Eigen::Infinity>());
  return row_defects(p).largest <= most;
}

// Pivoting fails by rounding if heavy bodies rest on light ones. Forces then are much larger than
// the right-hand side over the diagonal of A. The best point of Lemke's path, or a point of
// Newton's method for friction, is close enough to determine the pieces of the law.
bool ContactSolver::solve_without_pivots(ContactProblem& p) {
  if (p.status == LcpStatus::Ray || !holds(p)) {
    list_rows(p, 1.0);
    FrictionSlot& slot = frictions_[p.b.size()];
    const FrictionOptions options{.accept_residual = without_pivots::kNear};
    solve_friction(p.A, p.b, rows_, options, slot.workspace, slot.result);
    p.x = slot.result.x;
    p.residual = slot.result.residual;
    if (!holds(p)) return false;
  }
  const Vector x = p.x;
  move_to_vertex(p);
  if (!holds(p)) p.x = x;
  p.status = LcpStatus::Solved;
  return true;
}

// A solver that judges by the largest velocity ignores a very slow approach. If contacts jam, its
// impulses are nevertheless as large as those of a fast approach. The piece of the latter is
// therefore used.
bool ContactSolver::solve_from_faster_approach(ContactProblem& p) {
  const Vector b = p.b;
  const double approach = impact::kSlowApproach * b.lpNorm<Eigen::Infinity>();
  for (Index i = 0; i < p.n_N; ++i) {
    if (p.b(i) < -p.resolution(i)) p.b(i) = std::min(p.b(i), -approach);
  }
  const Vector x = p.x;
  const double residual = p.residual;
  solve_whole(p, nullptr);
  const bool found = p.status == LcpStatus::Solved;
  p.b = b;
  if (found && polish(p)) return true;
  p.x = x;
  p.residual = residual;
  p.status = LcpStatus::Inaccurate;
  return false;
}

// Try all pieces if there are not too many. Return false if problem.x is no solution. The status
// then states what is known.
bool ContactSolver::solve_pieces(ContactProblem& p) {
  if (!(count_contact_pieces(p) <= pieces::kMostPieces)) return false;
  solve_contact_pieces(p, [&] {
    const RowDefects defects = row_defects(p);
    if (p.judged) return defects.worst <= 1.0 || polish(p);
    return defects.largest <= pieces::kAcceptPiece * std::max(1.0, p.b.lpNorm<Eigen::Infinity>());
  });
  return p.status == LcpStatus::Solved;
}

void ContactSolver::solve_whole(ContactProblem& problem, const Vector* x_start) {
  const bool lcp = is_lcp(problem);
  if (lcp && is_central(problem) && solve_in_two_stages(problem, x_start)) return;
  // Dependent contacts need basic solutions as in Lemke's method, since a frozen state carries no
  // other.
  if (lcp) {
    solve_as_lcp(problem, x_start);
  } else {
    solve_as_friction(problem, x_start);
  }
}

bool ContactSolver::solve_in_two_stages(ContactProblem& p, const Vector* x_start) {
  const Index n_N = p.n_N;
  const Index n_T = p.b.size() - n_N;
  const auto run = [&](McpSlot& slot, Index first) {
    if (x_start) slot.start = x_start->segment(first, slot.b.size());
    solve_mcp(slot.A, slot.b, slot.lower, slot.upper, McpOptions{}, slot.workspace, slot.result,
              x_start ? &slot.start : nullptr);
    p.residual = std::max(p.residual, slot.result.residual);
    p.status = slot.result.status;
    return p.status == LcpStatus::Solved;
  };
  p.residual = 0.0;
  p.x.setZero(p.b.size());
  if (n_N > 0) {
    McpSlot& normal = normals_[n_N];
    normal.A = p.A.topLeftCorner(n_N, n_N);
    normal.b = p.b.head(n_N);
    normal.lower.setZero(n_N);
    normal.upper.setConstant(n_N, std::numeric_limits<double>::infinity());
    if (!run(normal, 0)) return false;
    p.x.head(n_N) = normal.result.x;
  }
  McpSlot& tangent = tangents_[n_T];
  tangent.A = p.A.bottomRightCorner(n_T, n_T);
  tangent.b = p.b.tail(n_T);
  tangent.b.noalias() += p.A.bottomLeftCorner(n_T, n_N) * p.x.head(n_N);
  tangent.lower.setZero(n_T);
  tangent.upper.setZero(n_T);
  for (const FrictionBound& f : p.friction) {
    const double lambda_N = f.normal < 0 ? 0.0 : p.x(f.normal);
    tangent.upper(f.first - n_N) = f.mu_plus * lambda_N + f.bound_plus;
    tangent.lower(f.first - n_N) = -(f.mu_minus * lambda_N + f.bound_minus);
  }
  if (!run(tangent, n_N)) return false;
  p.x.tail(n_T) = tangent.result.x;
  return true;
}

void ContactSolver::solve_as_friction(ContactProblem& p, const Vector* x_start) {
  const bool polygons = options_.method == FrictionMethod::Lcp;
  // Polygons enclose the disc. With inscribed ones slip would start where sliding friction still
  // holds.
  list_rows(p, polygons ? 1.0 / std::cos(std::numbers::pi / options_.facets) : 1.0);
  FrictionSlot& slot = frictions_[p.b.size()];
  if (options_.method == FrictionMethod::Auto && options_.max_iterations == 0) {
    // If rounding hides the last digits, trying all available methods would be futile.
    FrictionOptions first = options_;
    first.max_iterations = kFirstIterations;
    solve_friction(p.A, p.b, rows_, first, slot.workspace, slot.result, x_start);
    p.status = slot.result.status;
    p.residual = slot.result.residual;
    p.x = slot.result.x;
    if (p.status == LcpStatus::Solved) return;
    const double accepted = first.accept_residual * std::max(1.0, p.b.lpNorm<Eigen::Infinity>());
    if (rounding::kRow * row_defects(p).terms > accepted && holds(p)) {
      p.status = LcpStatus::Solved;
      return;
    }
  }
  solve_friction(p.A, p.b, rows_, options_, slot.workspace, slot.result, x_start);
  const bool inaccurate = slot.result.status == LcpStatus::Inaccurate && !polygons;
  const bool unsolved = slot.result.status == LcpStatus::IterationLimit || inaccurate;
  if (unsolved && options_.method != FrictionMethod::Auto) {
    solve_friction(p.A, p.b, rows_, FrictionOptions{}, slot.workspace, slot.result, x_start);
  }
  p.status = slot.result.status;
  p.residual = slot.result.residual;
  p.x = slot.result.x;
  // A polygon with m corners differs from the disc by 1 - cos(π/m) of its radius, and its direction
  // of slip by π/m.
  if (polygons && p.status == LcpStatus::Inaccurate && p.residual < 4.0 / options_.facets) {
    p.status = LcpStatus::Solved;
  }
}

void ContactSolver::list_rows(const ContactProblem& p, double outer) {
  rows_.normals.clear();
  for (Index i = 0; i < p.n_N; ++i) rows_.normals.push_back(i);
  rows_.discs.clear();
  for (const FrictionBound& f : p.friction) {
    const double scale = f.dim > 1 ? outer : 1.0;
    rows_.discs.push_back(
        {f.first, f.dim, f.normal, scale * f.mu_plus, scale * f.bound_plus, f.aspect});
  }
}

double ContactSolver::residual(const ContactProblem& p) {
  list_rows(p, 1.0);
  return friction_residual(p.A, p.b, rows_, p.x);
}

void expand_to_lcp(const ContactProblem& p, Matrix& A, Vector& b) {
  const Index n_N = p.n_N;
  const Index n_H = static_cast<Index>(p.friction.size());
  A.setZero(n_N + 4 * n_H, n_N + 4 * n_H);
  b.setZero(n_N + 4 * n_H);
  A.topLeftCorner(n_N, n_N) = p.A.topLeftCorner(n_N, n_N);
  b.head(n_N) = p.b.head(n_N);
  for (Index h = 0; h < n_H; ++h) {
    const FrictionBound& f = p.friction[static_cast<std::size_t>(h)];
    const Index plus = n_N + h, minus = plus + n_H, z_minus = minus + n_H, z_plus = z_minus + n_H;
    A.col(plus).head(n_N) = p.A.col(f.first).head(n_N);
    A.col(minus).head(n_N) = -p.A.col(f.first).head(n_N);
    A.row(plus).head(n_N) = p.A.row(f.first).head(n_N);
    A.row(minus).head(n_N) = -p.A.row(f.first).head(n_N);
    for (Index k = 0; k < n_H; ++k) {
      const double a = p.A(f.first, p.friction[static_cast<std::size_t>(k)].first);
      A(plus, n_N + k) = A(minus, n_N + n_H + k) = a;
      A(plus, n_N + n_H + k) = A(minus, n_N + k) = -a;
    }
    b(plus) = p.b(f.first);
    b(minus) = -p.b(f.first);
    A(plus, z_minus) = 1.0;
    A(minus, z_plus) = 1.0;
    // Friction saturations λ_H0 = μ̄_H λ_N - λ_H (6.26), Λ_T0 (8.81).
    if (f.normal >= 0) {
      A(z_minus, f.normal) = f.mu_plus;
      A(z_plus, f.normal) = f.mu_minus;
    }
    A(z_minus, plus) = -1.0;
    A(z_plus, minus) = -1.0;
    b(z_minus) = f.bound_plus;
    b(z_plus) = f.bound_minus;
  }
}

void collapse_from_lcp(const ContactProblem& p, const ConstVectorRef& solution, Vector& x) {
  const Index n_H = static_cast<Index>(p.friction.size());
  x.resize(p.b.size());
  x.head(p.n_N) = solution.head(p.n_N);
  for (Index h = 0; h < n_H; ++h) {
    x(p.friction[static_cast<std::size_t>(h)].first) =
        solution(p.n_N + h) - solution(p.n_N + n_H + h);
  }
}

void ContactSolver::solve_as_lcp(ContactProblem& p, const Vector* x_start) {
  const Index n = lcp_size(p);
  const Index n_H = static_cast<Index>(p.friction.size());
  LcpSlot& slot = lcps_[n];
  expand_to_lcp(p, slot.A, slot.b);
  if (x_start) {
    // z^± is the part of y_T beyond the bound. The split of x_T into parts is arbitrary.
    slot.start.setZero(n);
    slot.start.head(p.n_N) = x_start->head(p.n_N);
    for (Index h = 0; h < n_H; ++h) {
      const Index row = p.friction[static_cast<std::size_t>(h)].first;
      const double force = (*x_start)(row);
      double rate = p.b(row) + p.A.row(row).dot(*x_start);
      const double terms = std::abs(p.b(row)) + p.A.row(row).cwiseAbs().dot(x_start->cwiseAbs());
      if (std::abs(rate) <= rounding::kNoRate * terms)
        rate = 0.0;  // sticks and does not start to slip
      slot.start(p.n_N + h) = std::max(force, 0.0);
      slot.start(p.n_N + n_H + h) = std::max(-force, 0.0);
      slot.start(p.n_N + 2 * n_H + h) = std::max(-rate, 0.0);
      slot.start(p.n_N + 3 * n_H + h) = std::max(rate, 0.0);
    }
  }
  solve_lemke(slot.A, slot.b, LemkeOptions{}, slot.workspace, slot.result,
              x_start ? &slot.start : nullptr);
  if (slot.result.status == LcpStatus::NoSolution && slot.result.certificate.size() == n &&
      !(excluded_size(slot.A, slot.b, slot.result.certificate) >= pieces::kExcludedByProof)) {
    slot.result.status = LcpStatus::Ray;
  }
  const bool decided =
      slot.result.status == LcpStatus::Solved || slot.result.status == LcpStatus::NoSolution;
  if (!decided && count_contact_pieces(p) <= pieces::kMostPieces) {
    solve_pieces(p);
    return;
  }
  p.status = slot.result.status;
  p.residual = slot.result.residual;
  if (slot.result.x.size() == n) {
    collapse_from_lcp(p, slot.result.x, p.x);
  } else {
    p.x.setConstant(p.b.size(), std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace nsmb
