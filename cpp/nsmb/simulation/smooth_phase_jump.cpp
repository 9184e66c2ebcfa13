// Jumps of the equations in time that nobody told of, as loads that a function of the user
// switches.
#include <algorithm>
#include <cmath>

#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// On a way that was halved so often a slope changes by little of what it did, a jump by all of it.
constexpr int kWider = 6;
constexpr double kJump = 0.75;

}  // namespace

// Does the observable that is not resolved on the last step jump there in time, between two values
// of t that nothing lies between? Then jump_ is where.
bool SmoothPhase::find_jump() {
  if (unresolved_contact_ < 0) return false;
  const Index i = unresolved_contact_;
  const Observable o = unresolved_;
  const auto value_at = [&](double t) {
    integrator_->interpolate(t, y_scratch_);
    observe(t, y_scratch_, check_sample_);
    return check_sample_.contacts(i, o);
  };
  const double t_old = integrator_->t_old();
  const auto place = [&](Index j) {
    return j == 0 ? t_old : j == kNodes ? t_ : t_old + nodes_(j - 1) * (t_ - t_old);
  };
  const auto sampled = [&](Index j) {
    return samples_[static_cast<std::size_t>(j)].contacts(i, o);
  };
  Index widest = 0;
  for (Index j = 1; j < kNodes; ++j) {
    const double change = std::abs(sampled(j + 1) - sampled(j));
    if (change > std::abs(sampled(widest + 1) - sampled(widest))) widest = j;
  }
  double low = place(widest), high = place(widest + 1);
  double at_low = sampled(widest), at_high = sampled(widest + 1);
  double before = std::abs(at_high - at_low), wider = before;
  for (int halvings = 0;; ++halvings) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    if (halvings % kWider == 0) {
      wider = before;
      before = std::abs(at_high - at_low);
    }
    const double value = value_at(middle);
    if (!std::isfinite(value)) return false;
    const bool first_half = std::abs(value - at_low) > std::abs(at_high - value);
    (first_half ? high : low) = middle;
    (first_half ? at_high : at_low) = value;
  }
  const double change = std::abs(at_high - at_low);
  if (!(change > kJump * wider)) return false;
  at_low = value_at(low);
  if (!(change > std::max(noise(i, o), rounding_(i, o)))) return false;
  // At one state, before and behind.
  observe(high, y_scratch_, check_sample_);
  if (!(std::abs(check_sample_.contacts(i, o) - at_low) > kJump * change)) return false;
  jump_ = high;
  if (mechanics_.system().has_features()) mechanics_.contacts.features = features_;
  return true;
}

}  // namespace nsmb
