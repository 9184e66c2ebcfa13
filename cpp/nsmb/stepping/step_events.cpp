#include "nsmb/stepping/step_events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/crossing_search.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Limit of trial steps for one event. A function that jumps needs repeated halving.
constexpr int kMostTries = 60;

}  // namespace

StepEvents::StepEvents(std::vector<UserEvent> events, Mechanics& mechanics, Stepper& stepper)
    : actions_(mechanics.system(), std::move(events), mechanics),
      next_(mechanics.system()),
      stepper_(stepper),
      curve_(mechanics),
      place_(CrossingSearch::kNever),
      y_(mechanics.system().ny()) {}

bool StepEvents::finds(const RunState& from, double h, const RunState& end, bool ends_run) {
  curve_.lay(from, end, h);
  place_ = events().search(curve_, 1.0, ends_run);
  return place_ <= 1.0;
}

// Return the function, positive before the event, at the end of a step of length h. It is NaN if
// the step has no end.
double StepEvents::value_after(double h, StepOutcome& outcome) {
  stepper_.go_back();
  stepper_.step(*from_, h, outcome);
  if (outcome.interrupted || !outcome.end.y.allFinite()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sign_ * function_(outcome.end.t, outcome.end.y);
}

// Return the rate of decrease of the function along the curve, per fraction of the step.
double StepEvents::slope_near(double s) {
  const double width = std::min(s, user_events::kSlope);
  const auto value = [&](double at) {
    curve_.state_at(at, y_);
    return sign_ * function_(curve_.t_old() + at * curve_.duration(), y_);
  };
  return (value(s - width) - value(s)) / width;
}

// Two step lengths: after the first the event has not yet occurred, after the second it has.
struct StepEvents::Bracket {
  double before, after;
  bool has_after;

  double width() const { return after - before; }
};

double StepEvents::locate(const RunState& from, double h, StepOutcome& outcome) {
  if (place_ == 0.0) return 0.0;
  from_ = &from;
  function_ = events().function();
  sign_ = events().sign_before();
  const double close = std::max(user_events::kLocated * h,
                                4.0 * std::numeric_limits<double>::epsilon() * std::abs(from.t));
  curve_.state_at(1.0, y_);
  Bracket bracket{0.0, h, sign_ * function_(curve_.t(), y_) < 0.0};
  double slope = slope_near(place_) / h;  // rate of decrease of the function, 1/s
  double x = std::min(place_ * h, h), before_x = 0.0, before_value = 0.0, wide = bracket.width();
  double beyond = close;  // largest increase of the next trial until one has ended after the event
  for (int tries = 0; tries < kMostTries; ++tries) {
    const double value = value_after(x, outcome);
    if (std::isnan(value)) return x;
    if (value > 0.0) {
      bracket.before = x;
    } else {
      bracket.after = x;
      bracket.has_after = true;
    }
    if (bracket.has_after && bracket.width() <= close) break;
    if (!bracket.has_after && x >= h) {  // the function has turned back
      place_ = CrossingSearch::kNever;
      return h;
    }
    if (tries > 0 && x != before_x) slope = (before_value - value) / (x - before_x);
    before_x = x;
    before_value = value;
    // The target is beyond the zero by half the tolerance, so that both ends of the bracket
    // converge.
    const double target = x + value / slope + (value > 0.0 ? 0.5 : -0.5) * close;
    if (!bracket.has_after) {
      x = std::min(h, std::max(target > x ? std::min(target, x + beyond) : 0.0, x + close));
      beyond *= 8.0;
      continue;
    }
    // Halve the bracket where the function jumps or its slope is no guide.
    const bool is_slow = tries % 3 == 2 && bracket.width() > 0.5 * wide;
    if (tries % 3 == 2) wide = bracket.width();
    const bool is_inside = target > bracket.before && target < bracket.after;
    x = is_inside && !is_slow ? target : 0.5 * (bracket.before + bracket.after);
  }
  if (x != bracket.after) value_after(x = bracket.after, outcome);
  return x;
}

const RunState& StepEvents::act(const RunState& state) {
  next_ = state;
  actions_.apply(state, next_);
  return next_;
}

void StepEvents::pass(const RunState& state) {
  events().pass(std::min(place_, 1.0));
  if (place_ <= 1.0) events().fire(state.t, state.y);
  place_ = CrossingSearch::kNever;
}

}  // namespace nsmb
