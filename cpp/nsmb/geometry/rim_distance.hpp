// Distance of the points of a circle from another circle or a line: all local minima.
#pragma once

#include <array>
#include <cstddef>
#include <numbers>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

/// F(t) = |x - q|²/2 of the points x = x_0 + x_1 cos t + x_2 sin t of a circle. q is the nearest
/// point of a circle of `radius` around the origin perpendicular to z. With radius 0 and x
/// perpendicular to z, the other curve is a line.
class RimDistance {
 public:
  /// Values at one angle, with the changes of F' and F'' around it.
  struct Local {
    double value = 0.0, slope = 0.0, bend = 0.0;  // F, F', F''
    Vector3 from_other = Vector3::Zero();         // x - q
    Vector3 tangent = Vector3::Zero();            // x'
    Vector3 outward = Vector3::Zero();            // from z to x; 0 on z
    double rho = 0.0;                             // distance of x from z
  };

  RimDistance(const Vector3& x_0, const Vector3& x_1, const Vector3& x_2, double radius);

  Local at(double t) const;

  /// Call `found(t)` for each local minimum, and for points that cannot be distinguished from one:
  /// where F is constant, for points in equal steps.
  ///
  /// Intervals are discarded where F' keeps its sign or F'' < 0, as shown by a bound of F'''. Where
  /// F'' > 0 the only root of F' is enclosed. All other intervals are halved.
  template <class Found>
  void minima(Found&& found) const {
    Queue open;
    for (int k = 0; k < kFirst; ++k) open.push({(k + 0.5) / kFirst, 0.5 / kFirst});
    while (!open.is_empty()) {
      const Interval i = open.pop();
      const Local middle = at(turn(i.middle));
      const Verdict verdict = judge(i, middle);
      if (verdict == Verdict::Convex) {
        const Local low = at(turn(i.middle - i.half)), high = at(turn(i.middle + i.half));
        if (low.slope <= noise_ && high.slope >= -noise_) found(root(i));
      } else if (verdict == Verdict::Level || (verdict == Verdict::Open && !open.has_room())) {
        found(turn(i.middle));
      } else if (verdict == Verdict::Open) {
        open.push({i.middle - 0.5 * i.half, 0.5 * i.half});
        open.push({i.middle + 0.5 * i.half, 0.5 * i.half});
      }
    }
  }

 private:
  static constexpr int kFirst = 8;               // initial intervals
  static constexpr std::size_t kMostOpen = 512;  // at the same time

  struct Interval {  // in turns, multiples of powers of 1/2, so that neighbours have the same ends
    double middle, half;
  };
  enum class Verdict { None, Convex, Level, Open };

  /// First in, first out: the intervals left when there is no more room all have the same width.
  class Queue {
   public:
    bool is_empty() const { return count_ == 0; }
    bool has_room() const { return count_ + 2 <= kMostOpen; }
    void push(const Interval& i) { items_[(begin_ + count_++) % kMostOpen] = i; }
    Interval pop() {
      const Interval first = items_[begin_];
      begin_ = (begin_ + 1) % kMostOpen;
      --count_;
      return first;
    }

   private:
    std::array<Interval, kMostOpen> items_;
    std::size_t begin_ = 0, count_ = 0;
  };

  static double turn(double part) { return 2.0 * std::numbers::pi * part; }
  Verdict judge(const Interval& i, const Local& middle) const;
  double third(const Local& middle, double half) const;
  double root(const Interval& i) const;

  Vector3 x_0_, x_1_, x_2_;
  double radius_;
  double width_;           // upper bound of |w'|, w the part of x perpendicular to z
  double first_, second_;  // amplitudes of |w|²
  double smooth_;          // of the third derivative of |x|²/2
  double scale_;           // upper bound of |x - q|
  double noise_;           // rounding error of F'
};

}  // namespace nsmb
