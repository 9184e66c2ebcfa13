#include "nsmb/geometry/surface_cylinder.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/cylinder_axes.hpp"
#include "nsmb/geometry/cylinder_places.hpp"
#include "nsmb/geometry/round_pairs.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

class SurfaceCylinder {
 public:
  SurfaceCylinder(const SurfacePatch& surface, const CylinderShape& cylinder, const Placement& pose,
                  double reach, double slack, SurfaceScratch& work)
      : surface_(surface),
        shape_(cylinder),
        pose_(pose),
        c_{pose.r, pose.A.col(2), cylinder.radius(), 0.5 * cylinder.length()},
        limit_(reach),
        depth_(std::min(c_.radius, c_.half)),
        slack_(slack),
        lines_(work.directions),
        points_(work.points) {}

  void run() {
    for (const PatchFacet& facet : surface_.facets) add_facet(facet);
    for (const PatchCorner& corner : surface_.corners) add_corner(corner);
    const std::size_t crossings = points_.size();
    for (const PatchEdge& edge : surface_.edges) {
      if (c_.axis.cross(edge.b - edge.a).norm() <= polyhedra::kAlong * (edge.b - edge.a).norm()) {
        add_along_axis(edge);
      } else {
        add_across_axis(edge);
      }
      add_rims(edge);
      add_under_cap(edge);
    }
    drop_deeper_crossings(points_, 0, crossings, slack_);
  }

 private:
  bool is_near(double gap) const { return gap <= limit_ && gap >= -depth_; }

  void add(double gap, const Vector3& p, const Vector3& q, const Vector3& n, Index own, Index its) {
    points_.push_back({gap, p, q, n, own, its});
  }

  /// Add the points of the cylinder that are lowest over a facet: of the rim the lowest one and
  /// those of four at quarters that are below the facet, or all four where the cap lies flat. A
  /// side that lies along the facet has both ends.
  void add_facet(const PatchFacet& facet) {
    const Vector3 down = -facet.normal;
    if (!is_near(-c_.support(down) - facet.offset)) return;
    const double along = c_.axis.dot(down);
    const Vector3 across = c_.across(down);
    const double sine = across.norm();
    if (std::abs(along) <= polyhedra::kAlong) {
      const Vector3 line = c_.center + c_.radius / sine * across;
      add_over_facet(facet, line - c_.half * c_.axis, LowerRim);
      add_over_facet(facet, line + c_.half * c_.axis, UpperRim);
      return;
    }
    const bool is_flat = sine <= polyhedra::kAlong, is_upper = along > 0.0;
    if (!is_flat) add_over_facet(facet, c_.furthest(down), is_upper ? UpperRim : LowerRim);
    lines_.clear();
    add_rest_places(c_, down, is_upper ? 1.0 : -1.0, lines_);
    for (Index k = is_flat ? 0 : 1; k < std::ssize(lines_); ++k) {
      const Vector3& place = lines_[static_cast<std::size_t>(k)];
      if (!is_flat && facet.normal.dot(place) > facet.offset) continue;
      add_over_facet(facet, place, (is_upper ? UpperRest : LowerRest) + k);
    }
  }

  void add_over_facet(const PatchFacet& facet, const Vector3& place, Index feature) {
    const double gap = facet.normal.dot(place) - facet.offset;
    if (!is_near(gap)) return;
    const double beyond = surfaces::kBeyond * depth_;
    if (place_of_foot(surface_, facet, place, gap, slack_, beyond) == FootPlace::Outside) return;
    if (gap < 0.0 && leaves_sooner(place, -gap, nullptr)) return;
    add(gap, place - gap * facet.normal, place, facet.normal, facet.feature, feature);
  }

  /// Return true if a point of a rim is less than `depth` in front of a facet, or leaves through a
  /// facet over less than `depth`. The cylinder must end there in the direction of leaving.
  bool leaves_sooner(const Vector3& place, double depth, const PatchEdge* edge) const {
    const Vector3 r = place - c_.center, u = c_.across(r).normalized();
    const Vector3 end = c_.axis.dot(r) > 0.0 ? c_.axis : Vector3(-c_.axis);
    const Vector3 tangent = end.cross(u);
    for (const PatchFacet& facet : surface_.facets) {
      const double height = facet.normal.dot(place) - facet.offset;
      if (std::abs(height) >= depth - slack_) continue;
      if (edge && is_beside(facet, *edge, slack_)) continue;
      const bool ends = -facet.normal.dot(u) >= -surfaces::kLean &&
                        -facet.normal.dot(end) >= -surfaces::kLean &&
                        std::abs(facet.normal.dot(tangent)) <= surfaces::kLean;
      if (height < 0.0 && !ends) continue;
      if (place_of_foot(surface_, facet, place, height, slack_, 0.0) == FootPlace::Within) {
        return true;
      }
    }
    return false;
  }

  void add_corner(const PatchCorner& corner) {
    const SurfacePlace place = nearest_place(shape_, pose_.local(corner.r));
    if (!is_near(place.distance)) return;
    const bool is_cap = place.feature == LowerCap || place.feature == UpperCap;
    const Vector3 n = -pose_.direction(place.normal);
    if (!leads_out(surface_, corner, n, is_cap ? surfaces::kLean : surfaces::kLeadsOut)) return;
    add(place.distance, corner.r, pose_.point(place.r), n, corner.feature, place.feature);
  }

