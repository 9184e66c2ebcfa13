#include "nsmb/simulation/user_events.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Names reported where events do not end.
constexpr std::size_t kTold = 4;

}  // namespace

UserEvents::UserEvents(const System& system, std::vector<UserEvent> events)
    : system_(system),
      events_(std::move(events)),
      next_(events_.size(), 0),
      y_(Vector::Zero(system.ny())),
      moved_(y_),
      size_(y_) {
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].function) {
      watches_.emplace_back();
      watches_.back().event = k;
    }
  }
}

void UserEvents::reset(double t) {
  for (Watch& watch : watches_) {
    const std::size_t event = watch.event;
    watch = {};
    watch.event = event;
  }
  size_.setZero();
  fired_.clear();
  recent_.clear();
  for (std::size_t k = 0; k < events_.size(); ++k) {
    const UserEvent& event = events_[k];
    const double first = t - 4.0 * kEpsilon * std::abs(t);
    next_[k] = 0;
    if (event.period > 0.0) {
      const double passed = std::ceil((first - event.start) / event.period);
      next_[k] = static_cast<std::size_t>(std::max(0.0, passed));
      while (next_[k] > 0 && time_of(k, next_[k] - 1) >= first) --next_[k];
    }
    while (next_[k] < event.times.size() && event.times[next_[k]] < first) ++next_[k];
  }
  find_next_time();
}

// Multiply, since sums of periods would drift.
double UserEvents::time_of(std::size_t k, std::size_t number) const {
  const UserEvent& event = events_[k];
  if (event.period > 0.0) return event.start + static_cast<double>(number) * event.period;
  const bool is_left = number < event.times.size();
  return is_left ? event.times[number] : std::numeric_limits<double>::infinity();
}

void UserEvents::find_next_time() {
  next_time_ = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < events_.size(); ++k) {
    next_time_ = std::min(next_time_, time_of(k, next_[k]));
  }
}

void UserEvents::go_on(const UserEvents& before) {
  watches_ = before.watches_;
  next_ = before.next_;
  next_time_ = before.next_time_;
  recent_ = before.recent_;
}

bool UserEvents::is_due(double t) const { return next_time_ - t <= 4.0 * kEpsilon * std::abs(t); }

void UserEvents::take_due(double t) {
  fired_.clear();
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (time_of(k, next_[k]) - t > 4.0 * kEpsilon * std::abs(t)) continue;
    fired_.push_back(k);
    ++next_[k];
  }
  recent_.insert(recent_.begin(), fired_.begin(), fired_.end());
  recent_.resize(std::min(recent_.size(), kTold));
  find_next_time();
}

double UserEvents::value(std::size_t k, double t, const ConstVectorRef& y) {
  const Index nq = system_.nq(), nu = system_.nu();
  q_ = y.head(nq);
  u_ = y.segment(nq, nu);
  x_ = y.tail(system_.nx());
  return events_[k].function(t, q_, u_, x_);
}

double UserEvents::on_step(double s) {
  step_->state_at(s, y_);
  const double t_old = step_->t_old();
  return value(looked_at_->event, s == 1.0 ? step_->t() : t_old + s * step_->duration(), y_);
}

// Measure the change of the function by a few ulps of t and y. Both sides are varied, and the
// smaller change counts, so that a jump does not.
double UserEvents::noise(double s) {
  const double here = on_step(s);
  const double t = step_->t_old() + s * step_->duration();
  const Vector y = y_;
  size_ = size_.cwiseMax(y.cwiseAbs());
  double least = std::numeric_limits<double>::infinity();
  for (const double way : {1.0, -1.0}) {
    double most = 0.0;
    for (Index pattern = 1; pattern <= 4; pattern *= 2) {
      for (Index i = 0; i < y.size(); ++i) {
        const double step = std::max(event_times::kUlps * size_(i), drift::kHeld);
        moved_(i) = y(i) + ((i & pattern) ? way : -way) * step;
      }
      const double there =
          value(looked_at_->event, t + way * event_times::kUlps * std::abs(t), moved_);
      most = std::max(most, std::abs(there - here));
    }
    least = std::min(least, most);
  }
  return looked_at_->noise = event_times::kUserNoise * least;
}

double UserEvents::search(StepMotion& step, double end, bool ends_run) {
  fired_.clear();
  step_ = &step;
  double place = CrossingSearch::kNever;
  if (!(end > 0.0)) return place;
  for (std::size_t k = 0; k < watches_.size(); ++k) {
    Watch& watch = watches_[k];
    looked_at_ = &watch;
    search_watch(watch, std::min(end, place + event_times::kOneInstant), ends_run);
    if (watch.crossing < place) {
      place = watch.crossing;
      first_ = k;
    }
  }
  return place;
}

