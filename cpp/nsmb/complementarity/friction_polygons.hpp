// Discs replaced by polygons: a friction problem as LCP.
//
// A disc of two rows becomes the polygon of `facets` corners on its rim, x_T = Σ β_k d_k, β >= 0.
// An interval has the two directions d = ±1, which is exact. With one multiplier λ for each disc
//
//   0 <= β_k ⟂ y_Tᵀd_k + λ >= 0,     0 <= λ ⟂ μ x_N + bound - Σ β_k >= 0,
//
// and a free part is the difference of two nonnegative numbers. An interval needs three unknowns
// here, and four in (6.35), which has both slip parts and both saturations.
#pragma once

#include "nsmb/complementarity/friction_scaled.hpp"

namespace nsmb::internal {

struct PolygonLcp {
  struct Unknown {
    Index row = -1;  // its first row of x; -1: multiplier of a disc
    Index dim = 1;
    double direction[2] = {1.0, 0.0};  // contribution to x per unit
  };
  std::vector<Unknown> unknowns;
  std::vector<Index> of_row;  // (n) unknown of a normal part's row
  Matrix A;
  Vector b;
  bool exact = false;  // no disc of two rows: the LCP has the solutions of the problem

  void assign(const ScaledFriction& problem, int facets);
  void to_scaled(const Vector& z, Vector& x) const;
};

}  // namespace nsmb::internal
