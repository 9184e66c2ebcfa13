// Variational equations along one step of the motion: the exponential of a constant matrix, or
// Gauss collocation of order 8 on the motion as it was integrated.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/variation.hpp"

namespace nsmb {

namespace {

constexpr Index kStages = 4;
// Sizes of h ‖J‖ up to which one part of a step is accurate: (4!)⁴/(9 (8!)³) = 6e-10 of its ninth
// power for the collocation, a hundred terms of the exponential.
constexpr double kReach = 1.0;
constexpr double kExponentialReach = 4.0;
constexpr int kMostParts = 64;
// Part of the slip by which velocities are varied, at most.
constexpr double kSlipPart = 1e-3;
constexpr int kMostTerms = 100;

// Gauss points on [0, 1], their weights, and A of the collocation method.
struct GaussRule {
  Eigen::Matrix<double, kStages, 1> c, b;
  Eigen::Matrix<double, kStages, kStages> A;
};

GaussRule make_rule() {
  GaussRule rule;
  const double inner = std::sqrt(3.0 / 7.0 - 2.0 / 7.0 * std::sqrt(6.0 / 5.0));
  const double outer = std::sqrt(3.0 / 7.0 + 2.0 / 7.0 * std::sqrt(6.0 / 5.0));
  rule.c << 0.5 * (1.0 - outer), 0.5 * (1.0 - inner), 0.5 * (1.0 + inner), 0.5 * (1.0 + outer);
  // The rows of A and b integrate all powers below kStages exactly.
  Eigen::Matrix<double, kStages, kStages> powers, integrals;
  Eigen::Matrix<double, kStages, 1> full;
  for (Index k = 0; k < kStages; ++k) {
    const double order = static_cast<double>(k + 1);
    for (Index i = 0; i < kStages; ++i) {
      powers(k, i) = std::pow(rule.c(i), static_cast<double>(k));
      integrals(k, i) = std::pow(rule.c(i), order) / order;
    }
    full(k) = 1.0 / order;
  }
  const Eigen::PartialPivLU<Eigen::Matrix<double, kStages, kStages>> lu(powers);
  rule.b = lu.solve(full);
  rule.A = lu.solve(integrals).transpose();
  return rule;
}

const GaussRule& rule() {
  static const GaussRule gauss = make_rule();
  return gauss;
}

}  // namespace

// Where the location of an event ended beyond the step of the integrator, its end.
void Variation::state_on_step(double t, const Phase& phase, VectorRef y) const {
  const Integrator& integrator = phase.integrator();
  if (t < std::min(integrator.t(), phase.t())) {
    integrator.interpolate(std::max(t, integrator.t_old()), y);
  } else {
    y = phase.y();
  }
}

// The longest step of a velocity that leaves the direction of slip as it is, at the last update.
double Variation::slip_step(Index component) const {
  const Index j = component - system_.nq();
  const ContactRows& rows = system_.rows();
  const Mechanics& mechanics = own_.mechanics.mechanics;
  double step = std::numeric_limits<double>::infinity();
  if (!system_.has_curves() && !rows.spatial) return step;
  for (Index i = 0; i < rows.nc && j >= 0 && j < system_.nu(); ++i) {
    if (!is_slip(roles_[static_cast<std::size_t>(i)].state)) continue;
    const auto w = mechanics.contacts.W_T.row(j).segment(rows.tangent(i), rows.dim(i));
    const double slip = std::abs(mechanics.slip(i));
    if (slip > 0.0 && w.any()) step = std::min(step, kSlipPart * slip / w.norm());
  }
  return step;
}

void Variation::jacobian(double t, const ConstVectorRef& y, MatrixRef J) {
  if (own_.phase->rate_jacobian(t, y, J)) return;
  const bool constant = system_.linear_form() != nullptr;
  if (constant && has_constant_jacobian_) {
    J = constant_jacobian_;
    return;
  }
  // Friction that depends on the slip itself has no derivative where slip begins and ends.
  if (system_.has_curves() || system_.rows().spatial) own_.mechanics.update(t, y, decisions_);
  for (Index i = 0; i < n_; ++i) {
    const double apart = vary(y, i, slip_step(i));
    own_.phase->rate(t, y_plus_, side_);
    own_.phase->rate(t, y_minus_, other_);
    J.col(i) = (side_ - other_) / apart;
  }
  has_constant_jacobian_ = constant;
  if (constant) constant_jacobian_ = J;
}

void Variation::parameter_rates(double t, const ConstVectorRef& y, MatrixRef B) {
  for (std::size_t p = 0; p < shifts_.size(); ++p) {
    plus_[p]->phase->rate(t, y, side_);
    minus_[p]->phase->rate(t, y, other_);
    B.col(static_cast<Index>(p)) = (side_ - other_) / shifts_[p].distance;
  }
}

// ‖J²‖ of the scaled matrix is that of the frequencies, whatever the units.
int Variation::parts_of_step(double h) {
  scaled_ = J_;
  for (Index i = 0; i < n_; ++i) {
    scaled_.row(i) /= size(i);
    scaled_.col(i) *= size(i);
  }
  term_.leftCols(n_).noalias() = scaled_ * scaled_;
  const double rate = std::sqrt(term_.leftCols(n_).norm());
  const double reach = own_.phase->is_linear() ? kExponentialReach : kReach;
  const double parts = std::ceil(std::abs(h) * rate / reach);
  return static_cast<int>(std::clamp(parts, 1.0, static_cast<double>(kMostParts)));
}

// Y := exp(hJ) Y by its power series, in place.
void Variation::multiply_exponential(double h, MatrixRef Y) {
  auto term = term_.leftCols(Y.cols());
  auto product = next_.leftCols(Y.cols());
  term = Y;
  for (int k = 1; k <= kMostTerms; ++k) {
    product.noalias() = J_ * term;
    term = product * (h / static_cast<double>(k));
    Y += term;
    const double last = term.cwiseAbs().maxCoeff();
    if (last <= 1e-17 * Y.cwiseAbs().maxCoeff()) break;
  }
}

// exp(hJ) Y; by parameters, what the motions of the systems beside this one are apart at the end.
void Variation::propagate_linear(double t, double h, const Phase& phase) {
  own_.phase->rate_jacobian(t, phase.y(), J_);
  const int parts = parts_of_step(h);
  for (int k = 0; k < parts; ++k) multiply_exponential(h / parts, Y_);
  if (parameters() == 0) return;
  state_on_step(t, phase, y_);
  for (std::size_t p = 0; p < shifts_.size(); ++p) {
    side_ = other_ = y_;
    const bool moved = plus_[p]->phase->move(t, h, side_);
    if (!minus_[p]->phase->move(t, h, other_) || !moved) {
      note(t, VariationNote::Unknown, -1);
      continue;
    }
    Y_.col(n_ + static_cast<Index>(p)) += (side_ - other_) / shifts_[p].distance;
  }
}

// K_i = J_i (Y + h Σ a_ij K_j) + B_i,  Y := Y + h Σ b_i K_i
void Variation::propagate(double t, double h, const Phase& phase) {
  const Index np = parameters();
  state_on_step(t + 0.5 * h, phase, y_);
  jacobian(t + 0.5 * h, y_, J_);
  const int parts = parts_of_step(h);
  const double part = h / parts;
  const GaussRule& gauss = rule();
  for (int k = 0; k < parts; ++k) {
    for (Index i = 0; i < kStages; ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      const double place = (k + gauss.c(i)) * part;
      state_on_step(t + place, phase, y_);
      jacobian(t + place, y_, J_s_[at]);
      if (np > 0) parameter_rates(t + place, y_, B_s_[at]);
      for (Index j = 0; j < kStages; ++j) {
        auto block = stages_.block(i * n_, j * n_, n_, n_);
        block = -part * gauss.A(i, j) * J_s_[at];
        if (i == j) block.diagonal().array() += 1.0;
      }
      auto right = right_.middleRows(i * n_, n_);
      right.noalias() = J_s_[at] * Y_;
      if (np > 0) right.rightCols(np) += B_s_[at];
    }
    lu_.compute(stages_);
    solution_.noalias() = lu_.permutationP() * right_;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(solution_);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(solution_);
    for (Index i = 0; i < kStages; ++i) {
      Y_ += part * gauss.b(i) * solution_.middleRows(i * n_, n_);
    }
  }
}

void Variation::step(const Phase& phase) {
  const double t = phase.integrator().t_old();
  const double h = phase.duration();
  scale_ = scale_.cwiseMax(phase.y().cwiseAbs());
  if (!(h > 0.0)) return;
  longest_step_ = std::max(longest_step_, h);
  own_.phase->adopt(phase);
  for (const auto& follower : plus_) follower->phase->adopt(phase);
  for (const auto& follower : minus_) follower->phase->adopt(phase);
  state_on_step(t, phase, y_);
  reach_ = reach_.cwiseMax((phase.y() - y_).cwiseAbs());
  before_step_ = Y_;
  try {
    if (own_.phase->is_linear()) {
      propagate_linear(t, h, phase);
    } else {
      propagate(t, h, phase);
    }
  } catch (...) {
    Y_ = before_step_;  // the step will be taken anew
    throw;
  }
}

}  // namespace nsmb
