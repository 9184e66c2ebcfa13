// The cone L = {a : a_0 >= |(a_1, a_2)|} and its Jordan algebra a ∘ b = (aᵀb, a_0 b_1 + b_0 a_1),
// as used by interior point methods. Cones with fewer rows are padded with zeros.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb::internal {

using ConePoint = Eigen::Vector3d;
using ConeMatrix = Eigen::Matrix3d;

/// Return a_0² - |(a_1, a_2)|², positive inside.
double cone_det(const ConePoint& a);
/// Return a ∘ b.
ConePoint cone_product(const ConePoint& a, const ConePoint& b);
/// Return u with a ∘ u = b; a must be inside.
ConePoint cone_quotient(const ConePoint& a, const ConePoint& b);
/// Return the largest alpha <= `most` with a + alpha da in the cone; a must be inside.
double cone_step(const ConePoint& a, const ConePoint& da, double most);

/// Nesterov-Todd scaling: symmetric, maps L onto itself, W x = W⁻¹ F for x, F inside.
struct ConeScaling {
  ConeMatrix W, inverse;

  ConeScaling(const ConePoint& x, const ConePoint& F);
};

}  // namespace nsmb::internal
