// Occasional calls of the monitor of a run.
#pragma once

#include <chrono>

#include "nsmb/simulation/run.hpp"

namespace nsmb {

class MonitorClock {
 public:
  /// Check the clock every `calls` calls.
  MonitorClock(const Monitor& monitor, long calls) : monitor_(monitor), calls_(calls) {}

  /// Return true if the monitor stops the run at t.
  bool stops(double t) {
    constexpr auto kInterval = std::chrono::milliseconds(50);
    if (!monitor_ || count_++ % calls_ != 0 || Clock::now() - last_ <= kInterval) return false;
    if (!monitor_(t)) return true;
    last_ = Clock::now();
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Monitor& monitor_;
  long calls_, count_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace nsmb
