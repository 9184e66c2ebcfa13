// Closed forms: half-spaces, spheres and capsules, in the frame of the first shape of a pair.
#pragma once

#include <vector>

#include "nsmb/geometry/polyhedron_pair.hpp"
#include "nsmb/geometry/round_shapes.hpp"

namespace nsmb {

void half_space_sphere(const SphereShape& sphere, const Placement& pose, double reach,
                       std::vector<ShapeContact>& out);
void half_space_capsule(const CapsuleShape& capsule, const Placement& pose, double reach,
                        std::vector<ShapeContact>& out);
void half_space_polyhedron(const Polyhedron& body, const Placement& pose, double reach,
                           std::vector<ShapeContact>& out);
void half_space_cylinder(const CylinderShape& cylinder, const Placement& pose, double reach,
                         std::vector<ShapeContact>& out);
void capsule_capsule(const CapsuleShape& first, const CapsuleShape& second, const Placement& pose,
                     double reach, std::vector<ShapeContact>& out);

/// Find the contact of a sphere at the origin of the first frame with the second shape, given the
/// nearest point `place` of its surface.
void sphere_place(double radius, const SurfacePlace& place, const Placement& pose, double reach,
                  std::vector<ShapeContact>& out);

SurfacePlace nearest_place(const SphereShape& sphere, const Vector3& point);
SurfacePlace nearest_place(const CapsuleShape& capsule, const Vector3& point);
SurfacePlace nearest_place(const CylinderShape& cylinder, const Vector3& point);

}  // namespace nsmb
