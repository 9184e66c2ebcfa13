// What rounding may have left in velocities and accelerations, coordinate by coordinate.
#pragma once

#include "nsmb/simulation/mass_matrix.hpp"

namespace nsmb {

/// A small sum of large terms is seen as such: |M⁻¹| (|M| |u|) and |M⁻¹| |h|.
class RoundingTerms {
 public:
  explicit RoundingTerms(Index nu);

  /// Of the velocities u and of M⁻¹h; M is constant or not.
  void measure(MassMatrix& mass, bool constant, const ConstVectorRef& u, const ConstVectorRef& h);
  /// Called where time has moved on: what measure() saw last stays in mind for a while. Where all
  /// forces pass through zero at once, those of the instant have no size.
  void remember() { recent_ = acceleration_.cwiseMax(0.5 * recent_); }
  void forget();
  /// An impulse at this instant leaves its own rounding in u, M⁻¹w Λ; until time moves on.
  void add_impulse(double Lambda, const ConstVectorRef& Minv_w);
  void forget_impulses() { impulse_.setZero(); }

  /// Sum of the terms of a velocity along w, and of an acceleration. w is zero beyond its reach.
  double velocity_along(const VelocityRanges& reach, const ConstVectorRef& w) const;
  double acceleration_along(const VelocityRanges& reach, const ConstVectorRef& w) const;

 private:
  void measure_blocks(MassMatrix& mass, bool constant, const ConstVectorRef& u,
                      const ConstVectorRef& h);

  Matrix abs_Minv_;      // |M⁻¹|
  Vector velocity_;      // |M⁻¹| (|M| |u|), and |M⁻¹W| |Λ| of this instant
  Vector impulse_;       // the latter alone
  Vector acceleration_;  // |M⁻¹| |h|
  Vector recent_;        // the same at the instants before, halved from one to the next
  Vector momentum_;      // |M| |u|
};

}  // namespace nsmb
