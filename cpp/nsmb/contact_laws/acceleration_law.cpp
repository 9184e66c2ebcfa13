#include "nsmb/contact_laws/acceleration_law.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/tolerances.hpp"

namespace nsmb {

AccelerationResult::AccelerationResult(const ContactRows& rows)
    : inaccuracy(Vector::Zero(rows.size())),
      lambda_N(Vector::Zero(rows.nc)),
      lambda_T(Vector::Zero(rows.nt)),
      gammadot_N(Vector::Zero(rows.nc)),
      gammadot_T(Vector::Zero(rows.nt)),
      radius(Vector::Zero(rows.nc)),
      rough(static_cast<std::size_t>(rows.nc), false),
      factor(rows.nc, rows.nc),
      free(Vector::Zero(rows.size())),
      start(static_cast<std::size_t>(rows.size()) + 1),
      normal_at(static_cast<std::size_t>(rows.nc), -1),
      candidate_at(normal_at) {}

namespace {

using namespace tolerances;

constexpr int kProximalSteps = 8;  // limit of iterations until compliance has no more effect
constexpr Index kMany = 8;  // contacts per participant above which sums cover movable ones only

bool slides(ContactRole role) { return sliding_sign(role) != 0; }

bool takes_part(const AccelerationProblem& p, Index i) {
  return p.roles[static_cast<std::size_t>(i)] != ContactRole::Absent;
}

// List all contacts that take part. No unknown has an index yet.
void begin(const AccelerationProblem& p, AccelerationResult& r) {
  r.present.clear();
  r.movable.clear();
  const auto is_moved = [&](Index row) { return p.G(row, row) > 0.0; };
  for (Index i = 0; i < p.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    r.normal_at[c] = r.candidate_at[c] = -1;
    r.rough[c] = p.roles[c] == ContactRole::Candidate || slides(p.roles[c]);
    if (takes_part(p, i)) r.present.push_back(i);
    bool moves = is_moved(i);
    for (Index d = 0; d < p.rows.dim(i); ++d) moves = moves || is_moved(p.rows.row(i) + d);
    if (moves) r.movable.push_back(i);
  }
}

// Number the unknowns: λ_N of I_N first, then λ_T of the candidates. Return their number.
Index place_unknowns(const AccelerationProblem& p, AccelerationResult& r, Index& n_N) {
  Index n = 0;
  for (const Index i : r.members) {
    if (p.rows.is_unilateral(i)) r.normal_at[static_cast<std::size_t>(i)] = n++;
  }
  n_N = n;
  for (const Index i : r.members) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (p.roles[c] != ContactRole::Candidate) continue;
    r.candidate_at[c] = n;
    n += p.rows.dim(i);
  }
  return n;
}

Index place_of_normal(const AccelerationProblem& p, const AccelerationResult& r, Index i) {
  const Index k = p.rows.normal_of(i);
  return k < 0 ? -1 : r.normal_at[static_cast<std::size_t>(k)];
}

// Compute W_Nᵀ M⁻¹h + w̄ including the friction of sliding contacts with a given bound.
void fold_given_friction(const AccelerationProblem& p, AccelerationResult& r) {
  r.free.head(p.rows.nc) = p.free_N;
  r.free.tail(p.rows.nt) = p.free_T;
  for (Index j = 0; j < p.rows.nc; ++j) {
    if (!slides(p.roles[static_cast<std::size_t>(j)]) || p.bound(j) == 0.0) continue;
    for (Index t = p.rows.tangent(j); t < p.rows.tangent(j) + p.rows.dim(j); ++t) {
      r.free += p.bound(j) * p.friction(t) * p.G.col(p.rows.nc + t);
    }
  }
}

// Fill a row of A over all unknowns from row g of G, with P = W_N + W_G μ̄_G (6.6), H_R (14).
void fill_row(const AccelerationProblem& p, const AccelerationResult& r, Index row, Index g,
              double s, Matrix& A) {
  for (const Index j : r.members) {
    const std::size_t c = static_cast<std::size_t>(j);
    if (r.normal_at[c] >= 0) A(row, r.normal_at[c]) += s * p.G(g, j);
    const Index at = r.candidate_at[c];
    const Index normal = place_of_normal(p, r, j);
    for (Index d = 0; d < p.rows.dim(j); ++d) {
      const double a = s * p.G(g, p.rows.row(j) + d);
      if (at >= 0) A(row, at + d) = a;
      if (slides(p.roles[c]) && normal >= 0) {
        A(row, normal) += a * p.mu(j) * p.friction(p.rows.tangent(j) + d);
      }
    }
  }
}

void measure_scales(const AccelerationProblem& p, const AccelerationResult& r, double& scale_G,
                    double& scale_b) {
  scale_G = scale_b = 0.0;
  const auto include = [&](Index g) {
    scale_G = std::max(scale_G, p.G(g, g));
    scale_b = std::max(scale_b, std::abs(r.free(g)));
  };
  for (const Index i : r.members) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (r.normal_at[c] >= 0) include(i);
    if (r.candidate_at[c] < 0) continue;
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      const Index g = p.rows.row(i) + d;
      scale_b = std::max(scale_b, std::abs(r.free(g)));
      if (!p.rows.is_unilateral(i)) scale_G = std::max(scale_G, p.G(g, g));
    }
  }
}

