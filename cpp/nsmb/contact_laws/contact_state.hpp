// Contact states, and the index sets of (5.5) from which they follow.
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

enum class ContactState : std::int8_t {
  Open = 0,
  Stick = 1,
  SlipPositive = 2,
  SlipNegative = 3,
  Slip = 4,  // with two tangential directions
};

constexpr bool is_closed(ContactState s) { return s != ContactState::Open; }
constexpr bool is_slip(ContactState s) {
  return s == ContactState::SlipPositive || s == ContactState::SlipNegative ||
         s == ContactState::Slip;
}
/// Return the sign of γ_T: +1, -1, or 0 if the contact does not slip; +1 for two-dimensional slip.
constexpr int slip_sign(ContactState s) {
  return s == ContactState::SlipNegative ? -1 : is_slip(s) ? 1 : 0;
}
constexpr ContactState slip_state(double sign) {
  return sign < 0.0 ? ContactState::SlipNegative : ContactState::SlipPositive;
}
using ContactStates = std::vector<ContactState>;

/// The motions that a contact admits at an instant. The acceleration level decides between them.
enum class ContactRole : std::int8_t {
  Absent,          // not in I_N: open, or forced open
  Candidate,       // in I_H: γ_N = 0, γ_T = 0, may stick or start to slip
  SlidesPositive,  // in I_N \ I_H with γ_T > 0, or forced to slip that way; two-dimensional slip
  SlidesNegative,
  Frictionless,  // in I_N, with μ = 0 or no tangential direction
};

constexpr int sliding_sign(ContactRole role) {
  return role == ContactRole::SlidesPositive ? 1 : role == ContactRole::SlidesNegative ? -1 : 0;
}

}  // namespace nsmb
