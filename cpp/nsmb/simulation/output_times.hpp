// Sample times of a run, in addition to the events.
#pragma once

#include <vector>

namespace nsmb {

/// The sample times: multiples of a step after the start, or given times.
class OutputTimes {
 public:
  /// Set the step; 0: none. Throws std::invalid_argument unless it is finite and >= 0.
  void set_step(double step);
  /// Set the times. Throws std::invalid_argument unless they are finite and increasing.
  void set_times(std::vector<double> times);
  void restart(double t);
  /// Set the end of the run. A multiple of the step that equals it up to rounding is replaced by
  /// it.
  void aim_at(double t_end) { end_ = t_end; }
  double end() const { return end_; }

  bool exist() const { return step_ > 0.0 || !times_.empty(); }
  /// Return the next time, or infinity after the last.
  double next() const;
  /// Return the number of times from the next one to t.
  double count_to(double t) const;
  void pass() { ++next_; }

 private:
  double step_ = 0.0, start_ = 0.0, end_ = 0.0;  // s
  std::vector<double> times_;                    // s
  long next_ = 1;
};

}  // namespace nsmb
