// Projection onto closed contacts, bilateral constraints and walls of closed elements.
#pragma once

#include <vector>

#include "nsmb/simulation/joined_equations.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/transition_options.hpp"

namespace nsmb {

/// The projection by Newton steps along M⁻¹W, the smallest corrections in the kinetic metric. Drift
/// up to a hundredth of `gap_tolerance` or `rest_velocity` is kept. Each function returns true if
/// it has moved y.
class ContactProjection {
 public:
  ContactProjection(Mechanics& mechanics, const TransitionOptions& options);

  /// Take bilateral constraints and the gaps of these normal rows to zero.
  bool project_positions(double t, const std::vector<Index>& normal_rows, VectorRef y);
  /// Take the velocities of the constraints and of these rows to zero.
  bool project_velocities(double t, const std::vector<Index>& rows, VectorRef y);
  /// Move the wall of each closed element to the mass, (3.22).
  bool project_walls(double t, VectorRef y);

  double held_gap() const { return held_gap_; }            // m or rad
  double held_velocity() const { return held_velocity_; }  // m/s or rad/s

  /// Return |M⁻¹ W_S G_SS⁻¹| 1 (nu) at the last update of the mechanics. It bounds the change of
  /// each velocity that corrects errors of 1 m/s in all these rows.
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
