// When a run keeps samples, besides those at events.
#pragma once

#include <vector>

namespace nsmb {

/// Multiples of a step after the start, or given times.
class OutputTimes {
 public:
  /// 0: none. Throws std::invalid_argument for no number >= 0.
  void set_step(double step);
  /// Throws std::invalid_argument unless they rise.
  void set_times(std::vector<double> times);
  void restart(double t);
  /// Multiples of the step that are this but for rounding are this.
  void aim_at(double t_end) { end_ = t_end; }
  double end() const { return end_; }

  bool exist() const { return step_ > 0.0 || !times_.empty(); }
  /// The next one; infinite behind the last.
  double next() const;
  void pass() { ++next_; }

 private:
  double step_ = 0.0, start_ = 0.0, end_ = 0.0;  // s
  std::vector<double> times_;                    // s
  long next_ = 1;
};

}  // namespace nsmb
