#include "nsmb/geometry/rim_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr int kRimSteps = 100;

/// Amplitudes of cos t and cos 2t, with any phase, in the square of y_0 + y_1 cos t + y_2 sin t.
struct Amplitudes {
  template <class Vector>
  Amplitudes(const Vector& y_0, const Vector& y_1, const Vector& y_2)
      : first(2.0 * std::hypot(y_0.dot(y_1), y_0.dot(y_2))),
        second(std::hypot(0.5 * (y_1.squaredNorm() - y_2.squaredNorm()), y_1.dot(y_2))) {}
  double first, second;
};

}  // namespace

RimDistance::RimDistance(const Vector3& x_0, const Vector3& x_1, const Vector3& x_2, double radius)
    : x_0_(x_0), x_1_(x_1), x_2_(x_2), radius_(radius) {
  const Amplitudes across(x_0.head<2>().eval(), x_1.head<2>().eval(), x_2.head<2>().eval());
  const Amplitudes all(x_0, x_1, x_2);
  width_ = std::sqrt(x_1.head<2>().squaredNorm() + x_2.head<2>().squaredNorm());
  first_ = across.first;
  second_ = across.second;
  smooth_ = 0.5 * (all.first + 8.0 * all.second);
  const double own = std::sqrt(x_1.squaredNorm() + x_2.squaredNorm());
  scale_ = x_0.norm() + own + radius;
  noise_ = rims::kNoise * own * scale_;
}

RimDistance::Local RimDistance::at(double t) const {
  const double c = std::cos(t), s = std::sin(t);
  const Vector3 arm = c * x_1_ + s * x_2_;
  Local l;
  l.tangent = c * x_2_ - s * x_1_;
  l.from_other = x_0_ + arm;
  l.rho = std::hypot(l.from_other.x(), l.from_other.y());
  double turning = 0.0;
  if (l.rho > 0.0) {
    l.outward.head<2>() = l.from_other.head<2>() / l.rho;
    l.from_other -= radius_ * l.outward;
    const double around = l.tangent.y() * l.outward.x() - l.tangent.x() * l.outward.y();
    turning = radius_ * around * around / l.rho;
  }
  l.value = 0.5 * l.from_other.squaredNorm();
  l.slope = l.from_other.dot(l.tangent);
  l.bend = l.tangent.squaredNorm() - l.from_other.dot(arm) - turning;
  return l;
}

// F = |x|²/2 - R rho + R²/2, rho = |w|. rho''' has two bounds, the first from |w'|, |w''|,
// |w'''| <= W, the second from those of (rho²)', (rho²)'', (rho²)''':
//   W + 3 W²/rho + 3 W³/rho²,   S_3/(2 rho) + 3 S_1 S_2/(4 rho³) + 3 S_1³/(8 rho⁵).
// Only the second one is zero for coaxial circles.
double RimDistance::third(const Local& middle, double half) const {
  if (radius_ == 0.0) return smooth_;
  const double S_1 = first_ + 2.0 * second_, S_2 = first_ + 4.0 * second_,
               S_3 = first_ + 8.0 * second_;
  const double square = middle.rho * middle.rho - S_1 * half;
  const double rho = std::max(middle.rho - width_ * half, std::sqrt(std::max(0.0, square)));
  if (!(rho > 0.0)) return std::numeric_limits<double>::infinity();
  const double part = width_ / rho, cube = rho * rho * rho;
  const double by_place = width_ * (1.0 + 3.0 * part + 3.0 * part * part);
  const double by_square =
      0.5 * S_3 / rho + 0.75 * S_1 * S_2 / cube + 0.375 * S_1 * S_1 * S_1 / (cube * rho * rho);
  return smooth_ + radius_ * std::min(by_place, by_square);
}

RimDistance::Verdict RimDistance::judge(const Interval& i, const Local& middle) const {
  const double h = turn(i.half), most = third(middle, h);
  const double slope = std::abs(middle.slope), bend = std::abs(middle.bend);
  const double apart = std::sqrt(2.0 * middle.value);
  if (slope > bend * h + 0.5 * most * h * h + noise_) return Verdict::None;
  const double change = slope * h + 0.5 * bend * h * h + most * h * h * h / 6.0;
  if (bend > most * h) return middle.bend > 0.0 ? Verdict::Convex : Verdict::None;
  const bool is_level = change <= rims::kLevel * scale_ * apart || h <= rims::kNarrow;
  return is_level ? Verdict::Level : Verdict::Open;
}

double RimDistance::root(const Interval& i) const {
  double low = turn(i.middle - i.half), high = turn(i.middle + i.half), t = turn(i.middle);
  for (int k = 0; k < kRimSteps; ++k) {
    const Local l = at(t);
    if (l.slope == 0.0) break;
    (l.slope > 0.0 ? high : low) = t;
    double next = t - l.slope / l.bend;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double move = std::abs(next - t);
    t = next;
    if (move <= rims::kSameAngle) break;
  }
  return t;
}

}  // namespace nsmb
