#include "nsmb/geometry/feature.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/round_shapes.hpp"
#include "nsmb/geometry/tolerances.hpp"
#include "nsmb/geometry/triangle_surface.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

double within(const std::vector<CellWall>& walls, const Vector3& x) {
  double least = kInfinity;
  for (const CellWall& wall : walls) least = within_both(least, wall.normal.dot(x - wall.r));
  return least;
}

double behind(const std::vector<CellWall>& walls, const Vector3& x) {
  double most = 0.0;
  for (const CellWall& wall : walls) most = std::max(most, -wall.normal.dot(x - wall.r));
  return most;
}

void set_plane(const Vector3& r, const Vector3& normal, const Vector3& along, Feature& feature) {
  feature.surface.skeleton = Skeleton::Plane;
  feature.surface.r = r;
  feature.surface.e = normal;
  feature.surface.along = along;
}

void set_point(const Vector3& r, double radius, Feature& feature) {
  feature.surface.skeleton = Skeleton::Point;
  feature.surface.r = r;
  feature.surface.radius = radius;
}

void set_line(const Vector3& a, const Vector3& b, double radius, Feature& feature) {
  feature.surface.skeleton = Skeleton::Line;
  feature.surface.r = a;
  feature.surface.length = (b - a).norm();
  feature.surface.e = (b - a) / feature.surface.length;
  feature.surface.radius = radius;
  feature.ends.push_back({a, feature.surface.e});
  feature.ends.push_back({b, -feature.surface.e});
}

// Set a line without radius between two faces.
void set_edge(const Vector3& a, const Vector3& b, const Vector3& into_1, const Vector3& into_2,
              Feature& feature) {
  set_line(a, b, 0.0, feature);
  feature.sides.push_back({a, -into_1});
  feature.sides.push_back({a, -into_2});
}

void get_of_capsule(const CapsuleShape& capsule, Index number, Feature& feature) {
  const Vector3 low(0.0, 0.0, -0.5 * capsule.length());
  const double radius = capsule.radius();
  if (number == 0) return set_line(low, -low, radius, feature);
  const Vector3 arm = number == 1 ? Vector3::UnitZ() : Vector3(-Vector3::UnitZ());
  const Vector3 end = number == 1 ? low : Vector3(-low);
  set_point(end, radius, feature);
  // A body lying flat touches with both ends.
  feature.sides.push_back({end + feature_pairs::kFlatEnd * radius * arm, -arm});
}

void get_foot(const CylinderShape& cylinder, Index number, Feature& feature) {
  const double end = number < UpperFoot ? -1.0 : 1.0;
  const double angle = 2.0 * std::numbers::pi / kFeet * static_cast<double>(number - LowerFoot);
  const double radius = cylinder.radius();
  set_point({radius * std::cos(angle), radius * std::sin(angle), 0.5 * end * cylinder.length()},
            0.0, feature);
  feature.surface.e = end * Vector3::UnitZ();
  feature.foot = radius;
}

void get_of_cylinder(const CylinderShape& cylinder, Index number, Feature& feature) {
  if (number >= LowerFoot) return get_foot(cylinder, number, feature);
  const Vector3 low(0.0, 0.0, -0.5 * cylinder.length());
  if (number == Side) return set_line(low, -low, cylinder.radius(), feature);
  const bool is_lower = number == LowerCap || number == LowerRim;
  const Vector3 end = is_lower ? low : Vector3(-low);
  const Vector3 out = is_lower ? Vector3(-Vector3::UnitZ()) : Vector3::UnitZ();
  if (number == LowerCap || number == UpperCap) {
    set_plane(end, out, Vector3::UnitX(), feature);
    feature.disc = cylinder.radius();
    return;
  }
  feature.surface.skeleton = Skeleton::Circle;
  feature.surface.r = end;
  feature.surface.e = out;
  feature.surface.circle = cylinder.radius();
}

