#include "nsmb/multibody/frame.hpp"

#include <cmath>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

Matrix3 rotation_about(const Vector3& axis, double angle) {
  const double s = std::sin(angle);
  const double half = std::sin(0.5 * angle);
  const Matrix3 a = skew(axis);
  // 1 - cos = 2 sin², which is accurate for small angles.
  return Matrix3::Identity() + s * a + 2.0 * half * half * (a * a);
}

Matrix3 rotation_of(const double* p) {
  const double scale = 2.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  const double w = scale * p[0], x = scale * p[1], y = scale * p[2], z = scale * p[3];
  Matrix3 A;
  A << 1.0 - y * p[2] - z * p[3], x * p[2] - w * p[3], x * p[3] + w * p[2],  //
      x * p[2] + w * p[3], 1.0 - x * p[1] - z * p[3], y * p[3] - w * p[1],   //
      x * p[3] - w * p[2], y * p[3] + w * p[1], 1.0 - x * p[1] - y * p[2];
  return A;
}

Matrix3 rotation_to(const Vector3& axis) {
  // The coordinate axis most nearly normal to `axis` spans the plane best. e_z itself gives the
  // identity.
  Index least;
  axis.cwiseAbs().minCoeff(&least);
  Matrix3 A;
  A.col(2) = axis;
  A.col(1) = axis.cross(Vector3::Unit(least)).normalized();
  A.col(0) = A.col(1).cross(axis);
  return A;
}

Vector4 quaternion_rate(const double* p, const Vector3& omega) {
  const Vector3 v(p[1], p[2], p[3]);
  Vector4 rate;
  rate[0] = -0.5 * v.dot(omega);
  rate.tail<3>() = 0.5 * (p[0] * omega + v.cross(omega));
  return rate;
}

Frame checked_frame(std::string_view argument, const Frame& frame) {
  const std::string name(argument);
  check_finite(name + ".r", frame.r);
  check_finite(name + ".A", frame.A);
  const double error = (frame.A.transpose() * frame.A - Matrix3::Identity()).cwiseAbs().maxCoeff();
  const double det = frame.A.col(0).cross(frame.A.col(1)).dot(frame.A.col(2));
  if (!(error <= 1e-9) || det < 0.0) {
    reject(name + ".A", "a proper rotation, AᵀA = E and det A = 1",
           "AᵀA - E of size " + to_text(error) + ", det A = " + to_text(det));
  }
  Frame result = frame;
  // One Newton step towards the nearest rotation squares the error.
  result.A = 0.5 * frame.A * (3.0 * Matrix3::Identity() - frame.A.transpose() * frame.A);
  return result;
}

Vector3 checked_axis(std::string_view argument, const Vector3& axis) {
  check_finite(argument, axis);
  const double length = axis.stableNorm();
  if (!(length > 0.0)) reject(argument, "a direction that is not zero", "zeros");
  return axis / length;
}

}  // namespace nsmb
