#include "nsmb/geometry/cylinder_pairs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/cylinder_places.hpp"
#include "nsmb/geometry/round_pairs.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

class CylinderPolyhedron {
 public:
  CylinderPolyhedron(const CylinderShape& cylinder, const RoundedPolyhedron& other,
                     const Placement& pose, double reach, CylinderScratch& work)
      : c_(placed(cylinder, {})),
        shape_(cylinder),
        q_{other.body, &work.other, pose},
        radius_(other.radius),
        limit_(reach + other.radius),
        size_(std::min(cylinder.size(), other.body->size())),
        work_(work) {
    work_.other.clear();
    for (const Vector3& v : other.body->vertices()) work_.other.push_back(pose.point(v));
  }

  void run(std::vector<ShapeContact>& out) {
    const auto gap = [&](const Vector3& n) {
      double least = kInfinity;
      for (const Vector3& v : work_.other) least = std::min(least, n.dot(v));
      return least - c_.support(n);
    };
    BestDirection best(gap);
    flat_directions(best);
    if (best.gap > limit_) return;
    edge_directions(best);
    if (best.gap > limit_) return;
    settle_place(best);
    work_.points.clear();
    add_line(best.n, best.gap);
    add_cap(best.n, best.gap);
    if (!holds(work_.points, best.gap, size_)) add_decisive(best.n, best.gap);
    if (best.gap < 0.0 && is_tilted(c_, best.n)) add_submerged(best.n);
    keep_four(work_.points, 0, size_);
    for (ShapeContact& c : work_.points) {
      c.r_2 -= radius_ * c.normal;
      c.g_N -= radius_;
      out.push_back(c);
    }
  }

 private:
  template <class Best>
  void flat_directions(Best& best) const {
    best.add_both(c_.axis);
    for (std::size_t f = 0; f < q_.body->faces().size(); ++f) {
      best.add(-q_.normal(static_cast<Index>(f)));
    }
    for (const Vector3& v : work_.other) {
      best.add(nearest_place(shape_, v).normal);
      best.add(c_.across(v));
    }
  }

  template <class Best>
  void edge_directions(Best& best) {
    for (const PolyhedronEdge& edge : q_.body->edges()) {
      const Vector3& a = q_.vertex(edge.tail);
      const Vector3 e = (q_.vertex(edge.head) - a).normalized();
      best.add_both(across_both(c_.axis, e));
      work_.line.clear();
      for (const double end : {-1.0, 1.0}) rim_line_directions(c_, end, a, e, work_.line);
      for (const Vector3& n : work_.line) best.add(n);
    }
  }

  /// Refine the direction. Directions that agree to half the digits have the same gap, but not the
  /// same points. The refined direction leads from the point of an edge or a vertex to the nearest
  /// one of the rim.
  template <class Best>
  void settle_place(Best& best) const {
    if (!(best.gap > polyhedra::kSameGap * size_) || !is_rim(feature_along(c_, best.n))) return;
    Vector3 y;
    Index edge = -1;
    nearest_feature(best.n, y, edge);
    if (edge >= 0) {
      const PolyhedronEdge& line = q_.body->edges()[static_cast<std::size_t>(edge)];
      const Vector3& tail = q_.vertex(line.tail);
      const Vector3 d = q_.vertex(line.head) - tail;
      const Vector3 p = c_.furthest(best.n) + best.gap * best.n;
      y = tail + std::clamp((p - tail).dot(d) / d.squaredNorm(), 0.0, 1.0) * d;
    }
    const Vector3 n = nearest_place(shape_, y).normal;
    if (!is_rim(feature_along(c_, n))) return;
    best.replace(n, rims::kRimLast * (y.norm() + c_.radius + c_.half));
  }

  /// Return the feature spanned by the vertices that are nearest along n, and a point on it.
  Index nearest_feature(const Vector3& n, Vector3& place, Index& edge_found) const {
    const Index v = support_vertex(work_.other, -n);
    place = q_.vertex(v);
    edge_found = -1;
    const double low = n.dot(place), slack = polyhedra::kFoot * q_.body->size();
    Index count = 0;
    for (const Vector3& x : work_.other) count += n.dot(x) - low <= slack;
    if (count == 1) return q_.body->vertex_feature(v);
    for (std::size_t f = 0; f < q_.body->faces().size() && count > 2; ++f) {
      if (q_.normal(static_cast<Index>(f)).dot(n) < -1.0 + polyhedra::kSupport) {
        return q_.body->face_feature(static_cast<Index>(f));
      }
    }
    for (std::size_t e = 0; e < q_.body->edges().size(); ++e) {
      const PolyhedronEdge& edge = q_.body->edges()[e];
      if (n.dot(q_.vertex(edge.tail)) - low > slack) continue;
      if (n.dot(q_.vertex(edge.head)) - low > slack) continue;
      edge_found = static_cast<Index>(e);
      return q_.body->edge_feature(edge_found);
    }
    return q_.body->vertex_feature(v);
  }

