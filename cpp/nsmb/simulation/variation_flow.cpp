// Variational equations along one step of the motion: the exponential of a constant matrix, or
// Gauss collocation of order 8 on the motion as it was integrated.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/variation.hpp"

namespace nsmb {

namespace {

// Sizes of h ‖J‖ up to which one part of a step is accurate: (4!)⁴/(9 (8!)³) = 6e-10 of its ninth
// power for the collocation, a hundred terms of the exponential.
constexpr double kReach = 1.0;
constexpr double kExponentialReach = 4.0;
constexpr int kMostParts = 64;
// Part of the slip by which velocities are varied, at most.
constexpr double kSlipPart = 1e-3;
constexpr int kMostTerms = 100;

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
    const double apart = near_.vary(y, i, slip_step(i));
    own_.phase->rate(t, near_.y_plus, side_);
    own_.phase->rate(t, near_.y_minus, other_);
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
    scaled_.row(i) /= near_.size(i);
    scaled_.col(i) *= near_.size(i);
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

// Along a step of the motion as it was integrated.
void Variation::propagate(double t, double h, const Phase& phase) {
  state_on_step(t + 0.5 * h, phase, y_);
  jacobian(t + 0.5 * h, y_, J_);
  const int parts = parts_of_step(h);
  const double part = h / parts;
  for (int k = 0; k < parts; ++k) {
    for (Index i = 0; i < GaussCollocation::kStages; ++i) {
      const double place = (k + GaussCollocation::place(i)) * part;
      state_on_step(t + place, phase, y_);
      jacobian(t + place, y_, collocation_.J(i));
      if (parameters() > 0) parameter_rates(t + place, y_, collocation_.B(i));
    }
    collocation_.step(part, Y_);
  }
}

void Variation::step(const Phase& phase) {
  const double t = phase.integrator().t_old();
  const double h = phase.duration();
  near_.see(phase.y());
  if (!(h > 0.0)) return;
  own_.phase->adopt(phase);
  for (const auto& follower : plus_) follower->phase->adopt(phase);
  for (const auto& follower : minus_) follower->phase->adopt(phase);
  state_on_step(t, phase, y_);
  near_.see_way(phase.y() - y_, h);
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
