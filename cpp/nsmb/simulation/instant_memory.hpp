// What the instants at one time have shown, one after the other, until time moves on.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/simulation/triggers.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// Normal forces that ended stay in mind: dependent contacts hand their load over one by one. And a
/// slip from the limit that ends at once was no slip: the force stays at the limit or falls behind
/// it; unless that ends at once, too.
struct InstantMemory {
  explicit InstantMemory(const System& system);

  /// Is this the time of the instant before? If not, what was seen then is forgotten.
  bool begin(double t);
  /// What fired says about what the instants before it decided.
  void recall(const Triggers& triggers, const ContactFeatures& features, bool again);
  /// What follows does not continue what was before: forces jump.
  void begin_anew() { t = std::numeric_limits<double>::quiet_NaN(); }

  double t = std::numeric_limits<double>::quiet_NaN();
  std::vector<bool> exhausted;   // (nc) contacts whose normal force ended
  std::vector<bool> left_limit;  // (nc) contacts that began to slip from their limit
  std::vector<bool> keeps;       // (nc) of these, those whose slip ended at once
  std::vector<bool> insists;     // (nc) and of these, those whose rest ended at once, too
  std::vector<bool> from_rest;   // (nc) contacts that begin to slip in a plane
  std::vector<Index> restarts;   // (nc) how often such a slip ended at once
  std::vector<bool> switched;    // (ne) force elements that switched at the last instant
};

}  // namespace nsmb
