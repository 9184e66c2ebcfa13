// Processor time of steps.
#pragma once

#include <ctime>

namespace nsmb {

/// A clock of the calling thread if the platform has one, otherwise of the process.
class StepClock {
 public:
  /// Create a clock. It is never read unless `used`.
  explicit StepClock(bool used) : used_(used) {}

  void start() {
    if (used_) since_ = read();
  }
  void stop() {
    if (used_) sum_ += read() - since_;
  }
  /// Return the seconds between starts and stops since the last call. The running clock continues.
  double take() {
    stop();
    const double spent = sum_;
    sum_ = 0.0;
    start();
    return spent;
  }

 private:
  static double read() {
#ifdef CLOCK_THREAD_CPUTIME_ID
    timespec now{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0) {
      return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    }
#endif
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  }

  bool used_;
  double since_ = 0.0, sum_ = 0.0;
};

}  // namespace nsmb
