#include "nsmb/contact_laws/acceleration_law.hpp"

#include <algorithm>

namespace nsmb {

AccelerationResult::AccelerationResult(const ContactRows& rows)
    : lambda_N(Vector::Zero(rows.nc)),
      lambda_T(Vector::Zero(rows.nt)),
      gammadot_N(Vector::Zero(rows.nc)),
      gammadot_T(Vector::Zero(rows.nt)),
      radius(Vector::Zero(rows.nc)),
      free(Vector::Zero(rows.size())),
      start(static_cast<std::size_t>(rows.size()) + 1),
      normal_at(static_cast<std::size_t>(rows.nc), -1),
      candidate_at(normal_at) {}

namespace {

bool slides(ContactRole role) { return sliding_sign(role) != 0; }

// Places of the unknowns: λ_N of I_N first, then λ_T of the candidates. Returns their number.
Index place_unknowns(const AccelerationProblem& p, AccelerationResult& r, Index& n_N) {
  Index n = 0;
  for (Index i = 0; i < p.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    const bool present = p.roles[c] != ContactRole::Absent && p.rows.is_unilateral(i);
    r.normal_at[c] = present ? n++ : -1;
  }
  n_N = n;
  for (Index i = 0; i < p.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    const bool undecided = p.roles[c] == ContactRole::Candidate;
    r.candidate_at[c] = undecided ? n : -1;
    if (undecided) n += p.rows.dim(i);
  }
  return n;
}

Index place_of_normal(const AccelerationProblem& p, const AccelerationResult& r, Index i) {
  const Index k = p.rows.normal_of(i);
  return k < 0 ? -1 : r.normal_at[static_cast<std::size_t>(k)];
}

// W_Nᵀ M⁻¹h + w̄ with the friction of sliding contacts with a given bound.
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

// Row of A over all unknowns from row g of G, with P = W_N + W_G μ̄_G (6.6), H_R (14).
void fill_row(const AccelerationProblem& p, const AccelerationResult& r, Index row, Index g,
              double s, Matrix& A) {
  for (Index j = 0; j < p.rows.nc; ++j) {
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
  for (Index i = 0; i < p.rows.nc; ++i) {
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

}  // namespace

ContactProblem* assemble_acceleration(const AccelerationProblem& p, ContactSolver& solver,
                                      AccelerationResult& r, double& scale_G, double& scale_b) {
  Index n_N = 0;
  const Index n = place_unknowns(p, r, n_N);
  fold_given_friction(p, r);
  measure_scales(p, r, scale_G, scale_b);
  if (!(scale_b > 0.0)) return nullptr;
  const double unit = scale_b / scale_G;
  ContactProblem& problem = solver.problem(n, n_N);
  for (Index i = 0; i < p.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (r.normal_at[c] >= 0) {
      fill_row(p, r, r.normal_at[c], i, 1.0 / scale_G, problem.A);
      problem.A(r.normal_at[c], r.normal_at[c]) += p.compliance * p.G(i, i) / scale_G;
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

void apply_acceleration(const AccelerationProblem& p, const ConstVectorRef& x, double unit,
                        AccelerationResult& r) {
  const Index nc = p.rows.nc;
  r.lambda_N.setZero();
  r.lambda_T.setZero();
  for (Index i = 0; i < nc; ++i) {
    const Index at = r.normal_at[static_cast<std::size_t>(i)];
    if (at >= 0) r.lambda_N(i) = unit * x(at);
  }
  for (Index i = 0; i < nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    const Index k = p.rows.normal_of(i);
    r.radius(i) = p.bound(i) + (k < 0 ? 0.0 : p.mu(i) * r.lambda_N(k));
    auto force = r.lambda_T.segment(p.rows.tangent(i), p.rows.dim(i));
    if (slides(p.roles[c]))
      force = r.radius(i) * p.friction.segment(p.rows.tangent(i), force.size());
    if (r.candidate_at[c] >= 0) force = unit * x.segment(r.candidate_at[c], force.size());
  }
  // γ̇ = G λ + Wᵀ M⁻¹h + w̄ (5.14), for absent contacts too.
  const Index nt = p.rows.nt;
  r.gammadot_N = p.free_N;
  r.gammadot_T = p.free_T;
  r.gammadot_N.noalias() += p.G.topLeftCorner(nc, nc) * r.lambda_N;
  r.gammadot_N.noalias() += p.G.topRightCorner(nc, nt) * r.lambda_T;
  r.gammadot_T.noalias() += p.G.bottomLeftCorner(nt, nc) * r.lambda_N;
  r.gammadot_T.noalias() += p.G.bottomRightCorner(nt, nt) * r.lambda_T;
}

void solve_acceleration_law(const AccelerationProblem& p, ContactSolver& solver,
                            AccelerationResult& r, bool warm) {
  double scale_G = 0.0, scale_b = 0.0;
  r.status = LcpStatus::Solved;
  r.residual = 0.0;
  ContactProblem* problem = assemble_acceleration(p, solver, r, scale_G, scale_b);
  r.scale = scale_b;
  if (!problem) {
    for (std::size_t c = 0; c < r.normal_at.size(); ++c) r.normal_at[c] = r.candidate_at[c] = -1;
    apply_acceleration(p, r.free, 0.0, r);
    return;
  }
  const double unit = scale_b / scale_G;
  if (warm) {
    Vector& start = r.start[static_cast<std::size_t>(problem->b.size())];
    start.resize(problem->b.size());
    for (Index i = 0; i < p.rows.nc; ++i) {
      const std::size_t c = static_cast<std::size_t>(i);
      if (r.normal_at[c] >= 0) start(r.normal_at[c]) = r.lambda_N(i) / unit;
      if (r.candidate_at[c] < 0) continue;
      start.segment(r.candidate_at[c], p.rows.dim(i)) =
          r.lambda_T.segment(p.rows.tangent(i), p.rows.dim(i)) / unit;
    }
  }
  const std::size_t n = static_cast<std::size_t>(problem->b.size());
  solver.solve(*problem, warm ? &r.start[n] : nullptr);
  if (p.compliance > 0.0 && problem->status == LcpStatus::Solved) {
    // A second step of the proximal point method takes the compliance back, the split stays.
    Vector& first = r.start[n];
    first = problem->x;
    for (Index i = 0; i < p.rows.nc; ++i) {
      const Index at = r.normal_at[static_cast<std::size_t>(i)];
      if (at >= 0) problem->b(at) -= p.compliance * p.G(i, i) / scale_G * first(at);
    }
    solver.solve(*problem, &first);
  }
  r.status = problem->status;
  r.residual = problem->residual;
  if (problem->x.allFinite()) {
    apply_acceleration(p, problem->x, unit, r);
  } else {
    apply_acceleration(p, Vector::Zero(problem->b.size()), 0.0, r);
  }
}

}  // namespace nsmb