ContactProblem* assemble(const AccelerationProblem& p, ContactSolver& solver, AccelerationResult& r,
                         double compliance, double& scale_G, double& scale_b) {
  Index n_N = 0;
  const Index n = place_unknowns(p, r, n_N);
  measure_scales(p, r, scale_G, scale_b);
  // If nothing accelerates, or nothing can be moved, there are no forces.
  if (n == 0 || !(scale_b > 0.0) || !(scale_G > 0.0)) return nullptr;
  const double unit = scale_b / scale_G;
  ContactProblem& problem = solver.problem(n, n_N);
  for (const Index i : r.members) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (r.normal_at[c] >= 0) {
      fill_row(p, r, r.normal_at[c], i, 1.0 / scale_G, problem.A);
      problem.A(r.normal_at[c], r.normal_at[c]) += compliance * p.G(i, i) / scale_G;
      problem.b(r.normal_at[c]) = r.free(i) / scale_b;
    }
    const Index at = r.candidate_at[c];
    if (at < 0) continue;
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      fill_row(p, r, at + d, p.rows.row(i) + d, 1.0 / scale_G, problem.A);
      problem.b(at + d) = r.free(p.rows.row(i) + d) / scale_b;
    }
    const double bound = p.bound(i) / unit;
    const double aspect = p.laws[c].aspect;
    problem.friction.push_back(
        {at, p.rows.dim(i), place_of_normal(p, r, i), p.mu(i), p.mu(i), bound, bound, aspect});
  }
  return &problem;
}

// Store forces and bounds of the members from their unknowns.
void scatter(const AccelerationProblem& p, const ConstVectorRef& x, double unit,
             AccelerationResult& r) {
  for (const Index i : r.members) {
    const Index at = r.normal_at[static_cast<std::size_t>(i)];
    r.lambda_N(i) = at >= 0 ? unit * x(at) : 0.0;
  }
  for (const Index i : r.members) {
    const std::size_t c = static_cast<std::size_t>(i);
    const Index k = p.rows.normal_of(i);
    r.radius(i) = p.bound(i) + (k < 0 ? 0.0 : p.mu(i) * r.lambda_N(k));
    auto force = r.lambda_T.segment(p.rows.tangent(i), p.rows.dim(i));
    force.setZero();
    if (slides(p.roles[c]))
      force = r.radius(i) * p.friction.segment(p.rows.tangent(i), force.size());
    if (r.candidate_at[c] >= 0) force = unit * x.segment(r.candidate_at[c], force.size());
  }
}

// Clear absent contacts. They have no forces, and bounds only from the forces of others.
void clear_absent(const AccelerationProblem& p, AccelerationResult& r) {
  for (Index i = 0; i < p.rows.nc; ++i) {
    if (takes_part(p, i)) continue;
    r.lambda_N(i) = 0.0;
    r.lambda_T.segment(p.rows.tangent(i), p.rows.dim(i)).setZero();
    const Index k = p.rows.normal_of(i);
    const bool other = k >= 0 && takes_part(p, k);
    r.radius(i) = p.bound(i) + (other ? p.mu(i) * r.lambda_N(k) : 0.0);
  }
}

