// Times at which the equations of a system jump or bend: loads that are switched, drives that turn
// round, the points of a table over time. They are known beforehand, so motion stops there.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// first + k period for all whole numbers k.
struct Repetition {
  double first = 0.0;
  double period = 0.0;  // s, > 0
};

/// One of the times. Systems that differ by a parameter have theirs in the same order.
struct Discontinuity {
  double t = std::numeric_limits<double>::infinity();
  Index source = -1;   // single times first, then repetitions; -1: none
  double width = 0.0;  // s: rounding leaves open on which side of t a time this near lies
};

class Discontinuities {
 public:
  Discontinuities() = default;
  /// Throws std::invalid_argument for times that are not finite and periods that are not positive.
  Discontinuities(std::vector<double> times, std::vector<Repetition> repetitions);

  bool empty() const { return times_.empty() && repetitions_.empty(); }
  /// The first one behind t; its t is infinite where there is none.
  Discontinuity next(double t) const;
  /// The last one not behind t; its t is -infinite where there is none.
  Discontinuity last(double t) const;
  /// The one here that corresponds to one of another system. Throws std::invalid_argument where
  /// there is none.
  Discontinuity corresponding(const Discontinuity& other) const;
  /// Single times and repetitions, those of `other` behind these.
  void append(const Discontinuities& other);

 private:
  Discontinuity single(Index k) const;
  Discontinuity repeated(std::size_t k, double turn) const;
  void sort();

  std::vector<double> times_;
  std::vector<Index> order_;  // of times_, rising
  std::vector<Repetition> repetitions_;
};

/// Where equations have no discontinuity inside. At its ends they have one-sided limits: functions
/// are asked for them a little inside, so that it does not matter to which side of a jump the
/// function itself counts the time of the jump.
class TimeSpan {
 public:
  TimeSpan() = default;
  TimeSpan(const Discontinuity& from, const Discontinuity& to);
  double inside(double t) const { return t < first_ ? first_ : t > last_ ? last_ : t; }

 private:
  double first_ = -std::numeric_limits<double>::infinity();
  double last_ = std::numeric_limits<double>::infinity();
};

}  // namespace nsmb
