// The state at which a step evaluates a system: modes of force elements, contact points, and closed
// contacts.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

/// A workspace for the evaluation of a step.
class StepPlace {
 public:
  StepPlace(Mechanics& mechanics, double gap_tolerance);

  /// Switch force elements that have left their mode at (t, y), in `modes` and in y.
  void settle_modes(double t, VectorRef y, ElementModes& modes) const;
  /// Compute kinematics, M and constraints at (t, y) with the contact points there, and store these
  /// points in `state`.
  void look(double t, const ConstVectorRef& y, RunState& state);
  /// Set the list of closed contacts to those with gaps up to `within`, in m.
  void list(double within);
  /// Set the list of closed contacts, ascending.
  void take(const std::vector<Index>& closed);
  /// Add contacts to the list.
  void add(const std::vector<Index>& more);
  /// Return the largest penetration in m at `end` of contacts not in the list.
  double passed(const RunState& end) const;
  /// Closed contacts, including friction-only contacts.
  const std::vector<Index>& closed() const { return closed_; }
  /// Closed contacts that can have impacts.
  const std::vector<Index>& touching() const { return touching_; }

 private:
  Mechanics& mechanics_;
  double gap_tolerance_;
  std::vector<Index> none_;  // empty: contacts need no products with M⁻¹
  std::vector<Index> closed_, touching_;
};

/// Move the walls of closed elements to the positions of their masses, (3.22), in `modes` at (t,
/// y).
void place_walls(Mechanics& mechanics, double t, const ElementModes& modes, VectorRef y);

/// Advance coordinates: q (nq) += h B(q) u, with B at the midpoint of the displacement if it
/// depends on q.
void move_coordinates(Mechanics& mechanics, double t, double h, const ConstVectorRef& u,
                      VectorRef q, Vector& scratch);

}  // namespace nsmb
