// Free rigid bodies: their centres of mass move like points, and they rotate independently.
#pragma once

#include <Eigen/Core>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// A body connected to the inertial frame by a joint with six degrees of freedom, without
/// successors and outside closed loops. The coordinates from `q` on are the origin of its frame in
/// an inertial frame and the quaternion (w, x, y, z) of its axes. The velocities from `u` on are
/// that of the origin there, and ω in body components.
struct FreeBody {
  Index q = 0, u = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   // S from the origin, body frame, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // I_S in the body frame, kg m²
};

}  // namespace nsmb
