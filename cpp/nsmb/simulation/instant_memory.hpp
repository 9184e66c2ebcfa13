// Findings of successive instants at one time, kept until time advances.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/simulation/triggers.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The memory of successive instants at one time. Normal forces that ended are remembered, because
/// dependent contacts pass their load on one by one. A slip from the limit that ends at once was
/// not a slip. The force then stays at the limit or falls below it, unless that also ends at once.
struct InstantMemory {
  explicit InstantMemory(const System& system);

  /// Start an instant. Return true if it has the time of the instant before; otherwise forget
  /// earlier findings.
  bool begin(double t);
  /// Update the findings: triggers show how decisions of earlier instants ended.
  void recall(const Triggers& triggers, const ContactFeatures& features, bool again);
  /// Record that forces jump, so that the next instant does not continue those before.
  void begin_anew() { t = std::numeric_limits<double>::quiet_NaN(); }

  double t = std::numeric_limits<double>::quiet_NaN();
  std::vector<bool> exhausted;   // (nc) contacts whose normal force ended
  std::vector<bool> left_limit;  // (nc) contacts that started to slip from their limit
  std::vector<bool> keeps;       // (nc) of these, those whose slip ended at once
  std::vector<bool> insists;     // (nc) of those, the ones whose rest also ended at once
  std::vector<bool> from_rest;   // (nc) contacts that start to slip in a plane
  std::vector<Index> restarts;   // (nc) number of times that such a slip ended at once
  std::vector<bool> switched;    // (ne) force elements that switched at the last instant
};

}  // namespace nsmb
