#include "nsmb/complementarity/friction_unit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using Kind = FrictionPart::Kind;
using Pair = std::array<double, 2>;

constexpr double kSingular = std::numeric_limits<double>::epsilon();

/// (A + alpha E) x = right for two rows. If rows are dependent, x is large along their null
/// direction.
struct Shifted {
  double a, b, c, d;  // A by columns: a b | c d

  Pair solve(double alpha, const double* right) const {
    const double p = a + alpha;
    const double q = d + alpha;
    const double det = std::max(p * q - b * c, kSingular * (p * p + q * q));
    return {(q * right[0] - c * right[1]) / det, (p * right[1] - b * right[0]) / det};
  }
};

double length(const Pair& z) { return std::sqrt(z[0] * z[0] + z[1] * z[1]); }

/// Find the root alpha > 0 of |x(alpha)| - radius(x(alpha)), x = -(A + alpha E)⁻¹ c, if this is
/// positive at zero. The radius is r_0 + rᵀx. Newton's method for the reciprocal within a bracket.
Pair find_rim(const Shifted& A, const double* c, double r_0, const Pair& r, double alpha) {
  constexpr int kSteps = 60;
  const Pair right = {-c[0], -c[1]};
  double low = 0.0;
  double high = -1.0;  // none yet
  Pair x = {0.0, 0.0};
  for (int k = 0; k < kSteps; ++k) {
    x = A.solve(alpha, right.data());
    const double size = length(x);
    const double radius = r_0 + r[0] * x[0] + r[1] * x[1];
    const double miss = size - radius;
    if (std::abs(miss) <= tolerances::friction::kExactRim * size) break;
    (miss > 0.0 ? low : high) = alpha;
    const Pair rate = A.solve(alpha, x.data());  // -dx/dalpha
    const double size_rate = -(x[0] * rate[0] + x[1] * rate[1]) / size;
    const double radius_rate = -(r[0] * rate[0] + r[1] * rate[1]);
    double next = -1.0;
    if (radius > 0.0) {
      // 1 / radius - 1 / size is closer to a straight line than size - radius.
      const double slope = size_rate / (size * size) - radius_rate / (radius * radius);
      next = alpha - (1.0 / radius - 1.0 / size) / slope;
    }
    if (!(next > low) || (high >= 0.0 && !(next < high))) {
      next = high >= 0.0 ? 0.5 * (low + high) : 4.0 * std::max(alpha, 0.25);
    }
    if (next == alpha) break;
    alpha = next;
  }
  return x;
}

/// Return alpha of x, if it is such a root: the initial guess for the search of another one.
double rim_from(const Shifted& A, const double* c, const double* x) {
  const double size = std::sqrt(x[0] * x[0] + x[1] * x[1]);
  const double y_1 = c[0] + A.a * x[0] + A.c * x[1];
  const double y_2 = c[1] + A.b * x[0] + A.d * x[1];
  return size > 0.0 ? std::sqrt(y_1 * y_1 + y_2 * y_2) / size : 0.0;
}

/// Solve one normal row and an interval that grows with it: open, sticking, or sliding either way.
void solve_flat(const double* A, const double* c, double mu, double* x) {
  std::fill_n(x, 2, 0.0);
  if (c[0] >= 0.0) return;
  const double n_0 = -c[0] / A[0];
  const double n = -A[2] / A[0];
  const double stiffness = A[3] + A[1] * n;
  const double load = c[1] + A[1] * n_0;
  double x_T = stiffness > 0.0 ? -load / stiffness : 0.0;
  if (!(std::abs(x_T) <= mu * (n_0 + n * x_T))) {
    // x_T = ±mu x_N against the slip; x_N = n_0 / (1 ∓ mu n).
    const double sign = load > 0.0 ? -1.0 : 1.0;
    const double share = 1.0 - sign * mu * n;
    x_T = share > 0.0 ? sign * mu * n_0 / share : x_T;
  }
  x[0] = std::max(n_0 + n * x_T, 0.0);
  x[1] = std::clamp(x_T, -mu * x[0], mu * x[0]);
}

