// Projected Gauss-Seidel: the projection equations (33), (37), one part after the other.
#include <algorithm>
#include <cmath>

#include "nsmb/complementarity/friction_scaled.hpp"
#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

using Kind = FrictionPart::Kind;

/// Return r of a part: the reciprocal of the largest eigenvalue of its diagonal block, treated as
/// symmetric.
double step_of(const Matrix& A, const FrictionPart& part) {
  const Index i = part.first;
  double eigenvalue = A(i, i);
  if (part.dim == 2) {
    const double mean = 0.5 * (A(i, i) + A(i + 1, i + 1));
    const double coupling = 0.5 * (A(i, i + 1) + A(i + 1, i));
    eigenvalue = mean + std::hypot(0.5 * (A(i, i) - A(i + 1, i + 1)), coupling);
  }
  return 1.0 / std::max(eigenvalue, friction_tuning::kLeastEigenvalue);
}

void update_part(const ScaledFriction& problem, const FrictionPart& part, FrictionIterate& it) {
  const Index i = part.first;
  const double r = step_of(problem.A, part);
  double next[2] = {it.x[i] - r * it.y[i], 0.0};
  if (part.dim == 2) next[1] = it.x[i + 1] - r * it.y[i + 1];
  if (part.kind == Kind::Normal) {
    next[0] = std::max(next[0], 0.0);
  } else if (part.kind == Kind::Disc) {
    const double x_N = part.normal < 0 ? 0.0 : it.x[part.normal];
    project_disc({.first = 0, .dim = part.dim}, part.mu * x_N + part.bound, next);
  }
  for (Index q = 0; q < part.dim; ++q) {
    const double change = next[q] - it.x[i + q];
    if (change == 0.0) continue;
    it.x[i + q] = next[q];
    it.y += change * problem.A.col(i + q);
  }
}

}  // namespace

bool run_gauss_seidel(const ScaledFriction& problem, int max_sweeps, double target,
                      FrictionIterate& it, int& sweeps) {
  for (const FrictionPart& part : problem.parts) {
    if (part.kind == Kind::Normal) it.x[part.first] = std::max(it.x[part.first], 0.0);
  }
  evaluate_y(problem, {}, it);
  for (int k = 0; k < max_sweeps; ++k) {
    evaluate_projection(problem.parts, it);
    if (it.largest <= target) return true;
    for (const FrictionPart& part : problem.parts) update_part(problem, part, it);
    ++sweeps;
    if (!it.x.allFinite()) return false;
  }
  evaluate_y(problem, {}, it);
  evaluate_projection(problem.parts, it);
  return it.largest <= target;
}

}  // namespace nsmb::internal
