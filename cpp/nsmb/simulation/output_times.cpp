#include "nsmb/simulation/output_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

void OutputTimes::set_step(double step) {
  if (!(step >= 0.0) || std::isinf(step)) reject("output_step", "a number >= 0", to_text(step));
  step_ = step;
  times_.clear();
}

void OutputTimes::set_times(std::vector<double> times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    check_finite("output_times", times[i]);
    if (i > 0 && !(times[i] > times[i - 1])) {
      reject("output_times", "increasing times", to_text(times[i - 1]) + ", " + to_text(times[i]));
    }
  }
  times_ = std::move(times);
  step_ = 0.0;
}

void OutputTimes::restart(double t) {
  start_ = t;
  next_ = 1;
}

double OutputTimes::next() const {
  if (times_.empty()) {
    const double t = start_ + static_cast<double>(next_) * step_;
    const double rounding = resolutions::kGapRounding * (std::abs(start_) + std::abs(t));
    return std::abs(t - end_) <= rounding ? end_ : t;
  }
  const auto k = static_cast<std::size_t>(next_ - 1);
  return k < times_.size() ? times_[k] : std::numeric_limits<double>::infinity();
}

double OutputTimes::count_to(double t) const {
  const double done = static_cast<double>(next_ - 1);
  if (times_.empty()) return step_ > 0.0 ? std::max(0.0, (t - start_) / step_ - done) : 0.0;
  const auto end = std::upper_bound(times_.begin(), times_.end(), t);
  return std::max(0.0, static_cast<double>(end - times_.begin()) - done);
}

}  // namespace nsmb