  void add_decisive(const Vector3& n, double gap) {
    Vector3 place;
    Index edge = -1;
    const Index its = nearest_feature(n, place, edge);
    const Index own = feature_along(c_, n);
    if (is_rim(own)) {
      const Vector3 p = c_.furthest(n);
      if (!work_.points.empty() && !is_in_other(p + gap * n)) return give_gap(gap, work_.points);
      work_.points.push_back({gap, p, p + gap * n, n, own, its});
      return;
    }
    if (own == Side && edge >= 0) {
      const PolyhedronEdge& line = q_.body->edges()[static_cast<std::size_t>(edge)];
      place = place_beside(c_, q_.vertex(line.tail), q_.vertex(line.head));
    }
    const double slack = polyhedra::kOnFeature * size_;
    if (!work_.points.empty() && !is_in(c_, place - gap * n, slack)) {
      return give_gap(gap, work_.points);
    }
    work_.points.push_back({gap, place - gap * n, place, n, own, its});
  }

  bool is_in_other(const Vector3& p) const {
    const double slack = polyhedra::kOnFeature * size_;
    for (std::size_t f = 0; f < q_.body->faces().size(); ++f) {
      const auto k = static_cast<Index>(f);
      if (q_.normal(k).dot(p) - q_.offset(k) > slack) return false;
    }
    return true;
  }

  /// Add the ends of the common segment for a side that lies on a face or along an edge.
  void add_line(const Vector3& n, double gap) {
    if (std::abs(c_.axis.dot(n)) > polyhedra::kAlong) return;
    const Vector3 side = c_.radius * c_.across(n).normalized(), end = c_.half * c_.axis;
    const Vector3 low = c_.center + side - end, high = c_.center + side + end;
    for (const Index v : {Index{0}, Index{1}}) {
      const Vector3& p = v == 0 ? low : high;
      add_over_faces(p, v == 0 ? LowerRim : UpperRim, n, limit_);
    }
    for (std::size_t v = 0; v < work_.other.size(); ++v) {  // vertices next to the axis
      const Vector3& x = work_.other[v];
      const double g = n.dot(x - c_.center) - c_.radius * c_.across(n).norm();
      const bool is_over =
          std::abs(c_.axis.dot(x - c_.center)) <= c_.half &&
          (x - c_.center - c_.axis.dot(x - c_.center) * c_.axis).cross(side / c_.radius).norm() <=
              polyhedra::kOnFeature * size_;
      if (!is_over || g > limit_ || g < gap - polyhedra::kSameGap * size_) continue;
      add_once({g, x - g * n, x, n, Side, q_.body->vertex_feature(static_cast<Index>(v))},
               work_.points);
    }
    for (std::size_t k = 0; k < q_.body->edges().size(); ++k) {  // edges crossing under the side
      const PolyhedronEdge& edge = q_.body->edges()[k];
      const Vector3 d = q_.vertex(edge.head) - q_.vertex(edge.tail);
      if (std::abs(n.dot(d)) > polyhedra::kAlong * d.norm()) continue;
      const double s = foot_at_axis(c_, q_.vertex(edge.tail), d);
      const Vector3 x = q_.vertex(edge.tail) + s * d;
      if (!(s > 0.0 && s < 1.0) || std::abs(c_.axis.dot(x - c_.center)) > c_.half) continue;
      const double g = n.dot(x) - c_.support(n) + c_.half * std::abs(c_.axis.dot(n));
      if (c_.axis.cross(d).norm() <= polyhedra::kAlong * d.norm()) continue;
      if (g > limit_ || g < gap - polyhedra::kSameGap * size_) continue;
      add_once({g, x - g * n, x, n, Side, q_.body->edge_feature(static_cast<Index>(k))},
               work_.points);
    }
  }