void get_of_polyhedron(const Polyhedron& body, Index number, Feature& feature) {
  const auto faces = static_cast<Index>(body.faces().size());
  const auto edges = static_cast<Index>(body.edges().size());
  const auto vertex = [&](Index v) -> const Vector3& { return body.vertices()[at(v)]; };
  if (number < faces) {
    const PolyhedronFace& face = body.faces()[at(number)];
    const Vector3 &a = vertex(body.loops()[at(face.begin)]),
                  &b = vertex(body.loops()[at(face.begin + 1)]);
    set_plane(a, face.normal, (b - a).normalized(), feature);
    for (Index i = face.begin; i < face.end; ++i) {
      const PolyhedronEdge& e = body.edges()[at(body.loop_edges()[at(i)])];
      feature.ends.push_back({vertex(e.tail), e.left == number ? e.into_left : e.into_right});
    }
    return;
  }
  if (number < faces + edges) {
    const PolyhedronEdge& e = body.edges()[at(number - faces)];
    return set_edge(vertex(e.tail), vertex(e.head), e.into_left, e.into_right, feature);
  }
  const Index own = number - faces - edges;
  set_point(vertex(own), 0.0, feature);
  for (Index i = body.around_begin()[at(own)]; i < body.around_begin()[at(own + 1)]; ++i) {
    const PolyhedronFace& face = body.faces()[at(body.around()[at(i)])];
    for (Index k = face.begin; k < face.end; ++k) {
      if (body.loops()[at(k)] != own) continue;
      const PolyhedronEdge& e = body.edges()[at(body.loop_edges()[at(k)])];
      const Vector3& far = vertex(e.tail == own ? e.head : e.tail);
      feature.sides.push_back({vertex(own), (vertex(own) - far).normalized()});
    }
  }
}

void get_of_surface(const TriangleSurface& surface, Index number, Feature& feature) {
  SurfaceTriangle t;
  const Index triangles = surface.triangles(), edges = surface.edges();
  if (number < triangles) {
    surface.get(number, t);
    set_plane(t.corner[0], t.normal, (t.corner[1] - t.corner[0]).normalized(), feature);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3 into = t.normal.cross(t.corner[(i + 1) % 3] - t.corner[i]).normalized();
      feature.ends.push_back({t.corner[i], into});
    }
    return;
  }
  if (number < triangles + edges) {
    const Index side = surface.side_of(number - triangles);
    surface.get(side / 3, t);
    const auto i = at(side % 3);
    const Vector3 &a = t.corner[i], &b = t.corner[(i + 1) % 3], along = (b - a).normalized();
    const Vector3 into = t.normal.cross(along);
    // An open edge ends as if a wall extended straight down from it.
    if (t.neighbour[i] < 0) return set_edge(a, b, into, -t.normal, feature);
    return set_edge(a, b, into, along.cross(surface.normal(t.neighbour[i])), feature);
  }
  const Index own = number - triangles - edges;
  const Vector3 place = surface.vertex(own);
  set_point(place, 0.0, feature);
  std::vector<Index> around;
  surface.around(own, around);
  for (const Index k : around) {
    surface.get(k, t);
    for (std::size_t i = 0; i < 3; ++i) {
      if (t.vertex[i] == own) continue;
      feature.sides.push_back({place, (place - t.corner[i]).normalized()});
    }
  }
}

bool is_near(const Bounds& box, const Vector3& a, const Vector3& b) {
  return box.overlaps({a.cwiseMin(b), a.cwiseMax(b)});
}

void collect_of_polyhedron(const Polyhedron& body, const Bounds& box, std::vector<Index>& found) {
  for (std::size_t f = 0; f < body.faces().size(); ++f) {
    Bounds own;
    const PolyhedronFace& face = body.faces()[f];
    for (Index i = face.begin; i < face.end; ++i) own.add(body.vertices()[at(body.loops()[at(i)])]);
    if (box.overlaps(own)) found.push_back(body.face_feature(static_cast<Index>(f)));
  }
  for (std::size_t k = 0; k < body.edges().size(); ++k) {
    const PolyhedronEdge& e = body.edges()[k];
    if (is_near(box, body.vertices()[at(e.tail)], body.vertices()[at(e.head)])) {
      found.push_back(body.edge_feature(static_cast<Index>(k)));
    }
  }
  for (std::size_t v = 0; v < body.vertices().size(); ++v) {
    if (is_near(box, body.vertices()[v], body.vertices()[v])) {
      found.push_back(body.vertex_feature(static_cast<Index>(v)));
    }
  }
}

void collect_of_surface(const TriangleSurface& surface, const Bounds& box,
                        std::vector<Index>& found) {
  surface.collect(box, found);
  SurfaceTriangle t;
  const std::size_t end = found.size();
  for (std::size_t k = 0; k < end; ++k) {
    surface.get(found[k], t);
    for (std::size_t i = 0; i < 3; ++i) {
      const Bend bend = surface.bend(t.edge[i]);
      if (bend == Bend::Convex || bend == Bend::Open)
        found.push_back(surface.edge_feature(t.edge[i]));
      if (surface.stands_out(t.vertex[i])) found.push_back(surface.vertex_feature(t.vertex[i]));
    }
  }
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(end), found.end());
  found.erase(std::unique(found.begin() + static_cast<std::ptrdiff_t>(end), found.end()),
              found.end());
}

}  // namespace

