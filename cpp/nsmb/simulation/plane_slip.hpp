// Slip in a plane: where it begins, in which direction it goes, and where it cannot be told from
// rest.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/quantity.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

/// |γ_T| of two tangential directions has no change of sign where slip ends: slip ends where its
/// speed is below what the tolerances of the integrator resolve, once it has been seen clearly
/// above. In a thin layer of speeds, friction of slip that starts from rest has the direction of
/// the force that would hold the contact. Contacts with one direction are none of its business.
class PlaneSlip {
 public:
  /// `atol` (ny) of the integrator, as it is whenever it is asked for; `rest_velocity` in m/s.
  PlaneSlip(const Mechanics& mechanics, double rest_velocity, double rtol, const Vector& atol);

  void freeze(const FrozenRoles& roles);
  /// Directions that the motion of another phase has kept.
  void adopt(const PlaneSlip& moving);
  /// Which slips are above zero, and out of the layer, at the last update of the mechanics?
  void arm(const FrozenRoles& roles);
  /// Slip that is too slow at the start of a phase to be seen to end keeps its direction: it ends
  /// where it has none in that direction.
  void keep_slow_directions(const FrozenRoles& roles);
  /// What is left of γ_T where a slip ends is rounding: the direction of all that come to rest with
  /// it stays the last one.
  void come_to_rest(const FrozenRoles& roles);

  /// Contacts that started to slip from rest and are still in the layer.
  const std::vector<bool>& starting() const { return starting_; }
  bool any_starts() const { return count_starting_ > 0; }
  /// Take the friction of starting slips from the forces (nt) that would hold them.
  void follow(const Vector& holding);
  /// The friction of slips along their directions, into `roles`.
  void update_directions(FrozenRoles& roles) const;
  /// Along which γ_T of a contact is measured; zero where it has none.
  Eigen::Vector2d direction(Index contact) const;

  /// m/s: what the tolerances of the velocities leave of γ_T, and no less than what counts as rest.
  double resolution(Index contact) const;
  /// Its speed has been seen clearly above zero.
  bool is_armed(Index contact) const { return armed_[static_cast<std::size_t>(contact)]; }
  /// Is its direction that of γ_T, and not the one in which slip began?
  bool is_straight(Index contact, const FrozenRoles& roles) const;
  /// It was armed, and has become as slow as those that come to rest together.
  bool is_slow(Index contact) const;
  /// It was armed, and is faster.
  bool slips_on(Index contact) const;

  bool is_watched(const Indicator& indicator) const {
    return is_slip(indicator) && rows_.dim(indicator.contact) > 1;
  }
  /// Slip is watched until it cannot be told from rest.
  double watched_value(const Indicator& indicator, const Observation& observation) const;

 private:
  const Mechanics& mechanics_;
  const ContactRows& rows_;
  double rest_velocity_, rtol_;
  const Vector& atol_;
  void leave_layer(std::size_t contact);

  double layer_ = 0.0;          // m/s: below it the direction of slip is not that of γ_T
  std::vector<bool> in_layer_;  // (nc)
  std::vector<bool> starting_;  // (nc) in the layer, and slip started from rest
  std::size_t count_starting_ = 0;
  std::vector<bool> armed_;  // (nc)
  Vector rest_friction_;     // (nt) friction at the start of the phase
  Vector layer_friction_;    // (nt) friction in the layer, at the last update of the mechanics
};

}  // namespace nsmb
