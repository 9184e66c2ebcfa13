// The way back onto closed contacts, bilateral constraints and walls of closed elements.
#pragma once

#include <vector>

#include "nsmb/simulation/joined_equations.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/transition_options.hpp"

namespace nsmb {

/// Newton steps along M⁻¹W: the smallest corrections in the kinetic metric. What has drifted by a
/// hundredth of `gap_tolerance` or `rest_velocity` stays. Each tells whether it has moved y.
class ContactProjection {
 public:
  ContactProjection(Mechanics& mechanics, const TransitionOptions& options);

  /// Bilateral constraints and the gaps of these normal rows to zero.
  bool project_positions(double t, const std::vector<Index>& normal_rows, VectorRef y);
  /// Their velocities and those of these rows.
  bool project_velocities(double t, const std::vector<Index>& rows, VectorRef y);
  /// The wall of a closed element is where the mass is, (3.22).
  bool project_walls(double t, VectorRef y);

  double held_gap() const { return held_gap_; }            // m or rad
  double held_velocity() const { return held_velocity_; }  // m/s or rad/s

  /// |M⁻¹ W_S G_SS⁻¹| 1: velocities (nu) in which these rows, all together, leave one m/s each, as
  /// the mechanics are now.
  const Vector& reach_of(const std::vector<Index>& rows);

 private:
  void factorise(const std::vector<Index>& rows);
  void spread(const std::vector<Index>& rows);
  void correct_rows(const std::vector<Index>& rows, const Vector& value_N, const Vector& value_T);
  double largest_of(const std::vector<Index>& rows, const Vector& value_N,
                    const Vector& value_T) const;

  Mechanics& mechanics_;
  double held_gap_, held_velocity_;
  JoinedEquations equations_;
  Vector correction_, reach_, q_step_;  // (nu), (nu), (nq)
};

}  // namespace nsmb
