// Rounding errors of velocities and accelerations: those of each coordinate, and those that no
// coordinate shows.
#pragma once

#include "nsmb/simulation/mass_matrix.hpp"

namespace nsmb {

/// The sizes |M⁻¹| (|M| |u|) and |M⁻¹| |h| of summed terms, which reveal a small sum of large
/// terms.
class RoundingTerms {
 public:
  explicit RoundingTerms(Index nu);

  /// Measure the terms of the velocities u and of M⁻¹h. `constant`: M is constant.
  void measure(MassMatrix& mass, bool constant, const ConstVectorRef& u, const ConstVectorRef& h);
  /// Remember the last measured terms for a while after time has advanced. Where all forces pass
  /// through zero at once, the forces of the instant alone give no scale.
  void remember() {
    recent_ = acceleration_.cwiseMax(0.5 * recent_);
    recent_power_ = power_.cwiseMax(0.25 * recent_power_);
  }
  void forget();
  /// Add the rounding of an impulse at this instant to u, M⁻¹w Λ, until time advances.
  void add_impulse(double Lambda, const ConstVectorRef& Minv_w);
  void forget_impulses() { impulse_.setZero(); }

  /// Return the sum of the terms of a velocity or acceleration along w, which is zero beyond its
  /// reach.
  double velocity_along(const VelocityRanges& reach, const ConstVectorRef& w) const;
  double acceleration_along(const VelocityRanges& reach, const ConstVectorRef& w) const;
  /// Return the size |hᵀM⁻¹h|^½ G_rr^½ of the acceleration in any direction of what moves along a
  /// row. Positions and directions are known up to rounding only. So is the component along the
  /// row.
  double acceleration_beside(const VelocityRanges& reach, double G_rr) const;
  /// Return the same size of the velocity, |uᵀMu|^½ G_rr^½.
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
  Vector recent_;        // the same at earlier instants, halved from one to the next
  Vector energy_;        // |u| |M| |u|
  Vector power_;         // |h| |M⁻¹| |h|
  Vector recent_power_;  // the same at earlier instants, a quarter from one to the next
  Vector momentum_;      // |M| |u|
};

}  // namespace nsmb
