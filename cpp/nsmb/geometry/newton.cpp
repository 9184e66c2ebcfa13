#include "nsmb/geometry/newton.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kMaxIterations = 60;
constexpr int kMaxHalvings = 12;

/// A problem in one unknown: minimise `merit` with derivatives f, df.
struct Line {
  double merit, f, df, speed, kappa;
};

Line evaluate(const FootProblem& p, double sigma) {
  CurveDerivatives d;
  p.contour.derivatives(p.piece, sigma, d);
  const CurvePoint q = curve_point(d);
  const Vector2 r = d.r - p.point;
  return {0.5 * p.sign * r.squaredNorm(), p.sign * r.dot(d.d1),
          p.sign * (d.d1.squaredNorm() + r.dot(d.d2)), q.speed, q.kappa};
}

Line evaluate(const TangentProblem& p, double sigma) {
  CurveDerivatives d;
  p.contour.derivatives(p.piece, sigma, d);
  const CurvePoint q = curve_point(d);
  const Vector2 n = left_of(p.t);  // into the body, away from the line
  return {d.r.dot(n), d.d1.dot(n), d.d2.dot(n), q.speed, q.kappa};
}

/// Return the longest step in s.
double longest_step(double kappa, double size) {
  return std::min(contour_tuning::kStepTurn / std::max(std::abs(kappa), kEps),
                  contour_tuning::kLongestStep * size);
}

double limited(double sigma, const Piece& piece) {
  if (piece.closed) return sigma;
  const double range = piece.end - piece.begin;
  if (!std::isfinite(range)) return sigma;
  return std::clamp(sigma, piece.begin - contour_tuning::kBeyondEnd * range,
                    piece.end + contour_tuning::kBeyondEnd * range);
}

template <class Problem>
NewtonResult minimise(const Problem& problem, const Piece& piece, double& sigma) {
  NewtonResult result;
  const double size = problem.contour.size();
  double last = std::numeric_limits<double>::infinity();
  Line line = evaluate(problem, sigma);
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    const double bound = longest_step(line.kappa, size) / line.speed;
    double step = line.df > 0.0 ? -line.f / line.df : -std::copysign(bound, line.f);
    step = limited(sigma + std::clamp(step, -bound, bound), piece) - sigma;
    const double moved = std::abs(step) * line.speed;
    const bool is_small = moved <= contour_tuning::kNewtonOnly * size && line.df > 0.0;
    Line next = evaluate(problem, sigma + step);
    for (int i = 0; !is_small && next.merit > line.merit && i < kMaxHalvings; ++i) {
      step *= 0.5;
      next = evaluate(problem, sigma + step);
    }
    sigma += step;
    line = next;
    // Convergence is quadratic until steps are dominated by rounding.
    const bool at_rounding = is_small && moved <= 1e-9 * size && moved >= 0.5 * last;
    if (moved <= 4.0 * kEps * size || at_rounding) {
      // A point at which the limit of σ stopped the iteration is not a root.
      result.converged = line.df > 0.0 && std::abs(line.f / line.df) * line.speed <= 1e-8 * size;
      return result;
    }
    last = moved;
  }
  return result;
}

struct PairState {
  CurvePoint p, q;
  Vector2 r_D;
  double across, along;  // n_1ᵀ t_2 and r_Dᵀ t_1
};

PairState evaluate(const PairProblem& problem, double sigma_1, double sigma_2) {
  PairState s;
  s.p = problem.c1.at(problem.piece_1, sigma_1);
  s.q = problem.c2.at(problem.piece_2, sigma_2);
  s.p.t = problem.pose1.direction(s.p.t);
  s.q.t = problem.pose2.direction(s.q.t);
  s.p.n = left_of(s.p.t);
  s.q.n = left_of(s.q.t);
  s.r_D = problem.pose2.point(s.q.r) - problem.pose1.point(s.p.r);
  s.across = s.p.n.dot(s.q.t);
  s.along = s.r_D.dot(s.p.t);
  return s;
}

}  // namespace

NewtonResult solve_foot(const FootProblem& problem, const Piece& piece, double& sigma) {
  return minimise(problem, piece, sigma);
}

NewtonResult solve_tangent(const TangentProblem& problem, const Piece& piece, double& sigma) {
  return minimise(problem, piece, sigma);
}

NewtonResult solve_pair(const PairProblem& problem, const Piece& piece_1, const Piece& piece_2,
                        double& sigma_1, double& sigma_2) {
  NewtonResult result;
  const double size = std::min(problem.c1.size(), problem.c2.size());
  const auto merit = [&](const PairState& s) {
    return s.along * s.along + size * size * s.across * s.across;
  };
  double last = std::numeric_limits<double>::infinity();
  PairState s = evaluate(problem, sigma_1, sigma_2);
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    // (4.26): rates of both conditions with ṡ_1, ṡ_2
    const double c = s.p.t.dot(s.q.t);
    const double a11 = -c * s.p.kappa, a12 = c * s.q.kappa;
    const double a21 = -1.0 + s.p.kappa * s.r_D.dot(s.p.n), a22 = c;
    const double det = a11 * a22 - a12 * a21;
    const double scale = std::abs(a11 * a22) + std::abs(a12 * a21);
    if (!(std::abs(det) > 8.0 * kEps * scale)) return result;  // (4.35)
    double ds_1 = (-a22 * s.across + a12 * s.along) / det;
    double ds_2 = (a21 * s.across - a11 * s.along) / det;
    const double shrink =
        std::max({1.0, std::abs(ds_1) / longest_step(s.p.kappa, problem.c1.size()),
                  std::abs(ds_2) / longest_step(s.q.kappa, problem.c2.size())});
    ds_1 /= shrink;
    ds_2 /= shrink;
    const double moved = std::max(std::abs(ds_1), std::abs(ds_2));
    const bool is_small = moved <= contour_tuning::kNewtonOnly * size;
    double next_1 = limited(sigma_1 + ds_1 / s.p.speed, piece_1);
    double next_2 = limited(sigma_2 + ds_2 / s.q.speed, piece_2);
    PairState next = evaluate(problem, next_1, next_2);
    for (int i = 0; !is_small && merit(next) > merit(s) && i < kMaxHalvings; ++i) {
      next_1 = 0.5 * (next_1 + sigma_1);
      next_2 = 0.5 * (next_2 + sigma_2);
      next = evaluate(problem, next_1, next_2);
    }
    sigma_1 = next_1;
    sigma_2 = next_2;
    s = next;
    const bool at_rounding = is_small && moved <= 1e-9 * size && moved >= 0.5 * last;
    if (moved <= 4.0 * kEps * size || at_rounding) {
      result.converged = std::abs(s.along) + size * std::abs(s.across) <= 1e-8 * size;
      return result;
    }
    last = moved;
  }
  return result;
}

}  // namespace nsmb
