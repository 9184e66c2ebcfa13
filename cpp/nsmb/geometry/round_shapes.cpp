#include "nsmb/geometry/round_shapes.hpp"

#include <cmath>
#include <numbers>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

Bounds around(const Vector3& center, const Vector3& half) { return {center - half, center + half}; }

Matrix3 diagonal(double x, double y, double z) { return Eigen::Vector3d(x, y, z).asDiagonal(); }

}  // namespace

SphereShape::SphereShape(double radius) : radius_(radius) { check_positive("radius", radius); }

Bounds SphereShape::bounds(const Placement& pose) const {
  return around(pose.r, Vector3::Constant(radius_));
}

double SphereShape::volume() const {
  return 4.0 / 3.0 * std::numbers::pi * radius_ * radius_ * radius_;
}

MassProperties SphereShape::mass_properties(double density) const {
  check_positive("density", density);
  const double mass = density * volume();
  const double J = 0.4 * mass * radius_ * radius_;
  return {mass, Vector3::Zero(), diagonal(J, J, J)};
}

Bounds HalfSpaceShape::bounds(const Placement& pose) const {
  // Bounded only along an axis that is its normal.
  const double infinity = std::numeric_limits<double>::infinity();
  Bounds all{Vector3::Constant(-infinity), Vector3::Constant(infinity)};
  const Vector3 n = pose.A.col(2);
  for (Index i = 0; i < 3; ++i) {
    const Index j = (i + 1) % 3, k = (i + 2) % 3;
    if (n[j] != 0.0 || n[k] != 0.0) continue;
    (n[i] > 0.0 ? all.high : all.low)[i] = pose.r[i];
  }
  return all;
}

double HalfSpaceShape::volume() const { return std::numeric_limits<double>::infinity(); }

MassProperties HalfSpaceShape::mass_properties(double) const {
  reject("shape", "a shape with a finite volume", "a half-space");
}

CapsuleShape::CapsuleShape(double radius, double length) : radius_(radius), length_(length) {
  check_positive("radius", radius);
  check_positive("length", length);
  const Vector3 end = 0.5 * length * Vector3::UnitZ();
  core_ = Polyhedron::segment(-end, end);
}

Bounds CapsuleShape::bounds(const Placement& pose) const {
  const Vector3 half = 0.5 * length_ * pose.A.col(2).cwiseAbs();
  return around(pose.r, half + Vector3::Constant(radius_));
}

double CapsuleShape::volume() const {
  return std::numbers::pi * radius_ * radius_ * (length_ + 4.0 / 3.0 * radius_);
}

MassProperties CapsuleShape::mass_properties(double density) const {
  check_positive("density", density);
  const double r = radius_, half = 0.5 * length_;
  const double middle = density * std::numbers::pi * r * r * length_;
  const double ends = density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
  const double along = 0.5 * middle * r * r + 0.4 * ends * r * r;
  // Two half spheres whose centres of mass are 3/8 r beyond the ends of the segment.
  const double across = middle * (3.0 * r * r + length_ * length_) / 12.0 +
                        ends * (0.4 * r * r + half * half + 0.75 * half * r);
  return {middle + ends, Vector3::Zero(), diagonal(across, across, along)};
}

CylinderShape::CylinderShape(double radius, double length) : radius_(radius), length_(length) {
  check_positive("radius", radius);
  check_positive("length", length);
}

Bounds CylinderShape::bounds(const Placement& pose) const {
  const Vector3 axis = pose.A.col(2);
  const Vector3 across = (1.0 - axis.array().square()).max(0.0).sqrt();
  return around(pose.r, 0.5 * length_ * axis.cwiseAbs() + radius_ * across);
}

double CylinderShape::volume() const { return std::numbers::pi * radius_ * radius_ * length_; }

MassProperties CylinderShape::mass_properties(double density) const {
  check_positive("density", density);
  const double mass = density * volume();
  const double across = mass * (3.0 * radius_ * radius_ + length_ * length_) / 12.0;
  return {mass, Vector3::Zero(), diagonal(across, across, 0.5 * mass * radius_ * radius_)};
}

Index CylinderShape::features() const { return UpperFoot + kFeet; }

}  // namespace nsmb
