// Frames, rotations and vectors of space.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <string_view>

#include "nsmb/core/types.hpp"

namespace nsmb {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector4 = Eigen::Vector4d;

/// A frame fixed in a body: origin r and axes, the columns of A, in components of the body frame.
/// A maps components in this frame to components in the body frame, A_BR of (2.3).
struct Frame {
  Vector3 r = Vector3::Zero();      // m
  Matrix3 A = Matrix3::Identity();  // proper rotation
};

/// ã of (2.15): ã b = a × b.
inline Matrix3 skew(const Vector3& a) {
  Matrix3 s;
  s << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return s;
}

/// ∫ r × s of ∫ s rᵀ.
inline Vector3 axial(const Matrix3& S) {
  return {S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1)};
}

/// Rotation by `angle` about the unit vector `axis`; for the coordinate axes it is (2.5).
Matrix3 rotation_about(const Vector3& axis, double angle);

/// Rotation of the quaternion (w, x, y, z) of any length but zero.
Matrix3 rotation_of(const double* quaternion);

/// A proper rotation that turns e_z into the unit vector `axis`.
Matrix3 rotation_to(const Vector3& axis);

/// Rate of a quaternion (w, x, y, z) whose frame turns with `omega`, in components of that frame:
/// ṗ = ½ p ∘ (0, ω).
Vector4 quaternion_rate(const double* quaternion, const Vector3& omega);

/// The frame with exactly orthogonal axes. Throws std::invalid_argument if they are not to 1e-9.
Frame checked_frame(std::string_view argument, const Frame& frame);

/// `axis` with length 1. Throws std::invalid_argument for zero and for numbers that are not finite.
Vector3 checked_axis(std::string_view argument, const Vector3& axis);

}  // namespace nsmb
