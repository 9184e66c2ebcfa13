#include "nsmb/system/discontinuities.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/system/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

double width(double t, double beside) {
  return std::max(discontinuities::kJumpWidth * std::max(std::abs(t), std::abs(beside)),
                  discontinuities::kSmallestWidth);
}

}  // namespace

Discontinuities::Discontinuities(std::vector<double> times, std::vector<Repetition> repetitions)
    : times_(std::move(times)), repetitions_(std::move(repetitions)) {
  for (const double t : times_) check_finite("discontinuities", t);
  for (const Repetition& repetition : repetitions_) {
    check_finite("discontinuities: first", repetition.first);
    check_finite("discontinuities: period", repetition.period);
    check_positive("discontinuities: period", repetition.period);
  }
  sort();
}

void Discontinuities::sort() {
  order_.resize(times_.size());
  std::iota(order_.begin(), order_.end(), Index{0});
  std::stable_sort(order_.begin(), order_.end(), [this](Index a, Index b) {
    return times_[static_cast<std::size_t>(a)] < times_[static_cast<std::size_t>(b)];
  });
}

void Discontinuities::append(const Discontinuities& other) {
  times_.insert(times_.end(), other.times_.begin(), other.times_.end());
  repetitions_.insert(repetitions_.end(), other.repetitions_.begin(), other.repetitions_.end());
  sort();
}

Discontinuity Discontinuities::single(Index k) const {
  const double t = times_[static_cast<std::size_t>(k)];
  return {t, k, width(t, t)};
}

Discontinuity Discontinuities::repeated(std::size_t k, double turn) const {
  const Repetition& r = repetitions_[k];
  const double t = r.first + turn * r.period;
  return {t, static_cast<Index>(times_.size() + k),
          width(t, std::max(std::abs(r.first), r.period))};
}

Discontinuity Discontinuities::next(double t) const {
  Discontinuity found;
  const auto after = std::upper_bound(
      order_.begin(), order_.end(), t,
      [this](double time, Index k) { return time < times_[static_cast<std::size_t>(k)]; });
  if (after != order_.end()) found = single(*after);
  for (std::size_t k = 0; k < repetitions_.size(); ++k) {
    const Repetition& r = repetitions_[k];
    // Rounding may change the quotient by one.
    const double turn = std::floor((t - r.first) / r.period);
    for (const double one : {0.0, 1.0, 2.0}) {
      const Discontinuity candidate = repeated(k, turn + one);
      if (!(candidate.t > t)) continue;
      if (candidate.t < found.t) found = candidate;
      break;
    }
  }
  return found;
}

Discontinuity Discontinuities::last(double t) const {
  Discontinuity found;
  found.t = -kInfinity;
  const auto after = std::upper_bound(
      order_.begin(), order_.end(), t,
      [this](double time, Index k) { return time < times_[static_cast<std::size_t>(k)]; });
  if (after != order_.begin()) found = single(*(after - 1));
  for (std::size_t k = 0; k < repetitions_.size(); ++k) {
    const Repetition& r = repetitions_[k];
    const double turn = std::floor((t - r.first) / r.period);
    for (const double one : {1.0, 0.0, -1.0}) {
      const Discontinuity candidate = repeated(k, turn + one);
      if (candidate.t > t) continue;
      if (candidate.t > found.t) found = candidate;
      break;
    }
  }
  return found;
}

// A discontinuity without source was found during integration, and no parameter is known to move
// it. Otherwise the nearest one is used. A parameter is assumed to move a discontinuity by less
// than the distance between discontinuities.
Discontinuity Discontinuities::corresponding(const Discontinuity& other) const {
  if (!std::isfinite(other.t) || other.source < 0) return other;
  const Discontinuity before = last(other.t), after = next(other.t);
  if (!std::isfinite(before.t) && !std::isfinite(after.t)) {
    reject("discontinuities", "a discontinuity near t = " + to_text(other.t), "none");
  }
  return other.t - before.t <= after.t - other.t ? before : after;
}

TimeSpan::TimeSpan(const Discontinuity& from, const Discontinuity& to)
    : first_(from.t + from.width), last_(to.t - to.width) {
  // The two discontinuities cannot be distinguished.
  if (first_ > last_) first_ = last_ = 0.5 * (from.t + to.t);
}

}  // namespace nsmb
