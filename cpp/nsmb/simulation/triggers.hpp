// Triggers of an instant, before the laws are evaluated.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Return true if the times differ by no more than rounding.
inline bool is_same_instant(double t, double before) {
  return t - before <= 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

/// The change of a contact that is reported by the indicator that fired.
enum class Trigger : std::int8_t { None, Closes, Detaches, SlipsPositive, SlipsNegative, Sticks };

inline bool slips(Trigger trigger) {
  return trigger == Trigger::SlipsPositive || trigger == Trigger::SlipsNegative;
}

struct Triggers {
  Triggers(Index nc, Index ne)
      : contacts(static_cast<std::size_t>(nc), Trigger::None),
        switches(static_cast<std::size_t>(ne), false) {}
  void clear() {
    std::fill(contacts.begin(), contacts.end(), Trigger::None);
    std::fill(switches.begin(), switches.end(), false);
    jams = false;
    features = false;
  }
  /// Set the trigger of a contact, unless it detaches. Without normal force it has no friction.
  void tell(Index contact, Trigger what) {
    Trigger& trigger = contacts[static_cast<std::size_t>(contact)];
    if (trigger != Trigger::Detaches) trigger = what;
  }
  std::vector<Trigger> contacts;  // (nc)
  std::vector<bool> switches;     // (ne) force elements whose mode ends
  bool jams = false;              // the frozen equations become singular
  bool features = false;          // contact points come or go
};

}  // namespace nsmb
