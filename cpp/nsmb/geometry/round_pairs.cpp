#include "nsmb/geometry/round_pairs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

/// Add a point of the second shape over the half-space z <= 0.
void add_over_plane(const Vector3& place, Index feature, double reach,
                    std::vector<ShapeContact>& out) {
  if (place.z() > reach) return;
  out.push_back({place.z(), {place.x(), place.y(), 0.0}, place, Vector3::UnitZ(), 0, feature});
}

/// Return a with length 1, or `otherwise` if it is too short to have a direction.
Vector3 direction_or(const Vector3& a, double least, const Vector3& otherwise) {
  const double length = a.norm();
  return length > least ? Vector3(a / length) : otherwise;
}

Vector3 any_across(const Vector3& a) {
  Index smallest = 0;
  a.cwiseAbs().minCoeff(&smallest);
  return a.cross(Vector3::Unit(smallest)).normalized();
}

/// Return the end or straight part of a capsule for a position along its segment.
Index capsule_feature(double z, double half) { return z <= -half ? 1 : z >= half ? 2 : 0; }

}  // namespace

void half_space_sphere(const SphereShape& sphere, const Placement& pose, double reach,
                       std::vector<ShapeContact>& out) {
  add_over_plane(pose.r - sphere.radius() * Vector3::UnitZ(), 0, reach, out);
}

void half_space_capsule(const CapsuleShape& capsule, const Placement& pose, double reach,
                        std::vector<ShapeContact>& out) {
  const Vector3 half = 0.5 * capsule.length() * pose.A.col(2);
  const Vector3 down = capsule.radius() * Vector3::UnitZ();
  add_over_plane(pose.r - half - down, 1, reach, out);
  add_over_plane(pose.r + half - down, 2, reach, out);
}

void half_space_polyhedron(const Polyhedron& body, const Placement& pose, double reach,
                           std::vector<ShapeContact>& out) {
  const std::size_t begin = out.size();
  const std::vector<Vector3>& vertices = body.vertices();
  const Vector3 up = pose.A.row(2).transpose();  // of the half-space, in the body frame
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (up.dot(vertices[v]) + pose.r.z() > reach) continue;
    add_over_plane(pose.point(vertices[v]), body.vertex_feature(static_cast<Index>(v)), reach, out);
  }
  if (out.size() - begin <= 4) return;
  // Keep only the points on the lowest face, and the lowest vertex.
  const auto lowest =
      std::min_element(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                       [](const ShapeContact& a, const ShapeContact& b) { return a.g_N < b.g_N; });
  const Index deepest = lowest->feature_2;
  const std::vector<Index>& around = body.around();
  const std::vector<Index>& first = body.around_begin();
  const auto vertex = static_cast<std::size_t>(deepest - body.vertex_feature(0));
  Index face = -1;
  double least = 2.0;
  for (Index i = first[vertex]; i < first[vertex + 1]; ++i) {
    const Index f = around[static_cast<std::size_t>(i)];
    const double cosine = up.dot(body.faces()[static_cast<std::size_t>(f)].normal);
    if (cosine < least) {
      least = cosine;
      face = f;
    }
  }
  const PolyhedronFace& f = body.faces()[static_cast<std::size_t>(face)];
  const auto loop = body.loops().begin();
  out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                           [&](const ShapeContact& c) {
                             const Index v = c.feature_2 - body.vertex_feature(0);
                             return c.feature_2 != deepest &&
                                    std::find(loop + f.begin, loop + f.end, v) == loop + f.end;
                           }),
            out.end());
  keep_four(out, begin, body.size());
}

void half_space_cylinder(const CylinderShape& cylinder, const Placement& pose, double reach,
                         std::vector<ShapeContact>& out) {
  const Vector3 axis = pose.A.col(2);
  const double cosine = axis.z();
  const double sine = std::hypot(axis.x(), axis.y());
  const bool is_flat = sine * cylinder.radius() <= polyhedra::kSameGap * cylinder.size();
  // (cos a - e_z) / sin, without the difference, which is inaccurate where a cap is nearly flat.
  const Vector3 slope(cosine * axis.x() / sine, cosine * axis.y() / sine, -sine);
  const Vector3 down = is_flat ? Vector3(pose.A.col(0)) : slope;
  const double sign = cosine > 0.0 ? -1.0 : 1.0;  // which cap is lower
  const Vector3 low = pose.r + sign * 0.5 * cylinder.length() * axis;
  const Vector3 high = pose.r - sign * 0.5 * cylinder.length() * axis;
  const Index low_rim = sign > 0.0 ? UpperRim : LowerRim;
  const Index high_rim = sign > 0.0 ? LowerRim : UpperRim;
  const std::size_t begin = out.size();
  add_over_plane(low + cylinder.radius() * down, low_rim, reach, out);
  if (sine > polyhedra::kAlong) {
    add_over_plane(high + cylinder.radius() * down, high_rim, reach, out);
    // Other points count only below the plane. Without them a wobbling body sinks in at the one
    // point that is lowest at each search.
    reach = std::min(reach, 0.0);
  }
  const Vector3 side = axis.cross(down);
  const Index rest = sign > 0.0 ? UpperRest : LowerRest;
  add_over_plane(low + cylinder.radius() * side, rest + 1, reach, out);
  add_over_plane(low - cylinder.radius() * down, rest + 2, reach, out);
  add_over_plane(low - cylinder.radius() * side, rest + 3, reach, out);
  keep_four(out, begin, cylinder.size());
}

void sphere_place(double radius, const SurfacePlace& place, const Placement& pose, double reach,
                  std::vector<ShapeContact>& out) {
  const double gap = place.distance - radius;
  if (gap > reach) return;
  const Vector3 n = -pose.direction(place.normal);
  const Vector3 r_2 = pose.point(place.r);
  out.push_back({gap, radius * n, r_2, n, 0, place.feature});
}

