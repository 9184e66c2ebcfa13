// A check of stepped runs: polygons must not pass through or deeply penetrate one another.
#pragma once

#include <string>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

/// A workspace that checks outlines. It does not use contact points, so it also detects errors in
/// finding them.
class OutlineGuard {
 public:
  explicit OutlineGuard(Mechanics& mechanics);

  /// Prepare for another motion.
  void restart() { share_ = 0.0; }
  /// Continue from the last check of `other`.
  void go_on(const OutlineGuard& other) { share_ = other.share_; }
  /// Return a time in s, at most h, within which no polygon can pass through another one unnoticed.
  double longest(const RunState& from, double h);
  /// Return false if two polygons penetrate deeply at `end`, and deeper than before the step.
  bool accepts(const RunState& end);
  /// Describe the contact and its penetration after accepts() has returned false.
  std::string complaint() const;

 private:
  Mechanics& mechanics_;
  const FeatureSearch* search_;  // null: the system has no outlines
  double share_ = 0.0;           // penetration after the last step
  Index contact_ = -1;
};

}  // namespace nsmb
