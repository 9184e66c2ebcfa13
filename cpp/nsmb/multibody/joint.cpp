#include "nsmb/multibody/joint.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

bool normalise_quaternion(double* p) {
  const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  if (!(length > 0.0) || std::abs(length - 1.0) <= joints::kUnitLength) return false;
  for (Index k = 0; k < 4; ++k) p[k] /= length;
  return true;
}

}  // namespace

void Joint::coordinate_rates(const double* /*q*/, const double* u, double* qdot) const {
  std::copy_n(u, nu(), qdot);
}

void Joint::reference(double* q) const { std::fill_n(q, nq(), 0.0); }

RevoluteJoint::RevoluteJoint(const Vector3& axis) : axis_(checked_axis("axis", axis)) {}

void RevoluteJoint::evaluate(double /*t*/, const double* q, const double* /*u*/,
                             JointKinematics& k) const {
  k.A = rotation_about(axis_, q[0]);
  k.J_R.col(0) = axis_;
}

PrismaticJoint::PrismaticJoint(const Vector3& axis) : axis_(checked_axis("axis", axis)) {}

void PrismaticJoint::evaluate(double /*t*/, const double* q, const double* /*u*/,
                              JointKinematics& k) const {
  k.r = q[0] * axis_;
  k.J_T.col(0) = axis_;
}

ScrewJoint::ScrewJoint(double pitch, const Vector3& axis)
    : pitch_(pitch), axis_(checked_axis("axis", axis)) {
  check_finite("pitch", pitch);
}

void ScrewJoint::evaluate(double /*t*/, const double* q, const double* /*u*/,
                          JointKinematics& k) const {
  k.A = rotation_about(axis_, q[0]);
  k.r = pitch_ * q[0] * axis_;
  k.J_T.col(0) = pitch_ * axis_;
  k.J_R.col(0) = axis_;
}

CylindricalJoint::CylindricalJoint(const Vector3& axis) : axis_(checked_axis("axis", axis)) {}

void CylindricalJoint::evaluate(double /*t*/, const double* q, const double* /*u*/,
                                JointKinematics& k) const {
  k.A = rotation_about(axis_, q[1]);
  k.r = q[0] * axis_;
  k.J_T.col(0) = axis_;
  k.J_R.col(1) = axis_;
}

void UniversalJoint::evaluate(double /*t*/, const double* q, const double* u,
                              JointKinematics& k) const {
  const Matrix3 A_alpha = rotation_about(Vector3::UnitX(), q[0]);
  k.A = A_alpha * rotation_about(Vector3::UnitY(), q[1]);
  k.J_R.col(0) = Vector3::UnitX();
  k.J_R.col(1) = A_alpha.col(1);
  // The second arm rotates with the first.
  k.b_R = u[0] * u[1] * A_alpha.col(2);
}

void PlanarJoint::evaluate(double /*t*/, const double* q, const double* /*u*/,
                           JointKinematics& k) const {
  k.A = rotation_about(Vector3::UnitZ(), q[2]);
  k.r = Vector3(q[0], q[1], 0.0);
  k.J_T(0, 0) = k.J_T(1, 1) = 1.0;
  k.J_R(2, 2) = 1.0;
}

void SphericalJoint::evaluate(double /*t*/, const double* q, const double* /*u*/,
                              JointKinematics& k) const {
  k.A = rotation_of(q);
  // d(A ω)/dt = A (ω̇ + ω × ω), which vanishes without ω̇.
  k.J_R.leftCols<3>() = k.A;
}

void SphericalJoint::coordinate_rates(const double* q, const double* u, double* qdot) const {
  Eigen::Map<Vector4>{qdot} = quaternion_rate(q, Vector3(u));
}

bool SphericalJoint::normalise(double* q) const { return normalise_quaternion(q); }

void SphericalJoint::reference(double* q) const {
  Joint::reference(q);
  q[0] = 1.0;
}

void FreeJoint::evaluate(double /*t*/, const double* q, const double* /*u*/,
                         JointKinematics& k) const {
  k.A = rotation_of(q + 3);
  k.r = Vector3(q);
  k.J_T.leftCols<3>().setIdentity();
  k.J_R.rightCols<3>() = k.A;
}

void FreeJoint::coordinate_rates(const double* q, const double* u, double* qdot) const {
  std::copy_n(u, 3, qdot);
  Eigen::Map<Vector4>{qdot + 3} = quaternion_rate(q + 3, Vector3(u + 3));
}

bool FreeJoint::normalise(double* q) const { return normalise_quaternion(q + 3); }

void FreeJoint::reference(double* q) const {
  Joint::reference(q);
  q[3] = 1.0;
}

}  // namespace nsmb