// Compute γ̇ = G λ + Wᵀ M⁻¹h + w̄ (5.14), also for absent contacts.
void find_rates(const AccelerationProblem& p, AccelerationResult& r) {
  const Index nc = p.rows.nc;
  const Index nt = p.rows.nt;
  r.gammadot_N = p.free_N;
  r.gammadot_T = p.free_T;
  // Of many possible contacts few have forces, and not many more are moved.
  if (kMany * std::ssize(r.present) < nc) {
    const auto add = [&](Index row, double force) {
      if (force == 0.0) return;
      for (const Index i : r.movable) {
        r.gammadot_N(i) += force * p.G(i, row);
        const Index t = p.rows.tangent(i), dim = p.rows.dim(i);
        r.gammadot_T.segment(t, dim) += force * p.G.col(row).segment(nc + t, dim);
      }
    };
    for (const Index i : r.present) {
      add(i, r.lambda_N(i));
      for (Index d = 0; d < p.rows.dim(i); ++d) {
        add(p.rows.row(i) + d, r.lambda_T(p.rows.tangent(i) + d));
      }
    }
    return;
  }
  r.gammadot_N.noalias() += p.G.topLeftCorner(nc, nc) * r.lambda_N;
  r.gammadot_N.noalias() += p.G.topRightCorner(nc, nt) * r.lambda_T;
  r.gammadot_T.noalias() += p.G.bottomLeftCorner(nt, nc) * r.lambda_N;
  r.gammadot_T.noalias() += p.G.bottomRightCorner(nt, nt) * r.lambda_T;
}

// Return true if the normal rows of the members are dependent, by greedy Cholesky of their G.
bool are_dependent(const AccelerationProblem& p, AccelerationResult& r) {
  Index n = 0;
  for (std::size_t m = 0; m < r.members.size(); ++m) {
    const Index i = r.members[m];
    if (!p.rows.is_unilateral(i)) continue;
    double rest = p.G(i, i);
    Index k = 0;
    for (std::size_t l = 0; l < m; ++l) {
      const Index j = r.members[l];
      if (!p.rows.is_unilateral(j)) continue;
      const double known = r.factor.row(k).head(k).dot(r.factor.row(n).head(k));
      r.factor(n, k) = (p.G(i, j) - known) / r.factor(k, k);
      rest -= r.factor(n, k) * r.factor(n, k);
      ++k;
    }
    if (!(rest > dependence::kIndependentRow * p.G(i, i))) return true;
    r.factor(n, n) = std::sqrt(rest);
    ++n;
  }
  return false;
}

void fill_start(const AccelerationProblem& p, const AccelerationResult& r, double unit,
                Vector& start) {
  for (const Index i : r.members) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (r.normal_at[c] >= 0) start(r.normal_at[c]) = r.lambda_N(i) / unit;
    if (r.candidate_at[c] < 0) continue;
    start.segment(r.candidate_at[c], p.rows.dim(i)) =
        r.lambda_T.segment(p.rows.tangent(i), p.rows.dim(i)) / unit;
  }
}

// Subtract the effect of compliance under normal forces `x` from b.
void take_back(const AccelerationProblem& p, const AccelerationResult& r, double compliance,
               const Vector& x, ContactProblem& problem) {
  for (const Index i : r.members) {
    const Index at = r.normal_at[static_cast<std::size_t>(i)];
    if (at >= 0) problem.b(at) -= compliance * p.G(i, i) * x(at);
  }
}

// Set free accelerations of the members to zero if they are below their resolution. Return false if
// there are none.
bool drop_unresolved(const AccelerationProblem& p, AccelerationResult& r) {
  if (!p.resolution) return false;
  bool any = false;
  const auto drop = [&](Index row) {
    if (r.free(row) == 0.0 || std::abs(r.free(row)) > (*p.resolution)(row)) return;
    r.free(row) = 0.0;
    any = true;
  };
  for (const Index i : r.members) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (r.normal_at[c] >= 0) drop(i);
    for (Index d = 0; r.candidate_at[c] >= 0 && d < p.rows.dim(i); ++d) drop(p.rows.row(i) + d);
  }
  return any;
}

// Return true if contacts are pressed that cannot be moved. Accelerations below their resolution do
// not count.
bool presses_what_is_unmoved(const AccelerationProblem& p, const AccelerationResult& r) {
  return std::any_of(r.members.begin(), r.members.end(), [&](Index i) {
    const double zero = p.resolution ? (*p.resolution)(i) : 0.0;
    return p.rows.is_unilateral(i) && !(p.G(i, i) > 0.0) && r.free(i) < -zero;
  });
}

