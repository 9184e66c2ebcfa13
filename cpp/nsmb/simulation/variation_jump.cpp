// What an instant does to the state, differentiated with its decisions frozen.
#include "nsmb/simulation/variation.hpp"

namespace nsmb {

void Variation::decide(const Transition& transition, const ElementModes& modes,
                       const ContactFeatures& features) {
  InstantDecisions& d = decisions_;
  d.impacts.clear();
  d.touching = transition.touching();
  d.features = features;
  // `held` is what count_lost() has left of the state before.
  if (!begun_) d.held.assign(static_cast<std::size_t>(system_.rows().size()), false);
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
    walls = walls || (d.walls[e] && system_.wall(static_cast<Index>(e)) >= 0);
  }
  // Where nothing but the equations changes at one zero, y⁺ = y does.
  jumps_ = !d.impacts.empty() || walls || system_.rows().spatial || zero_count_ != 1;
}

// J_y, J_p and J_y f⁻ + J_t.
void Variation::differentiate_jump(double t, const ConstVectorRef& y) {
  const Index nq = system_.nq(), nu = system_.nu();
  J_y_.setZero();
  J_y_.leftCols(n_).setIdentity();
  jump_rate_ = f_minus_;
  smooth_ = true;
  if (!jumps_) return;
  jump_.trace(t, y, decisions_);
  for (Index j = nq; j < nq + nu; ++j) jump_.change(J_y_.col(j).segment(nq, nu));
  jump_rate_.segment(nq, nu).noalias() = J_y_.block(nq, nq, nu, nu) * f_minus_.segment(nq, nu);
  const auto change_between = [&](double t_plus, double t_minus, double distance, VectorRef du) {
    own_.mechanics.update(t_plus, near_.y_plus, decisions_);
    other_side_.update(t_minus, near_.y_minus, decisions_);
    du.setZero();
    jump_.change(&own_.mechanics, &other_side_, distance, du);
  };
  if (!constant_) {
    for (Index i = 0; i < nq; ++i) {
      const double apart = near_.vary(y, i);
      change_between(t, t, apart, J_y_.col(i).segment(nq, nu));
    }
    const double apart = near_.vary_along(t, y, f_minus_);
    near_.y_plus = near_.y_minus = y;
    change_between(near_.t_plus, near_.t_minus, apart, side_.head(nu));
    jump_rate_.segment(nq, nu) += side_.head(nu);
    jump_rate_.segment(nq, nu).noalias() += J_y_.block(nq, 0, nu, nq) * f_minus_.head(nq);
  }
  for (Index p = 0; p < parameters(); ++p) {
    const std::size_t k = static_cast<std::size_t>(p);
    plus_[k]->mechanics.update(t, y, decisions_);
    minus_[k]->mechanics.update(t, y, decisions_);
    jump_.change(&plus_[k]->mechanics, &minus_[k]->mechanics, shifts_[k].distance,
                 J_y_.col(n_ + p).segment(nq, nu));
  }
  smooth_ = jump_.is_smooth();
  differentiate_walls(t, y);
}

// The wall of a closed element is where the mass is, (3.22).
void Variation::differentiate_walls(double t, const ConstVectorRef& y) {
  const Index nq = system_.nq();
  if (system_.nx() == system_.nx_own()) return;
  const auto place = [&](Follower& follower, double time, const ConstVectorRef& at, Index e) {
    follower.mechanics.mechanics.update_elements(time, at);
    return follower.mechanics.mechanics.elements.kinematics.gamma(e);
  };
  for (Index e = 0; e < system_.ne(); ++e) {
    if (!decisions_.walls[static_cast<std::size_t>(e)] || system_.wall(e) < 0) continue;
    const Index row = nq + system_.nu() + system_.wall(e);
    J_y_.row(row).setZero();
    for (Index i = 0; i < nq; ++i) {
      const double apart = near_.vary(y, i);
      const double right = place(own_, t, near_.y_plus, e);
      J_y_(row, i) = (right - place(own_, t, near_.y_minus, e)) / apart;
    }
    for (Index p = 0; p < parameters(); ++p) {
      const std::size_t k = static_cast<std::size_t>(p);
      J_y_(row, n_ + p) =
          (place(*plus_[k], t, y, e) - place(*minus_[k], t, y, e)) / shifts_[k].distance;
    }
    const double apart = near_.vary_along(t, y, f_minus_);
    const double right = place(own_, near_.t_plus, near_.y_plus, e);
    jump_rate_(row) = (right - place(own_, near_.t_minus, near_.y_minus, e)) / apart;
  }
}

}  // namespace nsmb
