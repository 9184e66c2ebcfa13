// Ends of steps at which force elements set in or let go.
#pragma once

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

/// How far force elements are beyond the end of their mode after a step. An element that has set in
/// within a step holds energy that it did not take from the motion, and one that has let go has
/// lost what it held. Steps therefore end where an element switches.
class SwitchSearch {
 public:
  /// Depths below `resolution` in m are none.
  SwitchSearch(Mechanics& mechanics, double resolution);

  /// Return true if the system has elements with forces.
  bool exists() const { return exists_; }
  /// Return true if an element is beyond its mode in the middle or at the end of a step, and
  /// measure all by this step.
  bool finds(const RunState& from, const RunState& end);
  /// Return how far the element that is furthest beyond its mode there is, as a share of its change
  /// on the step measured. Negative values are within all modes.
  double beyond(const RunState& from, const RunState& end);
  /// Return the greatest depth in m of elements that are open before the step.
  double depth(const RunState& from, const RunState& end);

  /// Return a length between `near` and `far` at which to try again; `far_value` is positive.
  static double between(double near, double near_value, double far, double far_value);

 private:
  void update(const RunState& from, const RunState& there);
  const RunState& middle(const RunState& from, const RunState& end);
  bool has_force(Index e) const;
  double length(Index e, ElementMode mode) const;

  Mechanics& mechanics_;
  const double resolution_;  // m
  bool exists_ = false;
  RunState middle_;
  Vector rates_;  // (nq)
  Vector y_;      // (ny)
  Vector scale_;  // (ne) change of the switching functions on the step measured
};

}  // namespace nsmb