  /// Add four rim points of a resting cap, or the vertices and edges under it.
  void add_cap(const Vector3& n, double gap) {
    const double along = c_.axis.dot(n);
    if (c_.across(n).norm() > polyhedra::kAlong) return;
    const double end = along > 0.0 ? 1.0 : -1.0;
    for (std::size_t k = 0; k < q_.body->edges().size(); ++k) {
      add_rim_crossings(static_cast<Index>(k), n, gap, end);
    }
    work_.line.clear();
    // Four points where edges cross the rim span everything under the cap.
    if (work_.points.size() < 4) add_rest_places(c_, n, end, work_.line);
    const Index first = end > 0.0 ? UpperRest : LowerRest;
    for (Index k = 0; k < std::ssize(work_.line); ++k) {
      add_over_faces(work_.line[static_cast<std::size_t>(k)], first + k, n, limit_);
    }
    const Index cap = end > 0.0 ? UpperCap : LowerCap;
    for (std::size_t v = 0; v < work_.other.size(); ++v) {
      const Vector3& x = work_.other[v];
      const Vector3 r = x - c_.center;
      if (c_.across(r).norm() > c_.radius) continue;
      const double g = (end * c_.axis.dot(r) - c_.half) / std::abs(along);
      if (g > limit_ || g < gap - polyhedra::kSameGap * size_) continue;
      add_once({g, x - g * n, x, n, cap, q_.body->vertex_feature(static_cast<Index>(v))},
               work_.points);
    }
  }

  /// Add the points of a tilted cap that are in the other body, in addition to the deepest. Without
  /// them a wobbling body sinks in at the one point that is deepest at each search.
  void add_submerged(const Vector3& n) {
    const bool is_upper = c_.axis.dot(n) > 0.0;
    work_.line.clear();
    add_rest_places(c_, n, is_upper ? 1.0 : -1.0, work_.line);
    for (Index k = 1; k < std::ssize(work_.line); ++k) {
      add_over_faces(work_.line[static_cast<std::size_t>(k)],
                     (is_upper ? UpperRest : LowerRest) + k, n, 0.0);
    }
  }

  /// Add the points where an edge under a cap leaves it.
  void add_rim_crossings(Index index, const Vector3& n, double gap, double end) {
    const PolyhedronEdge& edge = q_.body->edges()[static_cast<std::size_t>(index)];
    const Vector3 r = q_.vertex(edge.tail) - c_.center;
    const Vector3 d = q_.vertex(edge.head) - q_.vertex(edge.tail);
    const Vector3 across = c_.across(d), from = c_.across(r);
    const double a = across.squaredNorm(), b = across.dot(from);
    const double root = b * b - a * (from.squaredNorm() - c_.radius * c_.radius);
    if (!(root > 0.0) || !(a > 0.0)) return;
    for (const double sign : {-1.0, 1.0}) {
      const double s = (-b + sign * std::sqrt(root)) / a;
      if (!(s > 0.0 && s < 1.0)) continue;
      const Vector3 x = q_.vertex(edge.tail) + s * d;
      const double g = (end * c_.axis.dot(x - c_.center) - c_.half) / std::abs(c_.axis.dot(n));
      if (g > limit_ || g < gap - polyhedra::kSameGap * size_) continue;
      const Index low = sign < 0.0 ? LowerCap : LowerRim, high = sign < 0.0 ? UpperCap : UpperRim;
      add_once({g, x - g * n, x, n, end > 0.0 ? high : low, q_.body->edge_feature(index)},
               work_.points);
    }
  }

  /// Add a point of the cylinder over the face that is opposed to n.
  void add_over_faces(const Vector3& p, Index feature, const Vector3& n, double limit) {
    for (std::size_t k = 0; k < q_.body->faces().size(); ++k) {
      const PolyhedronFace& face = q_.body->faces()[k];
      const Vector3 m = q_.pose.A * face.normal;
      if (m.dot(n) > -polyhedra::kSameSide) continue;
      const double g = (m.dot(p) - q_.offset(static_cast<Index>(k))) / -m.dot(n);
      const Vector3 x = p + g * n;
      if (g > limit) continue;
      bool is_inside = true;
      for (Index i = face.begin; i < face.end && is_inside; ++i) {
        const PolyhedronEdge& e = q_.body->edges()[static_cast<std::size_t>(
            q_.body->loop_edges()[static_cast<std::size_t>(i)])];
        const Vector3& into = e.left == static_cast<Index>(k) ? e.into_left : e.into_right;
        is_inside = (q_.pose.A * into).dot(x - q_.vertex(e.tail)) >= -polyhedra::kFoot * size_;
      }
      if (is_inside) {
        add_once({g, p, x, n, feature, q_.body->face_feature(static_cast<Index>(k))}, work_.points);
      }
    }
  }

  PlacedCylinder c_;
  const CylinderShape& shape_;
  PlacedPolyhedron q_;
  double radius_, limit_, size_;
  CylinderScratch& work_;
};

}  // namespace

void cylinder_polyhedron(const CylinderShape& cylinder, const RoundedPolyhedron& other,
                         const Placement& pose, double reach, CylinderScratch& scratch,
                         std::vector<ShapeContact>& out) {
  CylinderPolyhedron(cylinder, other, pose, reach, scratch).run(out);
}

}  // namespace nsmb
