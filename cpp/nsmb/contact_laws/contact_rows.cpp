// Row-by-row checks of contact problems, and problems with rows of very different size.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/contact_laws/contact_problem.hpp"
#include "nsmb/contact_laws/tolerances.hpp"
#include "nsmb/core/dense_qr.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Directions of fast slip are those after the impact. Each iteration reduces the error by the
// factor 1 / impact::kFastSlip.
constexpr int kRowTurns = 12;
constexpr int kMostPolishes = 10;

double effect(const ContactProblem& p, Index row) { return own_effect(p, row); }

double effect(const ContactProblem& p, const FrictionBound& f) {
  const double first = effect(p, f.first);
  return f.dim == 1 ? first : std::max(first, f.aspect * f.aspect * effect(p, f.first + 1));
}

double normal_force(const ContactProblem& p, const FrictionBound& f) {
  return f.normal < 0 ? 0.0 : std::max(p.x(f.normal), 0.0);
}

// The value of y in a row, and the sum of the magnitudes of its terms.
struct Row {
  Row(const ContactProblem& p, Index row) : y(p.b(row)), terms(std::abs(y)) {
    for (Index j = 0; j < p.x.size(); ++j) {
      const double term = p.A(row, j) * p.x(j);
      y += term;
      terms += std::abs(term);
    }
  }
  double y, terms;
};

}  // namespace

double own_effect(const ContactProblem& p, Index row) {
  if (p.A(row, row) > 0.0) return p.A(row, row);
  const double around = p.A.col(row).lpNorm<Eigen::Infinity>();
  return around > 0.0 ? around : 1.0;
}

RowDefects row_defects(const ContactProblem& p) {
  RowDefects defects;
  const auto tolerance = [&](Index row, double terms) {
    defects.terms = std::max(defects.terms, terms);
    return std::max(p.judged ? p.resolution(row) : 0.0, rounding::kRow * terms);
  };
  // A NaN fails every comparison, so values that are not smaller are kept.
  const auto keep = [&](double defect, double allowed) {
    defects.largest = defect <= defects.largest ? defects.largest : defect;
    const double ratio = defect == 0.0 ? 0.0 : defect / allowed;
    defects.worst = ratio <= defects.worst ? defects.worst : ratio;
  };
  for (Index i = 0; i < p.n_N; ++i) {
    const Row row(p, i);
    const double force = effect(p, i) * p.x(i);
    keep(std::abs(std::min(force, row.y)), tolerance(i, row.terms));
  }
  for (const FrictionBound& f : p.friction) {
    const double s = effect(p, f), x_N = normal_force(p, f);
    const Row row(p, f.first);
    const double tau = s * p.x(f.first) - row.y;
    if (f.dim == 1) {
      const double upper = s * (f.mu_plus * x_N + f.bound_plus);
      const double lower = -s * (f.mu_minus * x_N + f.bound_minus);
      const double rest = s * p.x(f.first) - std::clamp(tau, lower, std::max(lower, upper));
      keep(std::abs(rest), tolerance(f.first, row.terms + std::max(upper, -lower)));
      continue;
    }
    const Row other(p, f.first + 1);
    const double force = s * p.x(f.first + 1) / f.aspect;
    const double tau_2 = force - f.aspect * other.y;
    const double size = std::hypot(tau, tau_2), radius = s * (f.mu_plus * x_N + f.bound_plus);
    const double part = size > radius ? radius / size : 1.0;
    const double rest = std::hypot(s * p.x(f.first) - part * tau, force - part * tau_2);
    keep(rest, std::max(tolerance(f.first, row.terms + radius),
                        f.aspect * tolerance(f.first + 1, other.terms)));
  }
  if (!p.x.allFinite()) defects.worst = defects.largest = std::numeric_limits<double>::infinity();
  return defects;
}

