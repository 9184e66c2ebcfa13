// Frames, rotations and vectors in space.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <string_view>

#include "nsmb/core/types.hpp"

namespace nsmb {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector4 = Eigen::Vector4d;

/// A frame fixed in a body, given by its origin r and its axes, the columns of A, in components of
/// the body frame. A maps components in this frame to components in the body frame, A_BR of (2.3).
struct Frame {
  Vector3 r = Vector3::Zero();      // m
  Matrix3 A = Matrix3::Identity();  // proper rotation
};

/// Return ã of (2.15), where ã b = a × b.
inline Matrix3 skew(const Vector3& a) {
  Matrix3 s;
  s << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return s;
}

/// Return ∫ r × s, given S = ∫ s rᵀ.
inline Vector3 axial(const Matrix3& S) {
  return {S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)};
}

/// Return the rotation by `angle` about the unit vector `axis`. For the coordinate axes it is
/// (2.5).
Matrix3 rotation_about(const Vector3& axis, double angle);

/// Return the rotation of the quaternion (w, x, y, z), which may have any non-zero length.
Matrix3 rotation_of(const double* quaternion);

/// Return a proper rotation that maps e_z to the unit vector `axis`.
Matrix3 rotation_to(const Vector3& axis);

/// Return the rate of a quaternion (w, x, y, z) whose frame rotates with `omega`, in components of
/// that frame: ṗ = ½ p ∘ (0, ω).
Vector4 quaternion_rate(const double* quaternion, const Vector3& omega);

/// Return the frame with exactly orthogonal axes. Throws std::invalid_argument if they are not
/// orthogonal to 1e-9.
Frame checked_frame(std::string_view argument, const Frame& frame);

/// Return `axis` scaled to length 1. Throws std::invalid_argument for zero and non-finite vectors.
Vector3 checked_axis(std::string_view argument, const Vector3& axis);

}  // namespace nsmb
