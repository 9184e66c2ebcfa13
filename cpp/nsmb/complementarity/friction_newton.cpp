// Semismooth Newton method on the projection equations, (30)-(37).
//
// A branch of the projection fixes part of the step: an open contact goes to x = 0, a sliding part
// to its rim. The remaining unknowns z are few, dx = dx_0 + R z:
//
//   closed contact   dx_N, and with it μ dx_N e for the discs that slide on it, e = τ_T / |τ_T|,
//   sticking, free   dx_T, dx_F,
//   sliding disc     dx_T along t ⟂ e:  (1 - κ) tᵀdx_T + κ tᵀdy_T = -tᵀx_T,  κ = ρ / |τ_T|,
//
// the other unknowns having the rows dy = -y. Dependent contacts usually make this system singular.
// A small multiple of E added to A selects a short step and does not change any solution: every
// step is one of the proximal point method, solved by one Newton step.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/friction_lu.hpp"
#include "nsmb/complementarity/friction_scaled.hpp"
#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

using Kind = FrictionPart::Kind;

class NewtonRun {
 public:
  NewtonRun(const ScaledFriction& problem, const Proximal& proximal, NewtonScratch& scratch,
            FrictionIterate& it)
      : p_(problem), proximal_(proximal), s_(scratch), it_(it) {}

  bool run(const NewtonOptions& options, int& iterations);

 private:
  double weight(Index i) const { return proximal_.weight ? (*proximal_.weight)[i] : 0.0; }
  Index number_unknowns();
  void assemble_columns();
  void add_column(Index column, double factor, Index i);
  void assemble_system(Index m);
  bool find_step();
  void move(double alpha);
  bool search();

  const ScaledFriction& p_;
  const Proximal& proximal_;
  NewtonScratch& s_;
  FrictionIterate& it_;
  std::array<double, 4> norms_{};
  double levenberg_ = 0.0;  // of the most recent steps, for the line search
};

Index NewtonRun::number_unknowns() {
  Index m = 0;
  for (std::size_t k = 0; k < p_.parts.size(); ++k) {
    const Index size = it_.state[k] == PartState::Held     ? p_.parts[k].dim
                       : it_.state[k] == PartState::Slides ? p_.parts[k].dim - 1
                                                           : 0;
    s_.column[k] = size > 0 ? m : -1;
    m += size;
  }
  return m;
}

/// Add factor (A + diag(weight))(:, i) to columns(:, column).
void NewtonRun::add_column(Index column, double factor, Index i) {
  s_.columns.col(column) += factor * p_.A.col(i);
  if (proximal_.weight) s_.columns(i, column) += factor * weight(i);
}

/// Compute the columns A R, the fixed part dx_0 of the step in s_.dx, and A dx_0 in s_.dy.
void NewtonRun::assemble_columns() {
  s_.dx.setZero();
  Index normal_column = -1;
  for (std::size_t k = 0; k < p_.parts.size(); ++k) {
    const FrictionPart& part = p_.parts[k];
    const Index i = part.first;
    const Index c = s_.column[k];
    if (part.kind == Kind::Normal) normal_column = c;
    if (it_.state[k] == PartState::Zero) {
      s_.dx.segment(i, part.dim) = -it_.x.segment(i, part.dim);
    } else if (it_.state[k] == PartState::Held) {
      for (Index q = 0; q < part.dim; ++q) {
        s_.columns.col(c + q).setZero();
        add_column(c + q, 1.0, i + q);
      }
    } else {
      const bool closed = part.normal >= 0 && normal_column >= 0;
      const double radius = part.bound + (closed ? part.mu * it_.x[part.normal] : 0.0);
      const auto tau = it_.tau.segment(i, part.dim);
      const double size = part.dim == 1 ? std::abs(tau[0]) : tau.norm();
      double along = radius;
      for (Index q = 0; q < part.dim; ++q) along -= tau[q] / size * it_.x[i + q];
      for (Index q = 0; q < part.dim; ++q) {
        s_.dx[i + q] = along * tau[q] / size;
        if (closed) add_column(normal_column, part.mu * tau[q] / size, i + q);
      }
      if (part.dim == 2) {
        s_.columns.col(c).setZero();
        add_column(c, -tau[1] / size, i);
        add_column(c, tau[0] / size, i + 1);
      }
    }
  }
  s_.dy.setZero();
  for (Index j = 0; j < s_.dx.size(); ++j) {
    if (s_.dx[j] == 0.0) continue;
    s_.dy += s_.dx[j] * p_.A.col(j);
    s_.dy[j] += weight(j) * s_.dx[j];
  }
}

void NewtonRun::assemble_system(Index m) {
  Eigen::Map<Matrix> K(s_.K.data(), m, m);
  for (std::size_t k = 0; k < p_.parts.size(); ++k) {
    const FrictionPart& part = p_.parts[k];
    const Index i = part.first;
    const Index c = s_.column[k];
    if (c < 0) continue;
    if (it_.state[k] == PartState::Held) {
      for (Index q = 0; q < part.dim; ++q) {
        K.row(c + q) = s_.columns.row(i + q).head(m);
        K(c + q, c + q) += levenberg_;
        s_.rhs[c + q] = -it_.y[i + q] - s_.dy[i + q];
      }
    } else {
      const double size = it_.tau.segment<2>(i).norm();
      const double t_1 = -it_.tau[i + 1] / size;
      const double t_2 = it_.tau[i] / size;
      const double rim = it_.rim[static_cast<Index>(k)];
      K.row(c) = rim * t_1 * s_.columns.row(i).head(m) + rim * t_2 * s_.columns.row(i + 1).head(m);
      K(c, c) += 1.0 - rim + rim * levenberg_;
      s_.rhs[c] = -t_1 * (it_.x[i] + rim * s_.dy[i]) - t_2 * (it_.x[i + 1] + rim * s_.dy[i + 1]);
    }
  }
}

