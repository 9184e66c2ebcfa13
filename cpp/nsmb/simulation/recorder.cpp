#include "nsmb/simulation/recorder.hpp"

#include <algorithm>

namespace nsmb {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 24;

}  // namespace

bool Recorder::is_full(std::size_t to_come) const {
  if (!passes()) return false;
  const std::size_t rows = passing_.keeps_events ? 0 : events.rows();
  if (std::max({samples.rows() + to_come, rows, steps.rows()}) >= passing_.every) return true;
  const std::size_t stay = passing_.keeps_events ? events.filled_bytes() : 0;
  return filled_bytes() - stay - kept_ >= kChunkBytes;
}

bool Recorder::pass_on(std::size_t pending_steps) {
  if (passing_.sink && !passing_.sink->take(*this, {passed_, found_rows(passed_), pending_steps}))
    return false;
  const std::size_t rows = samples.rows();
  if (rows > 2) {
    if (samples.found.is_used()) {
      const std::size_t first = found_rows(1), last = found_rows(rows - 1);
      found.drop(first, last - first);
    }
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
  kept_ = samples.filled_bytes() + found.filled_bytes();
  return true;
}

void Recorder::clear() {
  Trajectory::clear();
  passed_ = gone_samples_ = gone_events_ = kept_ = 0;
}

void Recorder::take(Recorder& other) {
  Trajectory::take(other);
  passed_ = other.passed_;
  gone_samples_ = other.gone_samples_;
  gone_events_ = other.gone_events_;
  kept_ = other.kept_;
}

}  // namespace nsmb
