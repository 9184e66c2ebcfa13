// Slip in a plane: its onset, its direction, and where it is indistinguishable from rest.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/quantity.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

/// Slip of contacts with two tangential directions, whose speed |γ_T| does not change sign where
/// slip ends. Slip ends where its speed falls below what the integrator tolerances resolve, after
/// it was clearly above. In a thin layer of speeds, the friction of slip that starts from rest has
/// the direction of the force that would hold the contact. Contacts with one direction are ignored.
class PlaneSlip {
 public:
  /// `atol` (ny): current tolerances of the integrator, read at every use. `rest_velocity` is in
  /// m/s.
  PlaneSlip(const Mechanics& mechanics, double rest_velocity, double rtol, const Vector& atol);

  void freeze(const FrozenRoles& roles);
  /// Take over the directions kept during the motion of another phase.
  void adopt(const PlaneSlip& moving);
  /// Find the slips that are clearly above zero, and those out of the layer, at the last update of
  /// the mechanics.
  void arm(const FrozenRoles& roles);
  /// Keep the direction of slip that is too slow at the start of a phase for its end to be seen.
  /// Such slip ends where its component in that direction vanishes.
  void keep_slow_directions(const FrozenRoles& roles);
  /// Keep the last directions of all contacts that come to rest together. Where slip ends, what is
  /// left of γ_T is rounding.
  void come_to_rest(const FrozenRoles& roles);

  /// Contacts that started to slip from rest and are still in the layer.
  const std::vector<bool>& starting() const { return starting_; }
  /// Return true if there are such contacts, and all other slips were out of the layer where the
  /// step starts. Contacts that start to slip together, one of them an instant earlier, do not
  /// follow the forces that would hold some of them.
  bool follows() const { return any_starts_ && !slow_beside_; }
  /// Set the friction of starting slips along the forces (nt) that would hold the contacts.
  void follow(const Vector& holding);
  /// Write the friction of slipping contacts along their directions to `roles`.
  void update_directions(FrozenRoles& roles) const;
  /// Return the direction along which γ_T of a contact is measured; zero if there is none.
  Eigen::Vector2d direction(Index contact) const;

  /// Return the resolution of γ_T in m/s that the velocity tolerances allow, at least the rest
  /// velocity.
  double resolution(Index contact) const;
  /// Return true if the slip speed has been clearly above zero.
  bool is_armed(Index contact) const { return armed_[static_cast<std::size_t>(contact)]; }
  /// Return true if the slip direction is that of γ_T and not that of the onset of slip.
  bool is_straight(Index contact, const FrozenRoles& roles) const;
  /// Return true if slip was armed and is now as slow as contacts that come to rest together.
  bool is_slow(Index contact) const;
  /// Return true if slip was armed and is faster than that.
  bool slips_on(Index contact) const;

  bool is_watched(const Indicator& indicator) const {
    return is_slip(indicator) && rows_.dim(indicator.contact) > 1;
  }
  /// Return the value to watch, which vanishes where slip is indistinguishable from rest.
  double watched_value(const Indicator& indicator, const Observation& observation) const;

 private:
  void leave_layer(std::size_t contact);

  const Mechanics& mechanics_;
  const ContactRows& rows_;
  double rest_velocity_, rtol_;
  const Vector& atol_;
  double layer_ = 0.0;          // m/s, slip below it has the direction of its onset
  std::vector<bool> in_layer_;  // (nc)
  std::vector<bool> starting_;  // (nc), in the layer, and slip started from rest
  bool any_starts_ = false, slow_beside_ = false;
  std::vector<bool> armed_;  // (nc)
  Vector rest_friction_;     // (nt), friction at the start of the phase
  Vector layer_friction_;    // (nt), friction in the layer, at the last update of the mechanics
};

}  // namespace nsmb