// Driving terms are approaches and given bounds.
bool FastRows::find(const ContactProblem& p, double& effect_of_all) {
  double acts = 0.0;
  for (Index i = 0; i < p.n_N; ++i) acts = std::max(acts, -p.b(i));
  for (const FrictionBound& f : p.friction) {
    acts = std::max(acts, std::max(f.bound_plus, f.bound_minus) * effect(p, f));
  }
  effect_of_all = acts;
  if (!(acts > 0.0)) return false;
  const Index n = p.b.size();
  place.assign(static_cast<std::size_t>(n), 0);
  bool any = false;
  for (Index i = 0; i < p.n_N; ++i) {
    if (!(p.b(i) > impact::kFastSlip * acts)) continue;
    place[static_cast<std::size_t>(i)] = -1;
    any = true;
  }
  friction.assign(p.friction.size(), false);
  direction.setZero(n);
  for (std::size_t k = 0; k < p.friction.size(); ++k) {
    const FrictionBound& f = p.friction[k];
    const double size = p.b.segment(f.first, f.dim).norm();
    const bool loose = f.normal >= 0 && place[static_cast<std::size_t>(f.normal)] < 0 &&
                       f.bound_plus == 0.0 && f.bound_minus == 0.0;
    friction[k] = size > impact::kFastSlip * acts;
    if (!friction[k] && !loose) continue;
    any = true;
    for (Index d = 0; d < f.dim; ++d) {
      place[static_cast<std::size_t>(f.first + d)] = -1;
      if (friction[k]) direction(f.first + d) = p.b(f.first + d) / size;
    }
  }
  kept.clear();
  for (Index i = 0; i < n; ++i) {
    if (place[static_cast<std::size_t>(i)] < 0) continue;
    place[static_cast<std::size_t>(i)] = static_cast<Index>(kept.size());
    kept.push_back(i);
  }
  return any;
}

namespace {

// Compute x_T of fast slip per unit of x_N, and without it: the point of the bound opposite to y_T.
void slip_force(const FrictionBound& f, const Vector& direction, Index d, double& per_normal,
                double& given) {
  if (f.dim == 1) {
    const bool positive = direction(f.first) > 0.0;
    per_normal = positive ? -f.mu_minus : f.mu_plus;
    given = positive ? -f.bound_minus : f.bound_plus;
    return;
  }
  const double a = f.aspect;
  const double size = std::hypot(direction(f.first), a * direction(f.first + 1));
  const double point = -(d == 0 ? 1.0 : a * a) * direction(f.first + d) / size;
  per_normal = f.mu_plus * point;
  given = f.bound_plus * point;
}

}  // namespace

// Return false if the problem is not of this kind, or cannot be solved in this way.
bool ContactSolver::solve_by_size(ContactProblem& p) {
  double acts = 0.0;
  const bool any = fast_.find(p, acts);
  if (!(acts > 0.0)) {
    p.x.setZero(p.b.size());
    p.residual = 0.0;
    p.status = LcpStatus::Solved;
    return true;
  }
  if (!any) return false;
  for (int turn = 0; turn < kRowTurns; ++turn) {
    if (!solve_reduced(p)) return false;
    const RowDefects defects = row_defects(p);
    p.residual = defects.largest / std::max(1.0, p.b.lpNorm<Eigen::Infinity>());
    p.status = LcpStatus::Solved;
    if (defects.worst <= 1.0) return true;
    bool turns = false;
    for (std::size_t k = 0; k < p.friction.size(); ++k) {
      const FrictionBound& f = p.friction[k];
      if (!fast_.friction[k] || f.dim == 1) continue;
      const Eigen::Vector2d y(Row(p, f.first).y, Row(p, f.first + 1).y);
      if (!(y.norm() > 0.0)) return false;
      fast_.direction.segment(f.first, 2) = y / y.norm();
      turns = true;
    }
    if (!turns) return polish(p);
  }
  return polish(p);
}

