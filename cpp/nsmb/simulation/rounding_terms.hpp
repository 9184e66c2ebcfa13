// What rounding may have left in velocities and accelerations, coordinate by coordinate, and what
// no coordinate shows.
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
  void remember() {
    recent_ = acceleration_.cwiseMax(0.5 * recent_);
    recent_power_ = power_.cwiseMax(0.25 * recent_power_);
  }
  void forget();
  /// An impulse at this instant leaves its own rounding in u, M⁻¹w Λ; until time moves on.
  void add_impulse(double Lambda, const ConstVectorRef& Minv_w);
  void forget_impulses() { impulse_.setZero(); }

  /// Sum of the terms of a velocity along w, and of an acceleration. w is zero beyond its reach.
  double velocity_along(const VelocityRanges& reach, const ConstVectorRef& w) const;
  double acceleration_along(const VelocityRanges& reach, const ConstVectorRef& w) const;
  /// Size of the acceleration of what moves along a row, in any direction: |hᵀM⁻¹h|^½ G_rr^½.
  /// Places and directions are known to rounding only, and so is how much of it is along the row.
  double acceleration_beside(const VelocityRanges& reach, double G_rr) const;
  /// The same of its velocity, |uᵀMu|^½ G_rr^½.
  double speed_beside(const VelocityRanges& reach, double G_rr) const;

 private:
  void measure_whole(MassMatrix& mass, bool constant, const ConstVectorRef& u,
                     const ConstVectorRef& h);
  void measure_blocks(MassMatrix& mass, bool constant, const ConstVectorRef& u,
                      const ConstVectorRef& h);

  Matrix abs_Minv_;      // |M⁻¹|
  Vector velocity_;      // |M⁻¹| (|M| |u|), and |M⁻¹W| |Λ| of this instant
  Vector impulse_;       // the latter alone
  Vector acceleration_;  // |M⁻¹| |h|
  Vector recent_;        // the same at the instants before, halved from one to the next
  Vector energy_;        // |u| |M| |u|
  Vector power_;         // |h| |M⁻¹| |h|
  Vector recent_power_;  // the same at the instants before, a quarter from one to the next
  Vector momentum_;      // |M| |u|
};

}  // namespace nsmb
