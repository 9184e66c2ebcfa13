#include "nsmb/contact_laws/ambiguity.hpp"

#include <algorithm>

#include "nsmb/complementarity/enumeration.hpp"
#include "nsmb/contact_laws/tolerances.hpp"
#include "nsmb/core/dense_lu.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr Index kLargestCount = 16;  // 2^16 cones take some tenths of a second

bool is_known(const std::vector<AccelerationSolution>& known, const AccelerationSolution& s) {
  const double size =
      1.0 + std::max(s.lambda_N.lpNorm<Eigen::Infinity>(), s.lambda_T.lpNorm<Eigen::Infinity>());
  const double rate = 1.0 + std::max(s.gammadot_N.lpNorm<Eigen::Infinity>(),
                                     s.gammadot_T.lpNorm<Eigen::Infinity>());
  return std::any_of(known.begin(), known.end(), [&](const AccelerationSolution& k) {
    return (k.lambda_N - s.lambda_N).lpNorm<Eigen::Infinity>() <=
               dependence::kSameSolution * size &&
           (k.lambda_T - s.lambda_T).lpNorm<Eigen::Infinity>() <=
               dependence::kSameSolution * size &&
           (k.gammadot_N - s.gammadot_N).lpNorm<Eigen::Infinity>() <=
               dependence::kSameSolution * rate;
  });
}

}  // namespace

std::vector<AccelerationSolution> enumerate_accelerations(const AccelerationProblem& p,
                                                          ContactSolver& solver, Index max_size,
                                                          LcpStatus& status) {
  AccelerationResult r(p.rows);
  double scale_G = 0.0, scale_b = 0.0;
  std::vector<AccelerationSolution> found;
  status = LcpStatus::TooLarge;
  if (p.rows.spatial) return found;
  const ContactProblem* problem = assemble_acceleration(p, solver, r, scale_G, scale_b);
  if (!problem) {
    status = LcpStatus::Solved;
    apply_acceleration(p, Vector::Zero(p.rows.size()), 0.0, r);
    found.push_back({r.lambda_N, r.lambda_T, r.gammadot_N, r.gammadot_T});
    return found;
  }
  Matrix A;
  Vector b;
  expand_to_lcp(*problem, A, b);
  if (b.size() > max_size) return found;
  EnumerationOptions options;
  options.max_size = static_cast<int>(max_size);
  const EnumerationResult all = solve_enumeration(A, b, options);
  status = all.first.status;
  Vector x;
  for (const Vector& solution : all.solutions) {
    collapse_from_lcp(*problem, solution, x);
    apply_acceleration(p, x, scale_b / scale_G, r);
    AccelerationSolution s{r.lambda_N, r.lambda_T, r.gammadot_N, r.gammadot_T};
    if (!is_known(found, s)) found.push_back(std::move(s));
  }
  return found;
}

long count_acceleration_solutions(const AccelerationProblem& p, ContactSolver& solver,
                                  const Matrix& Minv_W) {
  LcpStatus status = LcpStatus::NotRun;
  const auto found = enumerate_accelerations(p, solver, kLargestCount, status);
  std::vector<Vector> different;
  for (const AccelerationSolution& s : found) {
    const Vector effect =
        Minv_W.leftCols(p.rows.nc) * s.lambda_N + Minv_W.rightCols(p.rows.nt) * s.lambda_T;
    const double size = 1.0 + effect.lpNorm<Eigen::Infinity>();
    const bool known = std::any_of(different.begin(), different.end(), [&](const Vector& d) {
      return (d - effect).lpNorm<Eigen::Infinity>() <= dependence::kSameSolution * size;
    });
    if (!known) different.push_back(effect);
  }
  return static_cast<long>(different.size());
}

bool accelerations_are_a_choice(const AccelerationProblem& p, const std::vector<bool>& hold,
                                const Matrix& Minv_W, const FrozenRoles& roles) {
  std::vector<Index> rows;
  for (std::size_t g = 0; g < hold.size(); ++g) {
    if (hold[g]) rows.push_back(static_cast<Index>(g));
  }
  const Index n = static_cast<Index>(rows.size());
  Matrix A(n, n), effect(Minv_W.rows(), n);
  Vector lambda_N(p.rows.nc), lambda_T(p.rows.nt);
  for (Index k = 0; k < n; ++k) {
    frozen_column(p.rows, p.G, roles, p.mu, rows, rows[static_cast<std::size_t>(k)], A.col(k));
    scatter_forces(p.rows, roles, p.mu, nullptr, {rows[static_cast<std::size_t>(k)]},
                   Vector::Ones(1), lambda_N, lambda_T);
    effect.col(k) = Minv_W.leftCols(p.rows.nc) * lambda_N + Minv_W.rightCols(p.rows.nt) * lambda_T;
  }
  const Matrix kernel = FullLu(A).kernel(dependence::kRank);
  if (kernel.cols() == 0) return false;
  const Matrix change = effect * kernel;
  return change.cwiseAbs().maxCoeff() > dependence::kKernelEffect * effect.cwiseAbs().maxCoeff();
}

}  // namespace nsmb
