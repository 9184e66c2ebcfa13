#include "nsmb/simulation/variation_jump.hpp"

namespace nsmb {

VariationJump::VariationJump(VariedSystems& systems, const TransitionOptions& options,
                             FrozenChoices& frozen)
    : systems_(systems),
      frozen_(frozen),
      jump_(systems.system(), options),
      other_side_(systems.system(), options),
      J_y_(systems.system().ny(), systems.columns()),
      rate_(systems.system().ny()),
      plus_(systems.system().ny()),
      minus_(systems.system().ny()) {}

void VariationJump::set_inputs(const ConstVectorRef& values) {
  jump_.base.mechanics.set_inputs(values);
  other_side_.mechanics.set_inputs(values);
}

void VariationJump::set_span(const TimeSpan& span) {
  jump_.base.mechanics.set_span(span);
  other_side_.mechanics.set_span(span);
}

// Differentiate the effect E in y⁺ = R(E(t, y)).
void VariationJump::follow_effect(double t, const ConstVectorRef& y, const EffectMap& effect,
                                  Vector& rate) {
  Neighbours& near = systems_.near;
  E_y_.resize(y.size(), y.size());
  for (Index i = 0; i < y.size(); ++i) {
    const double apart = near.vary(y, i);
    effect(t, near.y_plus, plus_);
    effect(t, near.y_minus, minus_);
    E_y_.col(i) = (plus_ - minus_) / apart;
  }
  const double apart = near.vary_along(t, y, rate);
  effect(near.t_plus, near.y_plus, plus_);
  effect(near.t_minus, near.y_minus, minus_);
  rate = (plus_ - minus_) / apart;
  acts_ = true;
}

void VariationJump::decide(const Transition& transition, const ElementModes& modes,
                           const ContactFeatures& features, std::size_t zeros) {
  const System& system = systems_.system();
  InstantDecisions& d = frozen_.decisions;
  d.impacts.clear();
  d.touching = transition.touching();
  d.features = features;
  d.resting = transition.roles().entry_rows;
  d.walls.assign(modes.size(), false);
  bool walls = false;
  for (std::size_t k = 0; k < transition.events().size(); ++k) {
    const TransitionEvent& event = transition.events()[k];
    if (event.kind == EventKind::Impact) d.impacts.push_back(event.course);
    for (std::size_t e = 0; e < modes.size(); ++e) d.walls[e] = d.walls[e] || event.elements[e];
  }
  for (std::size_t e = 0; e < modes.size(); ++e) {
    d.walls[e] = d.walls[e] || modes[e] == ElementMode::Closed;
    walls = walls || (d.walls[e] && system.wall(static_cast<Index>(e)) >= 0);
  }
  // If only the equations change, at a single zero, y⁺ = y.
  jumps_ = !d.impacts.empty() || walls || system.rows().spatial || zeros != 1;
}

void VariationJump::differentiate(double t, const ConstVectorRef& y, const Vector& rate) {
  const Index ny = y.size();
  J_y_.setZero();
  J_y_.leftCols(ny).setIdentity();
  rate_ = rate;
  smooth_ = true;
  if (jumps_) {
    differentiate_velocities(t, y, rate);
    smooth_ = jump_.is_smooth();
    differentiate_walls(t, y, rate);
  }
  if (acts_) J_y_.leftCols(ny) = (J_y_.leftCols(ny) * E_y_).eval();
  acts_ = false;
}

void VariationJump::differentiate_velocities(double t, const ConstVectorRef& y,
                                             const Vector& rate) {
  const System& system = systems_.system();
  Neighbours& near = systems_.near;
  JumpMechanics& own = systems_.own.mechanics;
  const InstantDecisions& decisions = frozen_.decisions;
  const Index nq = system.nq(), nu = system.nu(), ny = y.size();
  jump_.trace(t, y, decisions);
  for (Index j = nq; j < nq + nu; ++j) jump_.change(J_y_.col(j).segment(nq, nu));
  rate_.segment(nq, nu).noalias() = J_y_.block(nq, nq, nu, nu) * rate.segment(nq, nu);
  const auto change_between = [&](double t_plus, double t_minus, double distance, VectorRef du) {
    own.update(t_plus, near.y_plus, decisions);
    other_side_.update(t_minus, near.y_minus, decisions);
    du.setZero();
    jump_.change(&own, &other_side_, distance, du);
  };
  if (system.linear_form() == nullptr) {
    for (Index i = 0; i < nq; ++i) {
      const double apart = near.vary(y, i);
      change_between(t, t, apart, J_y_.col(i).segment(nq, nu));
    }
    const double apart = near.vary_along(t, y, rate);
    near.y_plus = near.y_minus = y;
    change_between(near.t_plus, near.t_minus, apart, plus_.head(nu));
    rate_.segment(nq, nu) += plus_.head(nu);
    rate_.segment(nq, nu).noalias() += J_y_.block(nq, 0, nu, nq) * rate.head(nq);
  }
  for (Index p = 0; p < systems_.parameters(); ++p) {
    JumpMechanics& plus = systems_.plus(p).mechanics;
    JumpMechanics& minus = systems_.minus(p).mechanics;
    plus.update(t, y, decisions);
    minus.update(t, y, decisions);
    jump_.change(&plus, &minus, systems_.distance(p), J_y_.col(ny + p).segment(nq, nu));
  }
}

// The wall of a closed element is at the position of the mass, (3.22).
void VariationJump::differentiate_walls(double t, const ConstVectorRef& y, const Vector& rate) {
  const System& system = systems_.system();
  Neighbours& near = systems_.near;
  Follower& own = systems_.own;
  const Index nq = system.nq();
  if (system.nx() == system.nx_own()) return;
  const auto place = [&](Follower& follower, double time, const ConstVectorRef& at, Index e) {
    follower.mechanics.mechanics.update_elements(time, at);
    return follower.mechanics.mechanics.elements.kinematics.gamma(e);
  };
  for (Index e = 0; e < system.ne(); ++e) {
    if (!frozen_.decisions.walls[static_cast<std::size_t>(e)] || system.wall(e) < 0) continue;
    const Index row = nq + system.nu() + system.wall(e);
    J_y_.row(row).setZero();
    for (Index i = 0; i < nq; ++i) {
      const double apart = near.vary(y, i);
      const double right = place(own, t, near.y_plus, e);
      J_y_(row, i) = (right - place(own, t, near.y_minus, e)) / apart;
    }
    for (Index p = 0; p < systems_.parameters(); ++p) {
      J_y_(row, y.size() + p) =
          (place(systems_.plus(p), t, y, e) - place(systems_.minus(p), t, y, e)) /
          systems_.distance(p);
    }
    const double apart = near.vary_along(t, y, rate);
    const double right = place(own, near.t_plus, near.y_plus, e);
    rate_(row) = (right - place(own, near.t_minus, near.y_minus, e)) / apart;
  }
}

}  // namespace nsmb
