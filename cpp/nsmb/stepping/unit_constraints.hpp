// Bilateral constraints at one place, unit by unit: which velocities they leave.
#pragma once

#include <vector>

#include "nsmb/core/dense_qr.hpp"
#include "nsmb/stepping/step_inertia.hpp"

namespace nsmb {

/// Workspace. Of a unit with constraints W_Bᵀ v = b its velocities are v = v_b + Z s, with Zᵀ Z =
/// 1, W_Bᵀ Z = 0 and v_b ⟂ Z. Constraints that depend on others are left out.
class UnitConstraints {
 public:
  UnitConstraints(const StepInertia& inertia, Index nb);

  /// W (nu, nb), each column within one unit.
  void set_directions(const Matrix& W);
  /// b (nb).
  void set_values(const Vector& b);
  /// Those that have some, ascending.
  const std::vector<Index>& constrained() const { return constrained_; }
  bool constrains(Index unit) const { return place_[at(unit)] >= 0; }
  const Matrix& basis(Index unit) const { return parts_[at(place_[at(unit)])].Z; }
  const Vector& base(Index unit) const { return parts_[at(place_[at(unit)])].base; }
  /// Λ_B (nb) += impulses that make up `force` on the velocities of a unit.
  void add_impulses(Index unit, const Vector& force, Vector& Lambda_B);

 private:
  struct Part {
    std::vector<Index> rows;  // of the constraints
    Matrix W, Z;
    Vector base, value;
    RankedQr of_W, of_transpose;
  };

  void take(Index unit, const Matrix& W, Part& part);

  const StepInertia& inertia_;
  std::vector<Index> unit_of_;      // (nb) -1: not seen yet
  std::vector<Index> place_;        // (units) in parts_; -1: none
  std::vector<Index> constrained_;  // units of parts_
  std::vector<Part> parts_;
};

}  // namespace nsmb