SurfacePlace nearest_place(const SphereShape& sphere, const Vector3& point) {
  SurfacePlace result;
  const double length = point.norm();
  result.normal = direction_or(point, polyhedra::kNoDirection * sphere.radius(), Vector3::UnitZ());
  result.distance = length - sphere.radius();
  result.r = sphere.radius() * result.normal;
  return result;
}

SurfacePlace nearest_place(const CapsuleShape& capsule, const Vector3& point) {
  SurfacePlace result;
  const double half = 0.5 * capsule.length();
  const Vector3 core(0.0, 0.0, std::clamp(point.z(), -half, half));
  const Vector3 d = point - core;
  result.normal = direction_or(d, polyhedra::kNoDirection * capsule.radius(), Vector3::UnitX());
  result.distance = d.norm() - capsule.radius();
  result.r = core + capsule.radius() * result.normal;
  result.feature = capsule_feature(point.z(), half);
  return result;
}

SurfacePlace nearest_place(const CylinderShape& cylinder, const Vector3& point) {
  SurfacePlace result;
  const double half = 0.5 * cylinder.length(), R = cylinder.radius();
  const double rho = std::hypot(point.x(), point.y());
  const Vector3 radial =
      direction_or({point.x(), point.y(), 0.0}, polyhedra::kNoDirection * R, Vector3::UnitX());
  const double up = point.z() >= 0.0 ? 1.0 : -1.0;
  const double beyond_cap = std::abs(point.z()) - half, beyond_side = rho - R;
  if (beyond_cap > 0.0 && beyond_side > 0.0) {
    const Vector3 rim = R * radial + up * half * Vector3::UnitZ();
    result.distance = std::hypot(beyond_cap, beyond_side);
    result.r = rim;
    result.normal = (beyond_side * radial + up * beyond_cap * Vector3::UnitZ()) / result.distance;
    result.feature = up > 0.0 ? UpperRim : LowerRim;
  } else if (beyond_cap > beyond_side) {
    result.distance = beyond_cap;
    result.normal = up * Vector3::UnitZ();
    result.r = point - beyond_cap * result.normal;
    result.feature = up > 0.0 ? UpperCap : LowerCap;
  } else {
    result.distance = beyond_side;
    result.normal = radial;
    result.r = R * radial + point.z() * Vector3::UnitZ();
    result.feature = Side;
  }
  return result;
}

void capsule_capsule(const CapsuleShape& first, const CapsuleShape& second, const Placement& pose,
                     double reach, std::vector<ShapeContact>& out) {
  const std::size_t begin = out.size();
  const double a = 0.5 * first.length(), b = 0.5 * second.length();
  const Vector3 d_1 = Vector3::UnitZ(), d_2 = pose.A.col(2), r = pose.r;
  const double size = std::min(first.size(), second.size());
  const double sine = d_1.cross(d_2).norm();
  const double cosine = d_2.z(), along_1 = r.z(), along_2 = -r.dot(d_2);
  const auto foot_1 = [&](double t) { return std::clamp(along_1 + t * cosine, -a, a); };
  const auto foot_2 = [&](double s) { return std::clamp(along_2 + s * cosine, -b, b); };
  const auto add = [&](double s, double t) {
    const Vector3 p = s * d_1, q = r + t * d_2, d = q - p;
    const double length = d.norm();
    const double gap = length - first.radius() - second.radius();
    if (gap > reach) return;
    const Vector3 across =
        sine > polyhedra::kParallelEdges ? Vector3(d_1.cross(d_2) / sine) : any_across(d_1);
    const Vector3 n = direction_or(d, polyhedra::kNoDirection * size, across);
    const ShapeContact c{gap, p + first.radius() * n, q - second.radius() * n,
                         n,   capsule_feature(s, a),  capsule_feature(t, b)};
    for (std::size_t i = begin; i < out.size(); ++i) {
      if (out[i].feature_1 == c.feature_1 && out[i].feature_2 == c.feature_2) {
        if (c.g_N < out[i].g_N) out[i] = c;
        return;
      }
    }
    out.push_back(c);
  };
  // Nearest points: within both segments, or at an end of one.
  double best_s = 0.0, best_t = 0.0, least = std::numeric_limits<double>::infinity();
  const auto try_places = [&](double s, double t) {
    const double square = (r + t * d_2 - s * d_1).squaredNorm();
    if (square < least) {
      least = square;
      best_s = s;
      best_t = t;
    }
  };
  if (sine > polyhedra::kParallelEdges) {
    const Vector3 c = d_1.cross(d_2);
    const double s = r.cross(d_2).dot(c) / (sine * sine), t = r.cross(d_1).dot(c) / (sine * sine);
    if (std::abs(s) <= a && std::abs(t) <= b) try_places(s, t);
  }
  for (const double s : {-a, a}) try_places(s, foot_2(s));
  for (const double t : {-b, b}) try_places(foot_1(t), t);
  if (sine >= polyhedra::kAlong) return add(best_s, best_t);
  // Nearly parallel: both ends of the common segment, and the nearest points if these are nearer.
  const double reach_1 = b * std::abs(cosine);
  const double low = std::max(-a, along_1 - reach_1), high = std::min(a, along_1 + reach_1);
  if (low < high) {
    for (const double s : {low, high}) add(s, foot_2(s));
  }
  for (std::size_t i = begin; i < out.size(); ++i) {
    const double nearest = std::sqrt(least) - first.radius() - second.radius();
    if (out[i].g_N <= nearest + polyhedra::kFaceFirst * size) return;
  }
  add(best_s, best_t);
}

}  // namespace nsmb