bool ContactSolver::solve_reduced(ContactProblem& p) {
  const Index n = static_cast<Index>(fast_.kept.size());
  const auto at = [&](Index row) { return fast_.place[static_cast<std::size_t>(row)]; };
  Index n_N = 0;
  while (n_N < n && fast_.kept[static_cast<std::size_t>(n_N)] < p.n_N) ++n_N;
  p.x.setZero(p.b.size());
  if (n > 0) {
    ContactProblem& r = problem(n, n_N);
    for (Index j = 0; j < n; ++j) {
      const Index column = fast_.kept[static_cast<std::size_t>(j)];
      for (Index i = 0; i < n; ++i) {
        r.A(i, j) = p.A(fast_.kept[static_cast<std::size_t>(i)], column);
      }
      r.b(j) = p.b(column);
    }
    for (std::size_t k = 0; k < p.friction.size(); ++k) {
      FrictionBound f = p.friction[k];
      const Index normal = f.normal < 0 ? -1 : at(f.normal);
      if (at(f.first) >= 0) {
        f.first = at(f.first);
        f.normal = normal;
        if (normal < 0) f.mu_plus = f.mu_minus = 0.0;
        r.friction.push_back(f);
        continue;
      }
      if (!fast_.friction[k]) continue;
      for (Index d = 0; d < f.dim; ++d) {
        double per_normal = 0.0, given = 0.0;
        slip_force(f, fast_.direction, d, per_normal, given);
        for (Index i = 0; i < n; ++i) {
          const double a = p.A(fast_.kept[static_cast<std::size_t>(i)], f.first + d);
          if (normal >= 0) r.A(i, normal) += per_normal * a;
          r.b(i) += given * a;
        }
      }
    }
    const double unit = reciprocal_power_of_two(r.b.lpNorm<Eigen::Infinity>());
    r.b *= unit;
    for (FrictionBound& f : r.friction) {
      f.bound_plus *= unit;
      f.bound_minus *= unit;
    }
    solve_whole(r, nullptr);
    if (r.status != LcpStatus::Solved) return false;
    for (Index i = 0; i < n; ++i) p.x(fast_.kept[static_cast<std::size_t>(i)]) = r.x(i) / unit;
  }
  for (std::size_t k = 0; k < p.friction.size(); ++k) {
    if (!fast_.friction[k]) continue;
    const FrictionBound& f = p.friction[k];
    for (Index d = 0; d < f.dim; ++d) {
      double per_normal = 0.0, given = 0.0;
      slip_force(f, fast_.direction, d, per_normal, given);
      p.x(f.first + d) = per_normal * normal_force(p, f) + given;
    }
  }
  return true;
}

namespace {

// Return true if a force is on the rim without slip, to a millionth of the sum of its terms.
bool meets(double force, double radius, const Row& row) {
  return force > 0.0 && std::abs(force - radius) <= impact::kOnRim * radius &&
         std::abs(row.y) <= impact::kOnRim * row.terms;
}

}  // namespace

