#include "nsmb/simulation/stall_watch.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Attempts of a window, as many as a hundred of the longest transients of a step size take.
constexpr long kWindow = 1000;
// Searches in a window. Chattering motion crosses its jump in many steps. A search on smooth motion
// takes about four slopes.
constexpr int kSearches = 20;
constexpr int kHalvings = 40;
// Consecutive windows with a jump: motion may pass one jump in a window, but three mean that it
// stays.
constexpr int kJumpWindows = 3;
constexpr int kSlowWindows = 200;

}  // namespace

StallWatch::StallWatch(Index n, double rtol)
    : rtol_(rtol),
      y_(Vector::Zero(n)),
      low_y_(n),
      high_y_(n),
      middle_y_(n),
      low_slope_(n),
      high_slope_(n),
      middle_slope_(n) {}

void StallWatch::reset() {
  attempts_ = 0;
  longest_ = 0.0;
  searches_ = jumps_ = slow_ = 0;
  component_ = -1;
}

void StallWatch::open_window(const Integrator& integrator) {
  const IntegratorStatistics now = integrator.statistics();
  attempts_ = now.steps + now.rejected;
  t_ = integrator.t();
  y_ = integrator.y();
  searches_ = 0;
}

bool StallWatch::stands_still(OdeProblem& problem, const Integrator& integrator,
                              const ConstVectorRef& scale) {
  const IntegratorStatistics now = integrator.statistics();
  longest_ = std::max(longest_, integrator.t() - integrator.t_old());
  if (attempts_ == 0) open_window(integrator);
  if (now.steps + now.rejected - attempts_ < kWindow) return false;
  const bool moved =
      ((integrator.y() - y_).array().abs() > standstill::kMoved * scale.array()).any();
  if (moved) {
    jumps_ = slow_ = 0;
    open_window(integrator);
    return false;
  }
  if (find_jump(problem, integrator, scale)) {
    open_window(integrator);
    return ++jumps_ == kJumpWindows;
  }
  if (++searches_ < kSearches) return false;
  jumps_ = 0;
  component_ = -1;
  slow_ = integrator.t() - t_ < standstill::kStalled * longest_ ? slow_ + 1 : 0;
  open_window(integrator);
  return slow_ == kSlowWindows;
}

// Search on the last step and, once in a window, around its end.
bool StallWatch::find_jump(OdeProblem& problem, const Integrator& integrator,
                           const ConstVectorRef& scale) {
  ++all_searches_;
  const double t_old = integrator.t_old(), t = integrator.t();
  least_ = standstill::kHarmlessJump * rtol_ / (t - t_old);
  integrator.interpolate(t_old, low_y_);
  high_y_ = integrator.y();
  if (jumps_between(problem, t_old, t, scale)) return true;
  if (searches_ > 0) return false;
  for (Index i = 0; i < scale.size(); ++i) {
    const double way =
        standstill::kNearJump * rtol_ * std::max(scale(i), std::abs(integrator.y()(i)));
    low_y_ = high_y_ = integrator.y();
    low_y_(i) -= way;
    high_y_(i) += way;
    if (jumps_between(problem, t, t, scale)) return true;
  }
  return false;
}

// Search on the straight line from (t_low, low_y_) to (t_high, high_y_).
bool StallWatch::jumps_between(OdeProblem& problem, double t_low, double t_high,
                               const ConstVectorRef& scale) {
  const auto slope_at = [&](double s, VectorRef slope) {
    middle_y_ = low_y_ + s * (high_y_ - low_y_);
    problem.rhs(t_low + s * (t_high - t_low), middle_y_, slope);
    return slope.allFinite();
  };
  if (!slope_at(0.0, low_slope_) || !slope_at(1.0, high_slope_)) return false;
  Index i = 0;
  ((high_slope_ - low_slope_).array().abs() / scale.array()).maxCoeff(&i);
  double low = low_slope_(i), high = high_slope_(i);
  const double whole = std::abs(high - low);
  if (!(whole > standstill::kSlopeJump * (std::abs(low) + std::abs(high)) &&
        whole > least_ * scale(i)))
    return false;
  double s_low = 0.0, s_high = 1.0;
  for (int k = 0; k < kHalvings; ++k) {
    const double s = 0.5 * (s_low + s_high);
    if (!slope_at(s, middle_slope_)) return false;
    const double middle = middle_slope_(i);
    const bool left = std::abs(middle - low) > std::abs(high - middle);
    (left ? s_high : s_low) = s;
    (left ? high : low) = middle;
    if (std::abs(high - low) < 0.5 * whole) return false;
  }
  component_ = i;
  before_ = low;
  after_ = high;
  return true;
}

}  // namespace nsmb
