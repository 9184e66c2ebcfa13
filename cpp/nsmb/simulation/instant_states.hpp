// The contact states after an instant, from the solution of (6.35).
#pragma once

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_workspace.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

class InstantStates {
 public:
  InstantStates(InstantWorkspace& work, const InstantResolution& resolution);

  /// Decide the states from the current forces: g̈_N > 0 opens, γ̇_T decides between sticking and
  /// slipping.
  void decide(ContactStates& states);

 private:
  void decide_tangential(Index i, ContactStates& states);
  void decide_in_plane(Index i, ContactStates& states);
  void take_limits(ContactStates& states);
  bool keeps_limits(ContactStates& states);
  void keep_what_turns_back(const ContactStates& states);
  bool is_slight(Index contact, double rate) const;
  double slip_resistance(Index contact) const;
  bool is_loaded(Index contact) const;
  bool is_at_limit(Index contact) const;

  InstantWorkspace& work_;
  const InstantResolution& resolution_;
  std::vector<bool> at_limit_;           // (nc) contacts that would start to slip from their limit
  AccelerationResult less_;              // the forces with slightly less friction there
  Vector less_mu_, less_bound_;          // (nc)
  std::vector<ContactRole> slip_roles_;  // (nc) roles if those at their limit slip
  Vector slip_friction_;                 // (nt) friction in that case
};

}  // namespace nsmb