// Set up the equations F = 0 of the pieces of the law that contain the current point, and their
// derivative. They are y = 0 for closed or sticking rows, and x_N = 0 for open rows. In sliding
// rows x_T is on the rim in the direction of τ = s x_T - y_T. With `corners`, a part that sticks on
// its rim, or nearly does, satisfies both conditions, each with its own equation. Dependent
// contacts may do so.
void ContactSolver::linearise(const ContactProblem& p, bool corners, Vector& F, Matrix& J) const {
  const Index n = p.b.size(), parts = static_cast<Index>(p.friction.size());
  F.setZero(n + (corners ? parts : 0));
  J.setZero(F.size(), n);
  Index corner = n - 1;
  const auto hold = [&](Index row) {
    F(row) = Row(p, row).y;
    J.row(row) = p.A.row(row);
  };
  const auto fix = [&](Index row, double value) {
    F(row) = p.x(row) - value;
    J(row, row) = 1.0;
  };
  for (Index i = 0; i < p.n_N; ++i) {
    if (effect(p, i) * p.x(i) - Row(p, i).y > 0.0) {
      hold(i);
    } else {
      fix(i, 0.0);
    }
  }
  for (const FrictionBound& f : p.friction) {
    const Index T = f.first;
    const double s = effect(p, f), x_N = normal_force(p, f);
    const double tau = s * p.x(T) - Row(p, T).y;
    if (f.dim == 1) {
      const bool up = tau > 0.0;
      const double mu = up ? f.mu_plus : -f.mu_minus;
      const double bound = mu * x_N + (up ? f.bound_plus : -f.bound_minus);
      if (corners && meets(std::abs(p.x(T)), std::abs(bound), Row(p, T))) {
        hold(T);
        F(++corner) = p.x(T) - std::copysign(bound, p.x(T));
        J(corner, T) = 1.0;
        if (f.normal >= 0) J(corner, f.normal) -= std::copysign(mu, p.x(T));
        continue;
      }
      if (!(std::abs(tau) > s * std::abs(bound))) {
        hold(T);
        continue;
      }
      fix(T, bound);
      if (f.normal >= 0) J(T, f.normal) -= mu;
      continue;
    }
    const Eigen::Vector2d stretch(1.0, f.aspect);
    Eigen::Vector2d direction(tau, s * p.x(T + 1) / f.aspect - f.aspect * Row(p, T + 1).y);
    const double size = direction.norm(), radius = f.mu_plus * x_N + f.bound_plus;
    const Eigen::Vector2d force(p.x(T), p.x(T + 1) / f.aspect);
    if (corners && meets(force.norm(), radius, Row(p, T)) &&
        meets(force.norm(), radius, Row(p, T + 1))) {
      hold(T);
      hold(T + 1);
      F(++corner) = force.norm() - radius;
      for (Index d = 0; d < 2; ++d) J(corner, T + d) = force(d) / force.norm() / stretch(d);
      if (f.normal >= 0) J(corner, f.normal) -= f.mu_plus;
      continue;
    }
    if (!(size > s * radius)) {
      hold(T);
      hold(T + 1);
      continue;
    }
    direction /= size;
    const Eigen::Matrix2d turn =
        (radius / size) * (Eigen::Matrix2d::Identity() - direction * direction.transpose());
    for (Index d = 0; d < 2; ++d) {
      fix(T + d, stretch(d) * radius * direction(d));
      if (f.normal >= 0) J(T + d, f.normal) -= stretch(d) * f.mu_plus * direction(d);
      for (Index e = 0; e < 2; ++e) {
        J(T + d, T + e) -= stretch(d) * turn(d, e) * s / stretch(e);
        J.row(T + d) += stretch(d) * turn(d, e) * stretch(e) * p.A.row(T + e);
      }
    }
  }
}

// Apply Newton's method to these equations, with the smallest change if contacts are dependent. It
// is called if a solver was less accurate than the rows require, and allocates memory.
bool ContactSolver::polish(ContactProblem& p) {
  const Vector start = p.x;
  double least = row_defects(p).worst;
  Vector best = start;
  for (const bool corners : {false, true}) {
    p.x = start;
    if (least <= 1.0) break;
    improve(p, corners, least, best);
  }
  p.x = best;
  p.residual = row_defects(p).largest / std::max(1.0, p.b.lpNorm<Eigen::Infinity>());
  return least <= 1.0;
}

// Take Newton steps from p.x. `best` is the point with the smallest defect.
void ContactSolver::improve(ContactProblem& p, bool corners, double& least, Vector& best) const {
  const Index n = p.b.size();
  Vector F, scale(n);
  Matrix J;
  for (Index i = 0; i < n; ++i) scale(i) = 1.0 / std::sqrt(effect(p, i));
  for (int step = 0; step < kMostPolishes && !(least <= 1.0); ++step) {
    linearise(p, corners, F, J);
    // Scale rows to size one in x / scale, for both forces and velocities.
    for (Index j = 0; j < n; ++j) J.col(j) *= scale(j);
    for (Index i = 0; i < F.size(); ++i) {
      const double size = J.row(i).lpNorm<Eigen::Infinity>();
      if (!(size > 0.0)) continue;
      J.row(i) /= size;
      F(i) /= size;
    }
    if (!J.allFinite() || !F.allFinite()) break;
    RankedQr solver(dependence::kDependentEquation);
    solver.compute(J);
    p.x -= scale.cwiseProduct(solver.solve(F));
    for (Index i = 0; i < p.n_N; ++i) {
      const bool open = effect(p, i) * p.x(i) <= Row(p, i).y;
      if (open || p.x(i) < 0.0) p.x(i) = 0.0;
    }
    const double worst = row_defects(p).worst;
    if (!(worst < least)) continue;
    least = worst;
    best = p.x;
  }
}

}  // namespace nsmb
