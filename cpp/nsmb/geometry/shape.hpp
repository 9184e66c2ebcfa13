// Shapes in space: the surface of a body, in a frame of its own.
//
// A shape has numbered features: the pieces of its surface on which contact points lie. A contact
// is the same as long as it keeps its features.
#pragma once

#include <vector>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

/// The order of kinds in a pair: the first shape of a pair is never of a later kind.
enum class ShapeKind {
  HalfSpace,
  Sphere,
  Cylinder,
  Capsule,
  Polyhedron,
  HeightField,
  TriangleMesh,
};

/// Mass properties of a body of uniform density.
struct MassProperties {
  double mass = 0.0;                  // kg
  Vector3 center = Vector3::Zero();   // m, in the frame of the shape
  Matrix3 inertia = Matrix3::Zero();  // kg m², about the centre, along the axes of the shape
};

/// A shape in space. Immutable; shared between the bodies and threads that use it.
class Shape {
 public:
  virtual ~Shape() = default;
  virtual ShapeKind kind() const = 0;
  /// Return the smallest axis-aligned box around the shape, or a slightly larger one.
  virtual Bounds bounds(const Placement& pose) const = 0;
  /// Return the volume, m³; zero if the surface is not closed, infinite if it is unbounded.
  virtual double volume() const = 0;
  /// Return the mass properties for a density in kg/m³. Throws std::invalid_argument for a shape
  /// without finite volume.
  virtual MassProperties mass_properties(double density) const = 0;
  /// Return the largest extent of the finite part, m: the reference for small lengths.
  virtual double size() const = 0;
  /// Features are 0 ... features() - 1.
  virtual Index features() const = 0;
};

/// Cast a shape to the class of its kind.
template <class T>
const T& as(const Shape& shape) {
  return static_cast<const T&>(shape);
}

}  // namespace nsmb
