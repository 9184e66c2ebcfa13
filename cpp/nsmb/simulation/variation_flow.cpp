#include "nsmb/simulation/variation_flow.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kMostParts = 64;
constexpr int kMostTerms = 100;

// Compute the state on a step. If the location of an event ended beyond the integrator step, use
// its end.
void state_on_step(double t, const Phase& phase, VectorRef y) {
  const Integrator& integrator = phase.integrator();
  if (t < std::min(integrator.t(), phase.t())) {
    integrator.interpolate(std::max(t, integrator.t_old()), y);
  } else {
    y = phase.y();
  }
}

}  // namespace

VariationFlow::VariationFlow(VariedSystems& systems, const FrozenChoices& frozen)
    : systems_(systems),
      frozen_(frozen),
      n_(systems.system().ny()),
      y_(n_),
      plus_(n_),
      minus_(n_),
      scaled_(n_, n_),
      term_(n_, systems.columns()),
      product_(n_, systems.columns()),
      before_step_(n_, systems.columns()),
      J_(n_, n_),
      collocation_(n_, systems.columns(), systems.parameters()) {}

void VariationFlow::jacobian(double t, const ConstVectorRef& y, MatrixRef J) {
  const System& system = systems_.system();
  Follower& own = systems_.own;
  Neighbours& near = systems_.near;
  if (own.phase->rate_jacobian(t, y, J)) return;
  const bool constant = system.linear_form() != nullptr;
  if (constant && has_constant_jacobian_) {
    J = constant_jacobian_;
    return;
  }
  // Friction that depends on the slip itself has no derivative where slip starts and ends.
  if (system.has_curves() || system.rows().spatial) {
    own.mechanics.update(t, y, frozen_.decisions);
  }
  for (Index i = 0; i < n_; ++i) {
    const double apart = near.vary(y, i, systems_.slip_step(frozen_.roles, i));
    own.phase->rate(t, near.y_plus, plus_);
    own.phase->rate(t, near.y_minus, minus_);
    J.col(i) = (plus_ - minus_) / apart;
  }
  has_constant_jacobian_ = constant;
  if (constant) constant_jacobian_ = J;
}

void VariationFlow::parameter_rates(double t, const ConstVectorRef& y, MatrixRef B) {
  for (Index p = 0; p < systems_.parameters(); ++p) {
    systems_.plus(p).phase->rate(t, y, plus_);
    systems_.minus(p).phase->rate(t, y, minus_);
    B.col(p) = (plus_ - minus_) / systems_.distance(p);
  }
}

// Return the number of parts of a step. ‖J²‖ of the scaled matrix measures frequencies in any
// units.
int VariationFlow::parts_of_step(double h) {
  scaled_ = J_;
  for (Index i = 0; i < n_; ++i) {
    scaled_.row(i) /= systems_.near.size(i);
    scaled_.col(i) *= systems_.near.size(i);
  }
  term_.leftCols(n_).noalias() = scaled_ * scaled_;
  const double rate = std::sqrt(term_.leftCols(n_).norm());
  const double reach =
      systems_.own.phase->is_linear() ? derivatives::kExponentialReach : derivatives::kReach;
  const double parts = std::ceil(std::abs(h) * rate / reach);
  return static_cast<int>(std::clamp(parts, 1.0, static_cast<double>(kMostParts)));
}

// Compute Y := exp(hJ) Y by its power series, in place.
void VariationFlow::multiply_exponential(double h, MatrixRef Y) {
  auto term = term_.leftCols(Y.cols());
  auto product = product_.leftCols(Y.cols());
  term = Y;
  for (int k = 1; k <= kMostTerms; ++k) {
    product.noalias() = J_ * term;
    term = product * (h / static_cast<double>(k));
    Y += term;
    const double last = term.cwiseAbs().maxCoeff();
    if (last <= 1e-17 * Y.cwiseAbs().maxCoeff()) break;
  }
}

// Compute exp(hJ) Y. Parameter columns are differences between the motions of the varied systems.
Index VariationFlow::propagate_linear(double t, double h, const Phase& phase, Matrix& Y) {
  systems_.own.phase->rate_jacobian(t, phase.y(), J_);
  const int parts = parts_of_step(h);
  for (int k = 0; k < parts; ++k) multiply_exponential(h / parts, Y);
  if (systems_.parameters() == 0) return 0;
  state_on_step(t, phase, y_);
  Index unknown = 0;
  for (Index p = 0; p < systems_.parameters(); ++p) {
    plus_ = minus_ = y_;
    const bool moved = systems_.plus(p).phase->move(t, h, plus_);
    if (!systems_.minus(p).phase->move(t, h, minus_) || !moved) {
      ++unknown;
      continue;
    }
    Y.col(n_ + p) += (plus_ - minus_) / systems_.distance(p);
  }
  return unknown;
}

// Propagate along a step of the motion as it was integrated.
void VariationFlow::propagate(double t, double h, const Phase& phase, Matrix& Y) {
  state_on_step(t + 0.5 * h, phase, y_);
  jacobian(t + 0.5 * h, y_, J_);
  const int parts = parts_of_step(h);
  const double part = h / parts;
  for (int k = 0; k < parts; ++k) {
    for (Index i = 0; i < GaussCollocation::kStages; ++i) {
      const double place = (k + GaussCollocation::place(i)) * part;
      state_on_step(t + place, phase, y_);
      jacobian(t + place, y_, collocation_.J(i));
      if (systems_.parameters() > 0) parameter_rates(t + place, y_, collocation_.B(i));
    }
    collocation_.step(part, Y);
  }
}

Index VariationFlow::step(const Phase& phase, Matrix& Y) {
  const double t = phase.integrator().t_old();
  const double h = phase.duration();
  systems_.near.see(phase.y());
  if (!(h > 0.0)) return 0;
  systems_.adopt(phase);
  state_on_step(t, phase, y_);
  systems_.near.see_way(phase.y() - y_, h);
  before_step_ = Y;
  try {
    if (systems_.own.phase->is_linear()) return propagate_linear(t, h, phase, Y);
    propagate(t, h, phase, Y);
  } catch (...) {
    Y = before_step_;  // the step will be taken again
    throw;
  }
  return 0;
}

}  // namespace nsmb
