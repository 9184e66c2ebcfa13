// The cone L = {a : a_0 >= |(a_1, a_2)|} and its Jordan algebra a ∘ b = (aᵀb, a_0 b_1 + b_0 a_1),
// as interior point methods ask for it. Cones of fewer rows have zeros behind them.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb::internal {

using ConePoint = Eigen::Vector3d;
using ConeMatrix = Eigen::Matrix3d;

/// a_0² - |(a_1, a_2)|², positive inside.
double cone_det(const ConePoint& a);
/// a ∘ b.
ConePoint cone_product(const ConePoint& a, const ConePoint& b);
/// u with a ∘ u = b, a inside.
ConePoint cone_quotient(const ConePoint& a, const ConePoint& b);
/// The largest alpha with a + alpha da in the cone, at most `most`; a inside.
double cone_step(const ConePoint& a, const ConePoint& da, double most);

/// Scaling of Nesterov and Todd: symmetric, maps L onto itself, W x = W⁻¹ F for x, F inside.
struct ConeScaling {
  ConeMatrix W, inverse;

  ConeScaling(const ConePoint& x, const ConePoint& F);
};

}  // namespace nsmb::internal
