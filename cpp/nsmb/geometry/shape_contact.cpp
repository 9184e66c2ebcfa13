#include "nsmb/geometry/shape_contact.hpp"

#include <algorithm>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/cylinder_pairs.hpp"
#include "nsmb/geometry/round_pairs.hpp"
#include "nsmb/geometry/surface_pairs.hpp"

namespace nsmb {

struct ContactScratch::Parts {
  PolyhedronScratch polyhedra;
  CylinderScratch cylinders;
  SurfaceScratch surfaces;
};

ContactScratch::ContactScratch() : parts_(std::make_unique<Parts>()) {}
ContactScratch::~ContactScratch() = default;

namespace {

struct Pair {
  const Shape& first;
  const Shape& second;
  const Placement& pose;  // of the second in the frame of the first
  double reach;
};

void with_half_space(const Pair& p, std::vector<ShapeContact>& out) {
  switch (p.second.kind()) {
    case ShapeKind::Sphere:
      return half_space_sphere(as<SphereShape>(p.second), p.pose, p.reach, out);
    case ShapeKind::Capsule:
      return half_space_capsule(as<CapsuleShape>(p.second), p.pose, p.reach, out);
    case ShapeKind::Polyhedron:
      return half_space_polyhedron(as<PolyhedronShape>(p.second).polyhedron(), p.pose, p.reach,
                                   out);
    case ShapeKind::Cylinder:
      return half_space_cylinder(as<CylinderShape>(p.second), p.pose, p.reach, out);
    default:
      return;
  }
}

void with_sphere(const Pair& p, std::vector<ShapeContact>& out) {
  const Vector3 center = p.pose.local(Vector3::Zero());
  SurfacePlace place;
  switch (p.second.kind()) {
    case ShapeKind::Sphere:
      place = nearest_place(as<SphereShape>(p.second), center);
      break;
    case ShapeKind::Capsule:
      place = nearest_place(as<CapsuleShape>(p.second), center);
      break;
    case ShapeKind::Polyhedron:
      place = nearest_place(as<PolyhedronShape>(p.second).polyhedron(), center);
      break;
    case ShapeKind::Cylinder:
      place = nearest_place(as<CylinderShape>(p.second), center);
      break;
    default:
      return;
  }
  sphere_place(as<SphereShape>(p.first).radius(), place, p.pose, p.reach, out);
}

RoundedPolyhedron rounded(const Shape& shape) {
  if (shape.kind() == ShapeKind::Capsule) {
    const auto& capsule = as<CapsuleShape>(shape);
    return {&capsule.core(), capsule.radius()};
  }
  return {&as<PolyhedronShape>(shape).polyhedron(), 0.0};
}

bool is_surface(const Shape& shape) { return shape.kind() >= ShapeKind::HeightField; }

/// Handle a pair whose second shape is a surface: the search is in its frame, with the surface
/// first.
void with_surface(const Pair& p, SurfaceScratch& work, std::vector<ShapeContact>& out) {
  const auto& surface = as<TriangleSurface>(p.second);
  if (p.first.kind() == ShapeKind::HalfSpace) {
    return half_space_surface(surface, p.pose, p.reach, work, out);
  }
  const std::size_t begin = out.size();
  const Placement pose = relative(p.pose, {});
  if (is_surface(p.first)) {
    surface_surface(surface, as<TriangleSurface>(p.first), pose, p.reach, work, out);
  } else {
    surface_body(surface, p.first, pose, p.reach, work, out);
  }
  for (std::size_t i = begin; i < out.size(); ++i) {
    const ShapeContact& c = out[i];
    out[i] = {c.g_N,       p.pose.point(c.r_2), p.pose.point(c.r_1), -p.pose.direction(c.normal),
              c.feature_2, c.feature_1};
  }
}

void in_order(const Pair& p, ContactScratch::Parts& work, PairHint* hint,
              std::vector<ShapeContact>& out) {
  if (is_surface(p.second)) return with_surface(p, work.surfaces, out);
  if (p.first.kind() == ShapeKind::HalfSpace) return with_half_space(p, out);
  if (p.first.kind() == ShapeKind::Sphere) return with_sphere(p, out);
  if (p.first.kind() == ShapeKind::Cylinder) {
    const auto& cylinder = as<CylinderShape>(p.first);
    if (p.second.kind() == ShapeKind::Cylinder) {
      return cylinder_cylinder(cylinder, as<CylinderShape>(p.second), p.pose, p.reach,
                               work.cylinders, out);
    }
    return cylinder_polyhedron(cylinder, rounded(p.second), p.pose, p.reach, work.cylinders, out);
  }
  if (p.second.kind() == ShapeKind::Capsule) {
    return capsule_capsule(as<CapsuleShape>(p.first), as<CapsuleShape>(p.second), p.pose, p.reach,
                           out);
  }
  if (p.second.kind() == ShapeKind::Polyhedron) {
    polyhedron_contacts(rounded(p.first), rounded(p.second), p.pose, p.reach, hint, work.polyhedra,
                        out);
  }
}

}  // namespace

bool can_touch(ShapeKind kind_1, ShapeKind kind_2) {
  return kind_1 != ShapeKind::HalfSpace || kind_2 != ShapeKind::HalfSpace;
}

void contact_points(const Shape& shape_1, const Placement& pose_1, const Shape& shape_2,
                    const Placement& pose_2, double reach, ContactScratch& scratch, PairHint* hint,
                    std::vector<ShapeContact>& out) {
  const std::size_t begin = out.size();
  const bool is_turned = shape_2.kind() < shape_1.kind();
  const Placement& base = is_turned ? pose_2 : pose_1;
  if (is_turned) {
    // The hint is a direction from 1 to 2, in the frame of the shape that comes first.
    in_order({shape_2, shape_1, relative(pose_2, pose_1), reach}, scratch.parts(), hint, out);
  } else {
    in_order({shape_1, shape_2, relative(pose_1, pose_2), reach}, scratch.parts(), hint, out);
  }
  for (std::size_t i = begin; i < out.size(); ++i) {
    ShapeContact& c = out[i];
    c.r_1 = base.point(c.r_1);
    c.r_2 = base.point(c.r_2);
    c.normal = base.direction(c.normal);
    if (!is_turned) continue;
    std::swap(c.r_1, c.r_2);
    std::swap(c.feature_1, c.feature_2);
    c.normal = -c.normal;
  }
}

}  // namespace nsmb
