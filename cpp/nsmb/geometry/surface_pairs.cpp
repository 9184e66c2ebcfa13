#include "nsmb/geometry/surface_pairs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "nsmb/geometry/manifold.hpp"
#include "nsmb/geometry/surface_cylinder.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr std::size_t kMostPoints = 8;  // with the same normal

/// Return the extension of features beyond their ends, m.
double slack_of(double size, const Bounds& box) {
  const double far = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()).maxCoeff();
  return surfaces::kReach * size +
         surfaces::kRoundings * std::numeric_limits<double>::epsilon() * far;
}

/// Return a box around all facets of a patch.
Bounds bounds_of(const SurfacePatch& patch) {
  Bounds box;
  for (const PatchBorder& border : patch.borders) box.add(border.p);
  return box;
}

void fill_body(const Shape& body, const Placement& pose, double reach, SurfaceScratch& work) {
  if (body.kind() == ShapeKind::Sphere) {
    fill_patch(pose.r, work.body);
    work.body.radius = work.body.depth = as<SphereShape>(body).radius();
    return;
  }
  Bounds box = bounds_of(work.surface);
  if (body.kind() == ShapeKind::Capsule) {
    const auto& capsule = as<CapsuleShape>(body);
    box.widen(std::max(reach, 0.0) + 2.0 * capsule.radius());
    fill_patch(capsule.core(), pose, box, work.patch, work.body);
    work.body.radius = work.body.depth = capsule.radius();
    return;
  }
  const Polyhedron& polyhedron = as<PolyhedronShape>(body).polyhedron();
  box.widen(std::max(reach, 0.0) + polyhedron.half_width());
  fill_patch(polyhedron, pose, box, work.patch, work.body);
}

bool is_known(const ShapeContact& c, const std::vector<ShapeContact>& points, std::size_t begin,
              std::size_t end, double near) {
  for (std::size_t i = begin; i < end; ++i) {
    if (points[i].normal.dot(c.normal) > surfaces::kOneNormal &&
        (points[i].r_1 - c.r_1).squaredNorm() <= near * near &&
        (points[i].r_2 - c.r_2).squaredNorm() <= near * near) {
      return true;
    }
  }
  return false;
}

/// Remove most of the points of [begin, end), which have nearly the same normal.
void thin_out_group(std::vector<ShapeContact>& points, std::size_t begin, double size,
                    std::vector<ShapeContact>& group) {
  const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, points.end(), [](const ShapeContact& a, const ShapeContact& b) {
    return std::tie(a.g_N, a.feature_1, a.feature_2) < std::tie(b.g_N, b.feature_1, b.feature_2);
  });
  group.assign(first + kMostPoints / 2, points.end());
  points.resize(begin + kMostPoints / 2);
  keep_four(group, 0, size);
  points.insert(points.end(), group.begin(), group.end());
}

}  // namespace

void thin_out(std::vector<ShapeContact>& points, std::size_t begin, double size,
              ThinScratch& work) {
  const double near = surfaces::kSamePoint * size;
  std::size_t kept = begin;
  for (std::size_t k = begin; k < points.size(); ++k) {
    if (!is_known(points[k], points, begin, kept, near)) points[kept++] = points[k];
  }
  points.resize(kept);
  if (kept - begin <= kMostPoints) return;
  work.left.assign(points.begin() + static_cast<std::ptrdiff_t>(begin), points.end());
  points.resize(begin);
  while (!work.left.empty()) {
    const std::size_t own = points.size();
    const auto deepest = std::min_element(
        work.left.begin(), work.left.end(),
        [](const ShapeContact& a, const ShapeContact& b) { return a.g_N < b.g_N; });
    const Vector3 normal = deepest->normal;
    const auto others = std::stable_partition(
        work.left.begin(), work.left.end(),
        [&](const ShapeContact& c) { return c.normal.dot(normal) < polyhedra::kSameSide; });
    points.insert(points.end(), others, work.left.end());
    work.left.erase(others, work.left.end());
    if (points.size() - own > kMostPoints) thin_out_group(points, own, size, work.group);
  }
}

void surface_body(const TriangleSurface& surface, const Shape& body, const Placement& pose,
                  double reach, SurfaceScratch& work, std::vector<ShapeContact>& out) {
  Bounds box = body.bounds(pose);
  box.widen(std::max(reach, 0.0));
  fill_patch(surface, box, work.patch, work.surface);
  if (work.surface.facets.empty()) return;
  const double slack = slack_of(body.size(), box);
  work.points.clear();
  if (body.kind() == ShapeKind::Cylinder) {
    surface_cylinder(work.surface, as<CylinderShape>(body), pose, reach, slack, work);
  } else {
    work.surface.depth = std::numeric_limits<double>::infinity();  // the depth of the body counts
    fill_body(body, pose, reach, work);
    patch_contacts(work.surface, work.body, reach, slack, work.feet, work.points);
  }
  thin_out(work.points, 0, body.size(), work.thin);
  out.insert(out.end(), work.points.begin(), work.points.end());
}

void surface_surface(const TriangleSurface& first, const TriangleSurface& second,
                     const Placement& pose, double reach, SurfaceScratch& work,
                     std::vector<ShapeContact>& out) {
  const double size = std::min(first.size(), second.size());
  const double depth = std::min({first.depth(), second.depth(), surfaces::kOpenDepth * size});
  const double near = std::max(reach, 0.0) + depth;
  Bounds box = second.bounds(pose), other = first.bounds(relative(pose, {}));
  box.widen(near);
  other.widen(near);
  fill_patch(first, box, work.patch, work.surface);
  if (work.surface.facets.empty()) return;
  fill_patch(second, other, work.patch, work.body);
  if (work.body.facets.empty()) return;
  move_patch(pose, work.body);
  work.surface.depth = depth;
  const double slack = slack_of(size, first.bounds({}));
  work.points.clear();
  patch_contacts(work.surface, work.body, reach, slack, work.feet, work.points);
  thin_out(work.points, 0, size, work.thin);
  out.insert(out.end(), work.points.begin(), work.points.end());
}

void half_space_surface(const TriangleSurface& surface, const Placement& pose, double reach,
                        SurfaceScratch& work, std::vector<ShapeContact>& out) {
  const Vector3 up = pose.A.row(2).transpose();  // of the half-space, in the surface frame
  work.vertices.clear();
  surface.collect_below(up, reach - pose.r.z(), work.vertices);
  work.points.clear();
  for (const Index v : work.vertices) {
    if (!surface.stands_out(v)) continue;
    work.surface.clear();
    add_corner(surface, v, work.patch, work.surface);
    const PatchCorner& corner = work.surface.corners.front();
    if (!leads_out(work.surface, corner, -up, surfaces::kLean)) continue;
    const Vector3 place = pose.point(corner.r);
    if (place.z() > reach) continue;
    work.points.push_back(
        {place.z(), {place.x(), place.y(), 0.0}, place, Vector3::UnitZ(), 0, corner.feature});
  }
  thin_out(work.points, 0, surface.size(), work.thin);
  out.insert(out.end(), work.points.begin(), work.points.end());
}

}  // namespace nsmb
