// Shapes in space: the surface of a body, in a frame of its own.
//
// A shape has features, numbered: the pieces of its surface on which contact points lie. As long as
// a contact keeps its features it is the same contact.
#pragma once

#include <vector>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

/// In the order in which pairs are taken: the first of a pair is never the later kind.
enum class ShapeKind {
  HalfSpace,
  Sphere,
  Cylinder,
  Capsule,
  Polyhedron,
  HeightField,
  TriangleMesh,
};

/// Of a body of uniform density.
struct MassProperties {
  double mass = 0.0;                  // kg
  Vector3 center = Vector3::Zero();   // m, in the frame of the shape
  Matrix3 inertia = Matrix3::Zero();  // kg m², about the centre, along the axes of the shape
};

/// Immutable; shared between the bodies and threads that use it.
class Shape {
 public:
  virtual ~Shape() = default;
  virtual ShapeKind kind() const = 0;
  /// The smallest box along the axes around the shape, or little more.
  virtual Bounds bounds(const Placement& pose) const = 0;
  /// m³; zero where the surface is not closed, infinite where it has no end.
  virtual double volume() const = 0;
  /// Density in kg/m³. Throws std::invalid_argument for a shape without finite volume.
  virtual MassProperties mass_properties(double density) const = 0;
  /// m, the largest extent of the finite part: what small is compared with.
  virtual double size() const = 0;
  /// Features are 0 ... features() - 1.
  virtual Index features() const = 0;
};

/// The shape as what its kind says it is.
template <class T>
const T& as(const Shape& shape) {
  return static_cast<const T&>(shape);
}

}  // namespace nsmb
