// Where a step looks at a system: force elements in their modes, contact points, closed contacts.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

/// Workspace.
class StepPlace {
 public:
  StepPlace(Mechanics& mechanics, double gap_tolerance);

  /// Force elements that have left their mode at (t, y) get the other one, in `modes` and in y.
  void settle_modes(double t, VectorRef y, ElementModes& modes) const;
  /// Kinematics at (t, y), M and constraints, with the contact points there; `state` gets them.
  void look(double t, const ConstVectorRef& y, RunState& state);
  /// Closed contacts anew: those nearer than this, m.
  void list(double within);
  /// These, ascending.
  void take(const std::vector<Index>& closed);
  /// Besides them these.
  void add(const std::vector<Index>& more);
  /// How deep others are passed at `end`, m.
  double passed(const RunState& end) const;
  /// Contacts that touch there, and friction alone.
  const std::vector<Index>& closed() const { return closed_; }
  /// Those of them that can strike.
  const std::vector<Index>& touching() const { return touching_; }

 private:
  Mechanics& mechanics_;
  double gap_tolerance_;
  std::vector<Index> none_;  // no products with M⁻¹ are needed of contacts
  std::vector<Index> closed_, touching_;
};

/// The walls of closed elements are where the mass is, (3.22), in `modes` at (t, y).
void place_walls(Mechanics& mechanics, double t, const ElementModes& modes, VectorRef y);

/// q (nq) += h B(q) u, with the map in the middle of the way where it depends on q.
void move_coordinates(Mechanics& mechanics, double t, double h, const ConstVectorRef& u,
                      VectorRef q, Vector& scratch);

}  // namespace nsmb