/// Compute dx and dy = A dx. Return false if the system is singular despite the Levenberg term.
bool NewtonRun::find_step() {
  const Index m = number_unknowns();
  assemble_columns();
  assemble_system(m);
  Eigen::Map<Matrix> K(s_.K.data(), m, m);
  if (!solve_in_place(K, s_.rhs.head(m), s_.pivots)) return false;
  double normal_step = 0.0;
  for (std::size_t k = 0; k < p_.parts.size(); ++k) {
    const FrictionPart& part = p_.parts[k];
    const Index i = part.first;
    const Index c = s_.column[k];
    if (part.kind == Kind::Normal) normal_step = c < 0 ? 0.0 : s_.rhs[c];
    if (it_.state[k] == PartState::Held) {
      s_.dx.segment(i, part.dim) += s_.rhs.segment(c, part.dim);
    } else if (it_.state[k] == PartState::Slides) {
      const auto tau = it_.tau.segment(i, part.dim);
      const double size = part.dim == 1 ? std::abs(tau[0]) : tau.norm();
      if (part.normal >= 0) s_.dx.segment(i, part.dim) += part.mu * normal_step / size * tau;
      if (part.dim == 1) continue;
      s_.dx[i] -= s_.rhs[c] * tau[1] / size;
      s_.dx[i + 1] += s_.rhs[c] * tau[0] / size;
    }
  }
  s_.dy.noalias() += s_.columns.leftCols(m) * s_.rhs.head(m);
  return s_.dx.allFinite() && s_.dy.allFinite();
}

void NewtonRun::move(double alpha) {
  it_.x = s_.x_old + alpha * s_.dx;
  it_.y = s_.y_old + alpha * s_.dy;
  evaluate_projection(p_.parts, it_);
}

/// Try step lengths 1, 1/2, ... until ‖F‖ falls below the largest of the last steps. Otherwise take
/// the best one.
bool NewtonRun::search() {
  constexpr int kHalvings = 6;
  const double limit = *std::max_element(norms_.begin(), norms_.end());
  s_.x_old = it_.x;
  s_.y_old = it_.y;
  double best = std::numeric_limits<double>::infinity();
  double best_alpha = 0.0;
  double alpha = 1.0;
  for (int k = 0; k <= kHalvings; ++k, alpha *= 0.5) {
    move(alpha);
    if (it_.norm2 <= (1.0 - mixed_tuning::kSufficientDecrease * alpha) * limit) return true;
    if (it_.norm2 < best) {
      best = it_.norm2;
      best_alpha = alpha;
    }
  }
  move(best_alpha);
  return best_alpha > 0.0;
}

bool NewtonRun::run(const NewtonOptions& options, int& iterations) {
  double previous = std::numeric_limits<double>::infinity();
  evaluate_y(p_, proximal_, it_);
  evaluate_projection(p_.parts, it_);
  for (int k = 0; k < options.max_iterations; ++k) {
    const double size = std::max(1.0, it_.x.lpNorm<Eigen::Infinity>());
    if (k > 0 && it_.largest <= friction::kNearSolution * size) {
      evaluate_y(p_, proximal_, it_);
      evaluate_projection(p_.parts, it_);
    }
    if (it_.largest <= options.target * size) return true;
    if (it_.largest <= friction::kNewtonRounding * size && it_.largest > 0.5 * previous)
      return true;
    previous = it_.largest;
    if (k == 0) norms_.fill(it_.norm2);
    norms_[static_cast<std::size_t>(k) % norms_.size()] = it_.norm2;
    levenberg_ =
        std::clamp(friction_tuning::kLevenbergShare * it_.norm2,
                   friction_tuning::kLevenbergSmallest, friction_tuning::kLevenbergLargest);
    ++iterations;
    if (!find_step() || !search()) break;
  }
  evaluate_y(p_, proximal_, it_);
  evaluate_projection(p_.parts, it_);
  return it_.largest <= friction::kNewtonRounding * std::max(1.0, it_.x.lpNorm<Eigen::Infinity>());
}

}  // namespace

void NewtonScratch::resize(const ScaledFriction& problem) {
  const Index n = problem.b.size();
  const auto parts = problem.parts.size();
  K.resize(n * n);
  columns.resize(n, n);
  for (Vector* v : {&rhs, &dx, &dy, &x_old, &y_old, &weight}) v->resize(n);
  column.resize(parts);
  pivots.resize(static_cast<std::size_t>(n));
}

bool run_newton(const ScaledFriction& problem, const Proximal& proximal,
                const NewtonOptions& options, NewtonScratch& scratch, FrictionIterate& it,
                int& iterations) {
  return NewtonRun(problem, proximal, scratch, it).run(options, iterations);
}

}  // namespace nsmb::internal
