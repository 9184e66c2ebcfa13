#include "nsmb/simulation/linear_modes.hpp"

#include <utility>

namespace nsmb {

namespace {

// Memory limits for matrices of contact states, during a run and for a run that starts anew. With n
// contacts that change independently there are 3ⁿ states, and a long run keeps meeting new ones.
// The smaller limit serves runs that are restarted again and again. A tower of 100 masses returns
// to 70 states of 4.6 MB each; building them anew each time would double its cost.
constexpr std::size_t kMostBytes = std::size_t{384} << 20;
constexpr std::size_t kMostBytesAtReset = std::size_t{8} << 20;

}  // namespace

std::size_t LinearMode::bytes() const {
  std::size_t bytes = 0;
  for (const Matrix* matrix : {&ode.A, &observables, &position_drift, &velocity_drift,
                               &project_position, &project_velocity}) {
    bytes += sizeof(double) * static_cast<std::size_t>(matrix->size());
  }
  return bytes;
}

LinearMode* LinearModes::find(const Key& key) {
  const auto found = modes_.find(key);
  if (found == modes_.end()) return nullptr;
  found->second.used = ++clock_;
  return &found->second.mode;
}

LinearMode* LinearModes::add(const Key& key, LinearMode made, const LinearMode* present,
                             LinearFlow& flow) {
  const std::size_t size = made.bytes();
  forget(size < kMostBytes ? kMostBytes - size : 0, present, flow);
  bytes_ += size;
  return &modes_.emplace(key, Kept{std::move(made), size, ++clock_}).first->second.mode;
}

void LinearModes::shrink(LinearFlow& flow) { forget(kMostBytesAtReset, nullptr, flow); }

// Drop matrices until no more than `room` bytes are used. The flow uses those of `present`.
void LinearModes::forget(std::size_t room, const LinearMode* present, LinearFlow& flow) {
  while (bytes_ > room) {
    auto oldest = modes_.end();
    for (auto it = modes_.begin(); it != modes_.end(); ++it) {
      if (&it->second.mode == present) continue;
      if (oldest == modes_.end() || it->second.used < oldest->second.used) oldest = it;
    }
    if (oldest == modes_.end()) return;
    flow.release(oldest->second.mode.ode);
    bytes_ -= oldest->second.bytes;
    modes_.erase(oldest);
  }
}

}  // namespace nsmb
