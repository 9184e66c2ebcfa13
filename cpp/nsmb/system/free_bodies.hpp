// Bodies that nothing holds: their centres of mass move as points do, and they turn by themselves.
#pragma once

#include <Eigen/Core>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// A body on a joint of six freedoms from the inertial frame, no predecessor of others and in no
/// closed loop. From `q`
/// on coordinates are the origin of its frame in a frame at rest and the quaternion (w, x, y, z) of
/// its axes, from `u` on velocities are that of the origin there and ω in components of the body.
struct FreeBody {
  Index q = 0, u = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   // S from the origin, in the body, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // I_S in the body, kg m²
};

}  // namespace nsmb
