// Events of the user, differentiated: their times, and what effects do.
#include "nsmb/simulation/variation.hpp"

namespace nsmb {

void Variation::add_user_zero(double t, const ConstVectorRef& y, const TimedFunction& f) {
  const Index number = static_cast<Index>(zero_count_);
  Zero& zero = next_zero();
  zero.contact = -2 - number;  // the same as none
  zero.label = -1;
  zero.is_contact = false;
  zero.known = true;
  for (Index i = 0; i < n_; ++i) {
    const double apart = near_.vary(y, i);
    zero.row(i) = (f(t, near_.y_plus) - f(t, near_.y_minus)) / apart;
  }
  const double apart = near_.vary_along(t, y, f_minus_);
  zero.slope = (f(near_.t_plus, near_.y_plus) - f(near_.t_minus, near_.y_minus)) / apart;
}

void Variation::add_fixed_time() {
  Zero& zero = next_zero();
  zero.contact = zero.label = -1;
  zero.is_contact = zero.known = true;
  zero.slope = 1.0;
}

// y⁺ = R(E(t, y)): E_y, and E_y f⁻ + E_t in the place of f⁻ for what follows it.
void Variation::follow_effect(double t, const ConstVectorRef& y, const EffectMap& effect) {
  E_y_.resize(n_, n_);
  for (Index i = 0; i < n_; ++i) {
    const double apart = near_.vary(y, i);
    effect(t, near_.y_plus, side_);
    effect(t, near_.y_minus, other_);
    E_y_.col(i) = (side_ - other_) / apart;
  }
  const double apart = near_.vary_along(t, y, f_minus_);
  effect(near_.t_plus, near_.y_plus, side_);
  effect(near_.t_minus, near_.y_minus, other_);
  f_minus_ = (side_ - other_) / apart;
  acts_ = true;
}

void Variation::pass(double t, const ConstVectorRef& y, const Phase& phase,
                     const std::vector<TimedFunction>& functions) {
  before(t, y, phase, {});
  for (const TimedFunction& f : functions) add_user_zero(t, y, f);
  check_zeros(t, y);
  dt_.setZero();
  if (zero_count_ > 0 && zeros_[0].known) dt_ = zeros_[0].time;
  f_plus_ = f_minus_;
  zero_count_ = 0;
  close_part(t, true);
}

}  // namespace nsmb
