// Sphere, half-space, capsule and cylinder.
#pragma once

#include <algorithm>

#include "nsmb/geometry/polyhedron.hpp"
#include "nsmb/geometry/shape.hpp"

namespace nsmb {

/// A sphere centred at its origin. One feature.
class SphereShape : public Shape {
 public:
  explicit SphereShape(double radius);
  double radius() const { return radius_; }

  ShapeKind kind() const override { return ShapeKind::Sphere; }
  Bounds bounds(const Placement& pose) const override;
  double volume() const override;
  MassProperties mass_properties(double density) const override;
  double size() const override { return 2.0 * radius_; }
  Index features() const override { return 1; }

 private:
  double radius_;
};

/// The points with z <= 0. One feature.
class HalfSpaceShape : public Shape {
 public:
  ShapeKind kind() const override { return ShapeKind::HalfSpace; }
  Bounds bounds(const Placement& pose) const override;
  double volume() const override;
  MassProperties mass_properties(double density) const override;
  double size() const override { return 0.0; }
  Index features() const override { return 1; }
};

/// All points within `radius` of a segment of `length` along z, centred at the origin. Features: 0
/// the straight part, 1 and 2 the ends at negative and at positive z.
class CapsuleShape : public Shape {
 public:
  CapsuleShape(double radius, double length);
  double radius() const { return radius_; }
  double length() const { return length_; }
  /// The segment; its features have the same numbers as those of the capsule.
  const Polyhedron& core() const { return core_; }

  ShapeKind kind() const override { return ShapeKind::Capsule; }
  Bounds bounds(const Placement& pose) const override;
  double volume() const override;
  MassProperties mass_properties(double density) const override;
  double size() const override { return length_ + 2.0 * radius_; }
  Index features() const override { return 3; }

 private:
  double radius_, length_;
  Polyhedron core_;
};

/// A cylinder with axis along z, centred at the origin. Features: see CylinderFeature.
class CylinderShape : public Shape {
 public:
  CylinderShape(double radius, double length);
  double radius() const { return radius_; }
  double length() const { return length_; }

  ShapeKind kind() const override { return ShapeKind::Cylinder; }
  Bounds bounds(const Placement& pose) const override;
  double volume() const override;
  MassProperties mass_properties(double density) const override;
  double size() const override { return std::max(length_, 2.0 * radius_); }
  Index features() const override;

 private:
  double radius_, length_;
};

/// Lower is at negative z. A rim is one feature where it touches at one point. Where a whole cap
/// rests, it is represented by four points of the rim, numbered from `LowerRest` or `UpperRest` on.
enum CylinderFeature : Index {
  LowerCap = 0,
  UpperCap = 1,
  Side = 2,
  LowerRim = 3,
  UpperRim = 4,
  LowerRest = 5,
  UpperRest = 9,
  LowerFoot = 13,
  UpperFoot = 19,
};

/// Points of each rim, `LowerFoot` or `UpperFoot` on, that stand for it where its cap lies flat on
/// a plane and events are located.
inline constexpr Index kFeet = UpperFoot - LowerFoot;

}  // namespace nsmb