bool UserEvents::search_watch(Watch& watch, double end, bool ends_run) {
  watch.crossing = watch.turns = CrossingSearch::kNever;
  const int direction = events_[watch.event].direction;
  const auto wanted = [&](int side) { return direction == 0 || direction == -side; };
  const auto on_step = [this](double s) { return this->on_step(s); };
  // A function that has just fired is zero up to its residual then.
  const double left = watch.at_zero ? 4.0 * watch.residual : 0.0;
  const auto noise = [this, left](double s) { return std::max(left, this->noise(s)); };
  const double at_start = on_step(0.0), at_end = on_step(end);
  size_ = size_.cwiseMax(y_.cwiseAbs());
  const bool is_new = watch.largest == 0.0;
  watch.largest = std::max({watch.largest, std::abs(at_start), std::abs(at_end)});
  const double seen =
      is_new ? watch.largest : std::max(event_times::kSmallUserValue * watch.largest, watch.noise);
  // Find the side on which it starts.
  bool at_zero = false;
  if (watch.at_zero && std::abs(at_start) <= 4.0 * watch.residual) {
    at_zero = true;
  } else if (std::abs(at_start) <= seen || watch.at_zero) {
    at_zero = std::abs(at_start) <= noise(0.0);
  }
  watch.is_clear = !at_zero;
  int side = watch.side;
  if (!at_zero) {
    const int now = at_start > 0.0 ? 1 : -1;
    if (side == 0 || watch.at_zero) side = now;  // moved by its own effect: no event
    watch.side_ahead = side;
    if (now != side) {
      if (wanted(side)) {
        watch.crossing = 0.0;
        return true;
      }
      watch.turns = 0.0;
      side = now;
    }
  } else if (side == 0) {
    // Find the side to which it leaves zero.
    for (double s = 1.0; s > 1e-9 && side == 0; s *= 0.25) {
      const double value = on_step(s * end);
      if (std::abs(value) > noise(s * end)) side = value > 0.0 ? 1 : -1;
    }
    watch.side_ahead = side;
    if (side == 0) return false;
    const double wrong = search_.first(on_step, side, end, true, noise);
    if (wrong == 0.0) watch.side_ahead = side = -side;
  }
  if (watch.turns == CrossingSearch::kNever) watch.side_ahead = side;
  double from = 0.0;
  while (true) {
    const double width = end - from;
    const auto shifted = [&](double s) { return on_step(from + s); };
    const auto shifted_noise = [&](double s) { return noise(from + s); };
    double s = search_.first(shifted, side, width, at_zero, shifted_noise);
    if (s <= width) s += from;
    if (s > end) {
      if (!ends_run || !wanted(side)) return false;
      // Accept a zero at the end of the run, up to the rounding of its time.
      const double before = on_step(end * (1.0 - event_times::kSmallUserValue)),
                   slope = side * (before - at_end) / event_times::kSmallUserValue;
      const double way = event_times::kEndRounding * std::abs(step_->t()) / step_->duration();
      if (!(slope > 0.0) || side * at_end > slope * way + noise(end)) return false;
      if (side * before <= noise(end)) return false;
      watch.crossing = end;
      return true;
    }
    // The function is not clearly beyond zero yet, and may turn back.
    const bool clear =
        end - s > event_times::kSmallUserValue || ends_run || std::abs(at_end) > noise(end);
    if (!clear) return false;
    // Time has not advanced since the function fired: this is the same zero.
    const double elapsed = s * step_->duration();
    const bool same =
        watch.at_zero && at_zero && elapsed <= event_times::kEndRounding * std::abs(step_->t());
    if (wanted(side) && !same) {
      watch.crossing = s;
      return true;
    }
    if (watch.turns != CrossingSearch::kNever) return false;  // it has turned back to its side
    watch.turns = s;
    side = -side;
    from = s;
    at_zero = true;
    if (!(end > from)) return false;
  }
}

TimedFunction UserEvents::function() {
  return [this](double t, const ConstVectorRef& y) { return value(watches_[first_].event, t, y); };
}

int UserEvents::sign_before() const {
  const Watch& first = watches_[first_];
  return first.turns < first.crossing ? -first.side_ahead : first.side_ahead;
}

void UserEvents::pass(double end) {
  for (Watch& watch : watches_) {
    if (end == 0.0 && !watch.is_clear) continue;
    watch.side = watch.side_ahead;
    if (watch.turns < end || watch.turns == 0.0) watch.side = -watch.side;
    watch.at_zero = false;
  }
}

void UserEvents::fire(double t, const ConstVectorRef& y) {
  const double place = watches_[first_].crossing;
  for (Watch& watch : watches_) {
    if (watch.crossing > place + event_times::kOneInstant) continue;
    fired_.push_back(watch.event);
    const double left = std::abs(value(watch.event, t, y));
    const bool jumped = (watch.crossing == 0.0 && watch.is_clear) ||
                        left > event_times::kSmallUserValue * watch.largest;
    watch.residual = jumped ? 0.0 : left;
    watch.at_zero = true;
    watch.side = 0;  // unknown, since an effect may turn it back
  }
  recent_.insert(recent_.begin(), fired_.begin(), fired_.end());
  recent_.resize(std::min(recent_.size(), kTold));
}

bool UserEvents::have_effects() const {
  const auto acts = [&](std::size_t k) { return static_cast<bool>(events_[k].effect); };
  return std::any_of(fired_.begin(), fired_.end(), acts);
}

std::string UserEvents::recent_names() const {
  std::string names;
  std::vector<std::size_t> told;
  for (const std::size_t k : recent_) {
    if (std::find(told.begin(), told.end(), k) != told.end()) continue;
    told.push_back(k);
    names += (names.empty() ? "'" : ", '") + events_[k].name + "'";
  }
  return names;
}

std::string UserEvents::why_endless() const {
  return "The effects of events " + recent_names() +
         " trigger them again at once. An effect must move its function away from zero, or back to "
         "its previous side.";
}

}  // namespace nsmb
