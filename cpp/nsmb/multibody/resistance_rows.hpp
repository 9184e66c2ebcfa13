// Resistance to rolling and drilling, with ΔΩ = Ω_2 - Ω_1. Each is a friction-only contact whose
// bound comes from the normal force of the contact that it belongs to.
//
//   rolling:   |M_R| <= mu_R λ_N   against   t_1ᵀΔΩ, t_2ᵀΔΩ;   in a plane against e_zᵀΔΩ
//   drilling:  |M_D| <= mu_D λ_N   against   nᵀΔΩ
#pragma once

#include <vector>

#include "nsmb/multibody/surface_contact.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

class ResistanceRows {
 public:
  ResistanceRows() = default;
  /// Find the resistances among the contacts of a model, as `describe` appended them.
  explicit ResistanceRows(const ContactRows& rows);

  /// Append a friction-only contact for each resistance that the laws of `contacts` have.
  static void describe(std::vector<ContactDescription>& contacts);

  bool none() const { return first_ == all_; }
  bool has(Index contact) const { return contact >= first_; }
  Index first() const { return first_; }
  /// Return the tangential rows of a contact and of its resistances.
  ContactPlace place(const ContactRows& rows, Index contact) const;
  /// Return the contact of a resistance to rolling, -1: none.
  Index rolling(Index contact) const { return none() ? -1 : rolling_[at(contact)]; }
  Index drilling(Index contact) const { return none() ? -1 : drilling_[at(contact)]; }

 private:
  Index first_ = 0, all_ = 0;              // first resistance, number of contacts
  std::vector<Index> rolling_, drilling_;  // (nc) friction-only contacts; -1: none
};

/// Compute the tangential row `row` of rolling in the x-y plane of marker 1.
void rolling_in_plane(const MarkerKinematics& m1, const MarkerKinematics& m2, Index row,
                      ContactKinematics& c);

}  // namespace nsmb
