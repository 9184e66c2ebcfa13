// Bilateral constraints of each unit at one state, and the velocities that they leave free.
#pragma once

#include <vector>

#include "nsmb/core/dense_qr.hpp"
#include "nsmb/stepping/step_inertia.hpp"

namespace nsmb {

/// A workspace for constraints. The velocities of a unit with constraints W_Bᵀ v = b are v = v_b +
/// Z s, with Zᵀ Z = 1, W_Bᵀ Z = 0 and v_b ⟂ Z. Dependent constraints are left out.
class UnitConstraints {
 public:
  UnitConstraints(const StepInertia& inertia, Index nb);

  /// Set W (nu, nb), whose columns each belong to one unit.
  void set_directions(const Matrix& W);
  /// Set b (nb).
  void set_values(const Vector& b);
  /// Units with constraints, ascending.
  const std::vector<Index>& constrained() const { return constrained_; }
  bool constrains(Index unit) const { return place_[at(unit)] >= 0; }
  const Matrix& basis(Index unit) const { return parts_[at(place_[at(unit)])].Z; }
  const Vector& base(Index unit) const { return parts_[at(place_[at(unit)])].base; }
  /// Add to Λ_B (nb) the impulses that produce `force` on the velocities of a unit.
  void add_impulses(Index unit, const Vector& force, Vector& Lambda_B);

 private:
  struct Part {
    std::vector<Index> rows;  // constraint numbers
    Matrix W, Z;
    Vector base, value;
    RankedQr of_W, of_transpose;
  };

  void take(Index unit, const Matrix& W, Part& part);

  const StepInertia& inertia_;
  std::vector<Index> unit_of_;      // (nb) -1: not yet known
  std::vector<Index> place_;        // (units) index in parts_; -1: none
  std::vector<Index> constrained_;  // units in the order of parts_
  std::vector<Part> parts_;
};

}  // namespace nsmb
