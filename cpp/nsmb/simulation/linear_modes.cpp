#include "nsmb/simulation/linear_modes.hpp"

#include <utility>

namespace nsmb {

namespace {

// Matrices of contact states are kept up to this size: with n contacts that change for themselves
// there are 3ⁿ states, and a long run meets new ones all the time. Those of a run that is over are
// kept up to the smaller one, for runs that begin anew again and again.
// A tower of 100 masses comes back to 70 states of 4.6 MB each; made anew each time, they would
// double its cost.
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

// The flow follows the matrices of the present one.
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