/// Solve any number of sets, one after the other. One pass suffices, because the next sweep returns
/// to them. Iterating here to convergence takes as many sweeps, each four times as long.
void solve_in_turn(const ContactSystem& system, const ContactUnit& unit, const double* A,
                   const double* c, const Vector& x_all, double* x) {
  const Index rows = unit.rows;
  for (Index p = unit.part_begin; p < unit.part_end; ++p) {
    const FrictionPart& part = system.part(p);
    const Index i = part.first - unit.first;
    std::array<double, 2> load{};
    for (Index q = 0; q < part.dim; ++q) {
      double& sum = load[static_cast<std::size_t>(q)];
      sum = c[i + q];
      for (Index j = 0; j < rows; ++j) {
        if (j < i || j >= i + part.dim) sum += A[i + q + rows * j] * x[j];
      }
    }
    const double own = std::max(A[i + rows * i], tolerances::friction_tuning::kLeastEigenvalue);
    if (part.kind != Kind::Disc) {
      x[i] = -load[0] / own;
      if (part.kind == Kind::Normal) x[i] = std::max(x[i], 0.0);
      continue;
    }
    double x_N = 0.0;
    if (part.normal >= 0) {
      const bool inside = part.normal >= unit.first && part.normal < unit.first + rows;
      x_N = inside ? x[part.normal - unit.first] : x_all[part.normal];
    }
    const double radius = part.mu * std::max(x_N, 0.0) + part.bound;
    if (part.dim == 1) {
      x[i] = std::clamp(-load[0] / own, -radius, radius);
    } else {
      const double block[4] = {A[i + rows * i], A[i + 1 + rows * i], A[i + rows * (i + 1)],
                               A[i + 1 + rows * (i + 1)]};
      solve_disc(block, load.data(), radius, x + i);
    }
  }
}

}  // namespace

void CoulombLaw::assign(const double* A, double friction) {
  mu = friction;
  inverse = 1.0 / A[0];
  std::copy_n(A + 1, 2, A_TN);
  n[0] = -A[3] * inverse;
  n[1] = -A[6] * inverse;
  S[0] = A[4] + A[1] * n[0];
  S[1] = A[5] + A[2] * n[0];
  S[2] = A[7] + A[1] * n[1];
  S[3] = A[8] + A[2] * n[1];
  const double squares = S[0] * S[0] + S[3] * S[3];
  const double det = std::max(S[0] * S[3] - S[1] * S[2], kSingular * squares);
  inverse_S[0] = S[3] / det;
  inverse_S[1] = -S[1] / det;
  inverse_S[2] = -S[2] / det;
  inverse_S[3] = S[0] / det;
}

void CoulombLaw::solve(const double* c, double* x) const {
  if (c[0] >= 0.0) {
    std::fill_n(x, 3, 0.0);
    return;
  }
  const double n_0 = -c[0] * inverse;
  const double s[2] = {c[1] + A_TN[0] * n_0, c[2] + A_TN[1] * n_0};
  Pair x_T = {0.0, 0.0};
  if (mu > 0.0) {
    x_T = {-inverse_S[0] * s[0] - inverse_S[2] * s[1], -inverse_S[1] * s[0] - inverse_S[3] * s[1]};
    const double x_N = n_0 + n[0] * x_T[0] + n[1] * x_T[1];
    if (!(length(x_T) <= mu * x_N)) {
      const Shifted block{S[0], S[1], S[2], S[3]};
      const double guess = rim_from(block, s, x + 1);
      x_T = find_rim(block, s, mu * n_0, {mu * n[0], mu * n[1]}, guess);
    }
  }
  x[0] = std::max(n_0 + n[0] * x_T[0] + n[1] * x_T[1], 0.0);
  x[1] = x_T[0];
  x[2] = x_T[1];
  const double size = length(x_T);
  if (size > mu * x[0]) {
    x[1] *= mu * x[0] / size;
    x[2] *= mu * x[0] / size;
  }
}

void solve_disc(const double* A, const double* c, double radius, double* x) {
  if (!(radius > 0.0)) {
    x[0] = x[1] = 0.0;
    return;
  }
  const double least = tolerances::friction_tuning::kLeastEigenvalue;
  const Shifted block{std::max(A[0], least), A[1], A[2], std::max(A[3], least)};
  const Pair right = {-c[0], -c[1]};
  Pair free = block.solve(0.0, right.data());
  if (!(length(free) <= radius)) {
    const double guess = rim_from(block, c, x);
    free = find_rim(block, c, radius, {0.0, 0.0}, guess);
  }
  const double size = length(free);
  const double shrink = size > radius ? radius / size : 1.0;
  x[0] = shrink * free[0];
  x[1] = shrink * free[1];
}

void solve_unit(const ContactSystem& system, Index index, const double* c, const Vector& x_all,
                double* x) {
  const ContactUnit& unit = system.unit(index);
  const double* A = system.self_block(index);
  const FrictionPart& first = system.part(unit.part_begin);
  const Index parts = unit.part_end - unit.part_begin;
  const bool regular = A[0] > tolerances::friction_tuning::kLeastEigenvalue;
  if (first.kind == Kind::Normal && parts == 2 && regular) {
    const FrictionPart& disc = system.part(unit.part_begin + 1);
    if (disc.bound == 0.0) {
      if (disc.dim == 2) {
        CoulombLaw law;
        law.assign(A, disc.mu);
        return law.solve(c, x);
      }
      return solve_flat(A, c, disc.mu, x);
    }
  }
  solve_in_turn(system, unit, A, c, x_all, x);
}

}  // namespace nsmb::internal
