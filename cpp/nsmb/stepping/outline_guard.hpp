// What a stepped run is checked with: polygons neither pass each other nor are deep in each other.
#pragma once

#include <string>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

/// Workspace. Knows nothing of contact points: an error of who finds them is seen here.
class OutlineGuard {
 public:
  explicit OutlineGuard(Mechanics& mechanics);

  /// Another motion begins.
  void restart() { share_ = 0.0; }
  /// It goes on from where the other one has looked.
  void go_on(const OutlineGuard& other) { share_ = other.share_; }
  /// s, at most h: until then no polygon gets through another one unseen.
  double longest(const RunState& from, double h);
  /// Is `end` of a step a place where bodies can be? False: two polygons are deep in each other,
  /// and deeper than before the step.
  bool accepts(const RunState& end);
  /// After accepts() was false: which ones, and how deep.
  std::string complaint() const;

 private:
  Mechanics& mechanics_;
  const FeatureSearch* search_;  // null: there are no outlines
  double share_ = 0.0;           // of the last step
  Index contact_ = -1;
};

}  // namespace nsmb