double within_both(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  if (std::isinf(high)) return low;
  const double root = std::hypot(a, b);
  return high > 0.0 ? low - low * (low / (high + root)) : low + high - root;
}

double Feature::within_ends(const Vector3& x) const {
  double least = within(ends, x);
  if (disc < kInfinity) {
    const Vector3 d = x - surface.r;
    least = within_both(least, disc - (d - surface.e.dot(d) * surface.e).norm());
  }
  if (surface.skeleton == Skeleton::Circle) {
    const Vector3 d = x - surface.r;
    const double height = surface.e.dot(d);
    least = within_both(height, (d - height * surface.e).norm() - surface.circle);
  }
  return least;
}

double Feature::within_cell(const Vector3& x) const {
  return within_both(within_ends(x), within(sides, x));
}

double Feature::behind_ends(const Vector3& x) const {
  const bool is_round = disc < kInfinity || surface.skeleton == Skeleton::Circle;
  return std::max(behind(ends, x), is_round ? -std::min(within_ends(x), 0.0) : 0.0);
}

double Feature::behind_cell(const Vector3& x) const {
  return std::max(behind_ends(x), behind(sides, x));
}

double Feature::within_lean(const Vector3& n) const {
  const bool is_rim = surface.skeleton == Skeleton::Circle;
  if (!is_rim && foot == 0.0) return kInfinity;
  const double lean = n.cross(surface.e).norm() / feature_pairs::kOnFeet;
  return is_rim ? surface.circle * (lean - 1.0) : foot * (1.0 - lean);
}

double Feature::lean(const Vector3& n) const {
  double most = -1.0;
  for (const CellWall& side : sides) most = std::max(most, -side.normal.dot(n));
  return most;
}

bool stands_on_feet(double sine) { return sine <= feature_pairs::kOnFeet; }

bool has_feature_pairs(ShapeKind kind_1, ShapeKind kind_2) {
  const auto is_cylinder = [](ShapeKind kind) { return kind == ShapeKind::Cylinder; };
  const auto is_plain = [](ShapeKind kind) {
    return kind == ShapeKind::HalfSpace || kind == ShapeKind::Sphere;
  };
  if (is_cylinder(kind_1)) return is_plain(kind_2);
  if (is_cylinder(kind_2)) return is_plain(kind_1);
  return kind_1 != ShapeKind::HalfSpace || kind_2 != ShapeKind::HalfSpace;
}

void get_feature(const Shape& shape, Index number, Feature& feature) {
  feature.surface = {};
  feature.ends.clear();
  feature.sides.clear();
  feature.disc = kInfinity;
  feature.foot = 0.0;
  switch (shape.kind()) {
    case ShapeKind::HalfSpace:
      return set_plane(Vector3::Zero(), Vector3::UnitZ(), Vector3::UnitX(), feature);
    case ShapeKind::Sphere:
      return set_point(Vector3::Zero(), as<SphereShape>(shape).radius(), feature);
    case ShapeKind::Cylinder:
      return get_of_cylinder(as<CylinderShape>(shape), number, feature);
    case ShapeKind::Capsule:
      return get_of_capsule(as<CapsuleShape>(shape), number, feature);
    case ShapeKind::Polyhedron:
      return get_of_polyhedron(as<PolyhedronShape>(shape).polyhedron(), number, feature);
    default:
      return get_of_surface(as<TriangleSurface>(shape), number, feature);
  }
}

void collect_features(const Shape& shape, const Bounds& box, std::vector<Index>& found) {
  found.clear();
  switch (shape.kind()) {
    case ShapeKind::HalfSpace:
    case ShapeKind::Sphere:
      return found.push_back(0);
    case ShapeKind::Capsule:
      return found.insert(found.end(), {0, 1, 2}), void();
    case ShapeKind::Cylinder:
      return found.insert(found.end(), {LowerCap, UpperCap, Side, LowerRim, UpperRim}), void();
    case ShapeKind::Polyhedron:
      return collect_of_polyhedron(as<PolyhedronShape>(shape).polyhedron(), box, found);
    default:
      return collect_of_surface(as<TriangleSurface>(shape), box, found);
  }
}

}  // namespace nsmb
