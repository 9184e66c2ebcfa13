#include "nsmb/simulation/recorder.hpp"

#include <algorithm>

namespace nsmb {

bool Recorder::is_full(std::size_t to_come) const {
  if (!passes()) return false;
  const std::size_t rows = passing_.keeps_events ? 0 : events.rows();
  return std::max({samples.rows() + to_come, rows, steps.rows()}) >= passing_.every;
}

bool Recorder::pass_on(std::size_t pending_steps) {
  if (passing_.sink && !passing_.sink->take(*this, {passed_, pending_steps})) return false;
  const std::size_t rows = samples.rows();
  if (rows > 2) {
    samples.drop(1, rows - 2);
    gone_samples_ += rows - 2;
  }
  passed_ = samples.rows();
  if (!passing_.keeps_events) {
    gone_events_ += events.rows();
    events.clear();
  }
  steps.drop_last(pending_steps);
  steps.drop_all();
  return true;
}

void Recorder::clear() {
  Trajectory::clear();
  passed_ = gone_samples_ = gone_events_ = 0;
}

void Recorder::take(Recorder& other) {
  Trajectory::take(other);
  passed_ = other.passed_;
  gone_samples_ = other.gone_samples_;
  gone_events_ = other.gone_events_;
}

}  // namespace nsmb
