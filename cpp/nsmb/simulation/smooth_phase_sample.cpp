// What is looked at on a step, and where.
#include <algorithm>
#include <limits>

#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

void SmoothPhase::sample() {
  if (sampled_) return;
  const double t_old = integrator_->t_old();
  integrator_->interpolate(t_old, sampled_y_.col(0));
  observe(t_old, sampled_y_.col(0), samples_[0]);
  gaps_only_ = shows_gaps_only();
  for (Index j = 0; j < kNodes; ++j) {
    const double t = node_state(j, sampled_y_.col(j + 1));
    look(t, sampled_y_.col(j + 1), samples_[static_cast<std::size_t>(j + 1)]);
  }
  if (contact_rows_.spatial && !gaps_only_) follow_sides();
  sampled_ = true;
}

void SmoothPhase::look(double t, const ConstVectorRef& y, Observation& observation) {
  if (gaps_only_) {
    observe_gaps(t, y, observation);
  } else {
    observe(t, y, observation);
  }
}

// Velocities and accelerations of open contacts matter where a gap begins at zero.
bool SmoothPhase::shows_gaps_only() const {
  if (!is_open_ || mechanics_.nb() > 0 || roles_.ask_law) return false;
  if (integrator_->t_old() == entered_) return false;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (!(samples_[0].contacts(i, kGap) > resolution(i, false))) return false;
  }
  return true;
}

// y at a node of [t_old, t_]; the last one is t_ itself.
double SmoothPhase::node_state(Index node, VectorRef y) const {
  if (node == kNodes - 1) {
    y = y_;
    return t_;
  }
  const double t_old = integrator_->t_old();
  const double t = std::min(t_old + nodes_(node) * (t_ - t_old), integrator_->t());
  integrator_->interpolate(t, y);
  return t;
}

// Of a step on which nothing but gaps and force elements is watched.
void SmoothPhase::observe_gaps(double t, const ConstVectorRef& y, Observation& observation) {
  if (!y.allFinite()) return observe(t, y, observation);
  mechanics_.update_gaps(t, y);
  auto gaps = observation.contacts.col(kGap);
  gaps = mechanics_.contacts.g_N;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (!mechanics_.contacts.is_valid(i)) gaps(i) = std::numeric_limits<double>::infinity();
  }
  observation.domain = mechanics_.contacts.domain;
  observation.margin = mechanics_.contacts.margin;
  observation.approach = mechanics_.contacts.g_N;
  if (mechanics_.system().ne() == 0) return;
  mechanics_.update_elements(t, y);
  observation.element_gamma = mechanics_.elements.kinematics.gamma;
  observation.element_force = mechanics_.elements.force;
  observation.element_switch = mechanics_.elements.switch_value;
}

// Rows chosen on the way, and what the law began from, are not known to another phase.
bool SmoothPhase::recalls() const {
  return !is_dependent_ && !roles_.ask_law && !roles_.law_forces && !contact_rows_.spatial &&
         mechanics_.nb() == 0;
}

}  // namespace nsmb
