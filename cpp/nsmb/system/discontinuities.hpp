// Times at which the equations of a system or their derivatives jump: switched loads, reversed
// drives, points of a table over time. They are known in advance, and integration stops there.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// The times first + k period for all integers k.
struct Repetition {
  double first = 0.0;
  double period = 0.0;  // s, > 0
};

/// One of these times. Systems that differ by a parameter have their discontinuities in the same
/// order.
struct Discontinuity {
  double t = std::numeric_limits<double>::infinity();
  Index source = -1;   // single times first, then repetitions; -1: none
  double width = 0.0;  // s: rounding leaves open on which side of t a time this close lies
};

class Discontinuities {
 public:
  Discontinuities() = default;
  /// Throw std::invalid_argument for times that are not finite, or periods that are not positive.
  Discontinuities(std::vector<double> times, std::vector<Repetition> repetitions);

  bool empty() const { return times_.empty() && repetitions_.empty(); }
  /// Return the first discontinuity after t. Its t is infinite if there is none.
  Discontinuity next(double t) const;
  /// Return the last discontinuity not after t. Its t is -infinite if there is none.
  Discontinuity last(double t) const;
  /// Return the discontinuity that corresponds to one of another system. Throw
  /// std::invalid_argument if there is none.
  Discontinuity corresponding(const Discontinuity& other) const;
  /// Append the single times and repetitions of `other`.
  void append(const Discontinuities& other);

 private:
  Discontinuity single(Index k) const;
  Discontinuity repeated(std::size_t k, double turn) const;
  void sort();

  std::vector<double> times_;
  std::vector<Index> order_;  // indices of times_, ascending
  std::vector<Repetition> repetitions_;
};

/// A time span without discontinuities inside. At its ends the equations have one-sided limits.
/// Functions are evaluated slightly inside, so their own value at the time of a jump does not
/// matter.
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
