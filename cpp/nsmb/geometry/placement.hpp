// Poses of the frames of shapes in space, and axis-aligned boxes.
#pragma once

#include <Eigen/Core>
#include <limits>

#include "nsmb/core/types.hpp"

namespace nsmb {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// Origin r and axes, the columns of A, of a frame in another one.
struct Placement {
  Vector3 point(const Vector3& a) const { return r + A * a; }
  Vector3 direction(const Vector3& a) const { return A * a; }
  Vector3 local(const Vector3& p) const { return A.transpose() * (p - r); }
  Vector3 local_direction(const Vector3& a) const { return A.transpose() * a; }

  Vector3 r = Vector3::Zero();      // m
  Matrix3 A = Matrix3::Identity();  // proper rotation
};

/// Return the pose of frame b in frame a.
inline Placement relative(const Placement& a, const Placement& b) {
  return {a.local(b.r), a.A.transpose() * b.A};
}

/// An axis-aligned box; infinite for unbounded shapes, initially empty.
struct Bounds {
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity());
  Vector3 high = Vector3::Constant(-std::numeric_limits<double>::infinity());

  void add(const Vector3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void add(const Bounds& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  void widen(double by) {
    low.array() -= by;
    high.array() += by;
  }
  bool overlaps(const Bounds& o) const {
    return low.x() <= o.high.x() && o.low.x() <= high.x() && low.y() <= o.high.y() &&
           o.low.y() <= high.y() && low.z() <= o.high.z() && o.low.z() <= high.z();
  }
};

}  // namespace nsmb