// Solve for the forces of the members with compliant contacts. If no forces exist, the status
// states it.
void solve_group(const AccelerationProblem& p, ContactSolver& solver, AccelerationResult& r,
                 bool warm, double compliance) {
  double scale_G = 0.0, scale_b = 0.0;
  ContactProblem* problem = assemble(p, solver, r, compliance, scale_G, scale_b);
  if (!problem) {
    if (!(scale_G > 0.0) && r.status == LcpStatus::Solved && presses_what_is_unmoved(p, r)) {
      r.status = LcpStatus::NoSolution;
      r.failed = r.members;
    }
    for (const Index i : r.members) {
      r.normal_at[static_cast<std::size_t>(i)] = r.candidate_at[static_cast<std::size_t>(i)] = -1;
    }
    return scatter(p, r.free, 0.0, r);
  }
  const double unit = scale_b / scale_G;
  const std::size_t n = static_cast<std::size_t>(problem->b.size());
  Vector& start = r.start[n];
  start.resize(problem->b.size());
  if (warm) fill_start(p, r, unit, start);
  solver.solve(*problem, warm ? &start : nullptr);
  // Further steps of the proximal point method remove the compliance and keep the distribution of
  // forces. One step is enough unless the contacts are about to jam.
  double yielding = 0.0;
  for (int step = 0; compliance > 0.0 && step < kProximalSteps; ++step) {
    if (problem->status != LcpStatus::Solved || (step > 0 && yielding <= acceleration::kYielding))
      break;
    if (step > 0) take_back(p, r, -compliance / scale_G, start, *problem);
    start = problem->x;
    take_back(p, r, compliance / scale_G, start, *problem);
    solver.solve(*problem, &start);
    yielding = 0.0;
    for (const Index i : r.members) {
      const Index at = r.normal_at[static_cast<std::size_t>(i)];
      if (at < 0) continue;
      const double part = compliance * p.G(i, i) / scale_G;
      yielding = std::max(yielding, part * std::abs(problem->x(at) - start(at)));
    }
  }
  // Jammed contacts yield further in every step, slowly if light bodies carry heavy ones.
  if (problem->status == LcpStatus::Solved && yielding > without_pivots::kMost) {
    start = problem->x;
    problem = assemble(p, solver, r, 0.0, scale_G, scale_b);
    problem->x = start;
    problem->status = solver.holds(*problem) ? LcpStatus::Solved : LcpStatus::Inaccurate;
    yielding = 0.0;
  }
  if (problem->status != LcpStatus::Solved && drop_unresolved(p, r)) {
    return solve_group(p, solver, r, false, compliance);
  }
  // Friction may depend on other rows, or all rows may be nearly dependent.
  if (problem->status == LcpStatus::IterationLimit && p.rows.spatial && compliance == 0.0) {
    return solve_group(p, solver, r, false, acceleration::kCompliance);
  }
  if (problem->status != LcpStatus::Solved && r.status == LcpStatus::Solved) {
    r.status = problem->status;
    r.failed = r.members;
  }
  r.residual = std::max(r.residual, problem->residual);
  const double residual = std::max(std::min(problem->residual, 1e-9), yielding);
  const double left = std::max(rounding::kLaw, 4.0 * residual) * scale_b;
  for (const Index i : r.members) {
    r.inaccuracy(i) = left;
    r.inaccuracy.segment(p.rows.row(i), p.rows.dim(i)).setConstant(left);
  }
  if (problem->x.allFinite()) {
    scatter(p, problem->x, unit, r);
  } else {
    scatter(p, r.free, 0.0, r);
  }
}

}  // namespace

ContactProblem* assemble_acceleration(const AccelerationProblem& p, ContactSolver& solver,
                                      AccelerationResult& r, double& scale_G, double& scale_b) {
  begin(p, r);
  fold_given_friction(p, r);
  r.members = r.present;
  return assemble(p, solver, r, 0.0, scale_G, scale_b);
}

void apply_acceleration(const AccelerationProblem& p, const ConstVectorRef& x, double unit,
                        AccelerationResult& r) {
  r.members = r.present;
  scatter(p, x, unit, r);
  clear_absent(p, r);
  find_rates(p, r);
}

void solve_acceleration_law(const AccelerationProblem& p, ContactSolver& solver,
                            AccelerationResult& r, bool warm) {
  r.status = LcpStatus::Solved;
  r.residual = 0.0;
  r.inaccuracy.setZero();
  r.failed.clear();
  begin(p, r);
  fold_given_friction(p, r);
  r.groups.find(p.rows, p.G, r.present, r.rough);
  for (std::size_t k = 0; k < r.groups.count(); ++k) {
    r.groups.list(k, r.members);
    if (p.backwards) std::reverse(r.members.begin(), r.members.end());
    const bool gives_way = p.rows.spatial && are_dependent(p, r);
    solve_group(p, solver, r, warm, gives_way ? acceleration::kCompliance : 0.0);
  }
  clear_absent(p, r);
  find_rates(p, r);
}

}  // namespace nsmb