  void add_across_axis(const PatchEdge& edge) {
    const Vector3 d = edge.b - edge.a, c = d.cross(c_.axis);
    const Vector3 r = c_.center - edge.a;
    const double square = c.squaredNorm();
    const double s = r.cross(c_.axis).dot(c) / square, t = r.cross(d).dot(c) / square;
    const double wider = slack_ / d.norm();
    if (s < -wider || s > 1.0 + wider || std::abs(t) > c_.half + slack_) return;
    for (const double sign : {1.0, -1.0}) {
      const Vector3 n = sign * c / std::sqrt(square);
      const double gap = n.dot(r) - c_.radius;
      if (!is_near(gap) || !leads_out(edge, n, surfaces::kCrossingLean)) continue;
      const Vector3 p = edge.a + s * d, q = c_.center + t * c_.axis - c_.radius * n;
      const Vector3 cap = t > 0.0 ? Vector3(-c_.axis) : c_.axis;  // from the edge to the cap
      if (gap < 0.0 && c_.half - std::abs(t) < -gap - slack_ &&
          leads_out(edge, cap, surfaces::kLean)) {
        continue;
      }
      add(gap, p, q, n, edge.feature, Side);
    }
  }

  /// Add both ends of the cylinder over an edge along which it lies; ends of the edge are corners.
  void add_along_axis(const PatchEdge& edge) {
    const Vector3 d = edge.b - edge.a;
    const double rate = c_.axis.dot(d);
    for (const double end : {-1.0, 1.0}) {
      const double s = (end * c_.half - c_.axis.dot(edge.a - c_.center)) / rate;
      if (!(s >= 0.0 && s <= 1.0)) continue;
      const Vector3 p = edge.a + s * d, r = c_.across(c_.center - p);
      const double length = r.norm();
      if (!(length > slack_) || !is_near(length - c_.radius)) continue;
      const Vector3 n = r / length;
      if (!leads_out(edge, n, surfaces::kCrossingLean)) continue;
      const double gap = length - c_.radius;
      add(gap, p, p + gap * n, n, edge.feature, end > 0.0 ? UpperRim : LowerRim);
    }
  }

  void add_rims(const PatchEdge& edge) {
    const Vector3 d = edge.b - edge.a;
    const double length = d.norm();
    for (const double end : {-1.0, 1.0}) {
      lines_.clear();
      rim_line_directions(c_, end, edge.a, d / length, lines_);
      for (const Vector3& m : lines_) {  // from the cylinder to the line
        const double gap = m.dot(edge.a) - c_.support(m);
        if (!is_near(gap) || end * c_.axis.dot(m) <= polyhedra::kSupport) continue;
        if (c_.across(m).norm() <= polyhedra::kSupport) continue;
        if (!leads_out(edge, -m, surfaces::kLeadsOut)) continue;
        const Vector3 q = c_.furthest(m);
        const double s = (q - edge.a).dot(d) / (length * length);
        if (s < -slack_ / length || s > 1.0 + slack_ / length) continue;
        // If the search has not found a root, the points are not along the direction.
        if ((edge.a + s * d - q - gap * m).norm() > surfaces::kRoot * c_.radius) continue;
        if (gap < 0.0 && leaves_sooner(q, -gap, &edge)) continue;
        add(gap, q + gap * m, q, -m, edge.feature, end > 0.0 ? UpperRim : LowerRim);
      }
    }
  }

  /// Add the points where an edge under a flat cap leaves the cap.
  void add_under_cap(const PatchEdge& edge) {
    const Vector3 d = edge.b - edge.a;
    if (std::abs(c_.axis.dot(d)) > polyhedra::kAlong * d.norm()) return;
    const Vector3 across = c_.across(d), from = c_.across(edge.a - c_.center);
    const double a = across.squaredNorm(), b = across.dot(from);
    const double root = b * b - a * (from.squaredNorm() - c_.radius * c_.radius);
    if (!(root > 0.0)) return;
    for (const double end : {-1.0, 1.0}) {
      const Vector3 n = -end * c_.axis;
      if (!leads_out(edge, n, surfaces::kCrossingLean)) continue;
      for (const double sign : {-1.0, 1.0}) {
        const double s = (-b + sign * std::sqrt(root)) / a;
        if (!(s > 0.0 && s < 1.0)) continue;
        const Vector3 p = edge.a + s * d;
        const double gap = end * c_.axis.dot(p - c_.center) - c_.half;
        if (!is_near(gap)) continue;
        if (gap < 0.0 && leaves_sooner(p + gap * n, -gap, &edge)) continue;
        const Index first = sign < 0.0 ? LowerCap : LowerRim;
        const Index second = sign < 0.0 ? UpperCap : UpperRim;
        add(gap, p, p + gap * n, n, edge.feature, end > 0.0 ? second : first);
      }
    }
  }

  const SurfacePatch& surface_;
  const CylinderShape& shape_;
  const Placement& pose_;
  PlacedCylinder c_;
  double limit_, depth_, slack_;
  std::vector<Vector3>& lines_;
  std::vector<ShapeContact>& points_;
};

}  // namespace

void surface_cylinder(const SurfacePatch& surface, const CylinderShape& cylinder,
                      const Placement& pose, double reach, double slack, SurfaceScratch& work) {
  SurfaceCylinder(surface, cylinder, pose, reach, slack, work).run();
}

}  // namespace nsmb
