#include "nsmb/geometry/cylinder_pairs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/geometry/cylinder_axes.hpp"
#include "nsmb/geometry/round_pairs.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSpread = 256;  // directions to start from, all around
constexpr std::ptrdiff_t kPolished = 16;

PlacedCylinder placed(const CylinderShape& c, const Placement& pose) {
  return {pose.r, pose.A.col(2), c.radius(), 0.5 * c.length()};
}

/// The direction with the largest gap that was tried.
template <class Gap>
class BestDirection {
 public:
  explicit BestDirection(const Gap& of) : gap_(of) {}
  void add(const Vector3& direction) {
    const double length = direction.norm();
    if (!(length > 0.0)) return;
    const Vector3 m = direction / length;
    if (const double g = gap_(m); g > gap) {
      gap = g;
      n = m;
    }
  }
  void add_both(const Vector3& direction) {
    add(direction);
    add(-direction);
  }

  double value(const Vector3& direction) const { return gap_(direction); }

  double gap = -kInfinity;
  Vector3 n = Vector3::UnitZ();

 private:
  const Gap& gap_;
};

/// Which feature of a cylinder is furthest along n.
Index feature_along(const PlacedCylinder& c, const Vector3& n) {
  const double along = c.axis.dot(n);
  if (c.across(n).norm() <= polyhedra::kSupport) return along > 0.0 ? UpperCap : LowerCap;
  if (std::abs(along) <= polyhedra::kSupport) return Side;
  return along > 0.0 ? UpperRim : LowerRim;
}

bool is_rim(Index feature) { return feature == LowerRim || feature == UpperRim; }

/// Along the line through b with direction e, from b, to the place nearest to the axis of c.
double foot_at_axis(const PlacedCylinder& c, const Vector3& b, const Vector3& e) {
  const Vector3 across = c.across(e);
  const double square = across.squaredNorm();
  return square > 0.0 ? -across.dot(b - c.center) / square : 0.0;
}

/// Places of a cap around its rim, from the one furthest along n on, by quarters.
void add_rest_places(const PlacedCylinder& c, const Vector3& n, double end,
                     std::vector<Vector3>& places) {
  Vector3 u = c.across(n);
  const double length = u.norm();
  if (length > polyhedra::kSupport) {
    u = c.across(u / length).normalized();  // a short one is not across to rounding
  } else {
    Index smallest = 0;
    c.axis.cwiseAbs().minCoeff(&smallest);
    u = c.axis.cross(Vector3::Unit(smallest)).normalized();
  }
  const Vector3 w = c.axis.cross(u), middle = c.center + end * c.half * c.axis;
  for (const Vector3& r : {u, w, Vector3(-u), Vector3(-w)}) places.push_back(middle + c.radius * r);
}

void add_once(const ShapeContact& c, std::vector<ShapeContact>& points) {
  for (const ShapeContact& known : points) {
    if (known.feature_1 == c.feature_1 && known.feature_2 == c.feature_2) return;
  }
  points.push_back(c);
}

/// A point with the least gap there can be is among those that lie flat.
bool holds(const std::vector<ShapeContact>& points, double gap, double size) {
  for (const ShapeContact& c : points) {
    if (c.g_N <= gap + polyhedra::kFaceFirst * size) return true;
  }
  return false;
}

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
    work_.points.clear();
    add_line(best.n, best.gap);
    add_cap(best.n, best.gap);
    if (!holds(work_.points, best.gap, size_)) add_decisive(best.n, best.gap);
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
      best.add_both(c_.axis.cross(e));
      work_.line.clear();
      for (const double end : {-1.0, 1.0}) rim_line_directions(c_, end, a, e, work_.line);
      for (const Vector3& n : work_.line) best.add(n);
    }
  }

  /// The vertices that are nearest along n: the feature they span, and a place on it.
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
      work_.points.push_back({gap, p, p + gap * n, n, own, its});
      return;
    }
    if (own == Side && edge >= 0) {
      const PolyhedronEdge& line = q_.body->edges()[static_cast<std::size_t>(edge)];
      const Vector3 d = q_.vertex(line.head) - q_.vertex(line.tail);
      const double s = foot_at_axis(c_, q_.vertex(line.tail), d);
      place = q_.vertex(line.tail) + std::clamp(s, 0.0, 1.0) * d;
    }
    work_.points.push_back({gap, place - gap * n, place, n, own, its});
  }

  /// A side that lies on a face or along an edge touches with both ends of the common piece.
  void add_line(const Vector3& n, double gap) {
    if (std::abs(c_.axis.dot(n)) > polyhedra::kAlong) return;
    const Vector3 side = c_.radius * c_.across(n).normalized(), end = c_.half * c_.axis;
    const Vector3 low = c_.center + side - end, high = c_.center + side + end;
    for (const Index v : {Index{0}, Index{1}}) {
      const Vector3& p = v == 0 ? low : high;
      add_over_faces(p, v == 0 ? LowerRim : UpperRim, n);
    }
    for (std::size_t v = 0; v < work_.other.size(); ++v) {  // what lies beside the axis
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
    for (std::size_t k = 0; k < q_.body->edges().size(); ++k) {  // what lies across under the side
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

  /// A cap that rests touches with four places of its rim, or with what stands on it.
  void add_cap(const Vector3& n, double gap) {
    const double along = c_.axis.dot(n);
    if (c_.across(n).norm() > polyhedra::kAlong) return;
    const double end = along > 0.0 ? 1.0 : -1.0;
    for (std::size_t k = 0; k < q_.body->edges().size(); ++k) {
      add_rim_crossings(static_cast<Index>(k), n, gap, end);
    }
    work_.line.clear();
    // Four places where edges cross the rim span all that is under the cap.
    if (work_.points.size() < 4) add_rest_places(c_, n, end, work_.line);
    const Index first = end > 0.0 ? UpperRest : LowerRest;
    for (Index k = 0; k < std::ssize(work_.line); ++k) {
      add_over_faces(work_.line[static_cast<std::size_t>(k)], first + k, n);
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

  /// Where an edge under a cap leaves it.
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

  /// A place of the cylinder over the face that looks against n.
  void add_over_faces(const Vector3& p, Index feature, const Vector3& n) {
    for (std::size_t k = 0; k < q_.body->faces().size(); ++k) {
      const PolyhedronFace& face = q_.body->faces()[k];
      const Vector3 m = q_.pose.A * face.normal;
      if (m.dot(n) > -polyhedra::kSameSide) continue;
      const double g = (m.dot(p) - q_.offset(static_cast<Index>(k))) / -m.dot(n);
      const Vector3 x = p + g * n;
      if (g > limit_) continue;
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

/// Rest and side places of the first cylinder that are over the second one along n.
void add_places_over(const PlacedCylinder& a, const PlacedCylinder& b, const Vector3& n, double gap,
                     double limit, bool is_first, CylinderScratch& work) {
  const double along_a = a.axis.dot(n), along_b = b.axis.dot(n);
  const bool is_cap = a.across(n).norm() <= polyhedra::kAlong;
  const bool is_side = std::abs(along_a) <= polyhedra::kAlong;
  work.line.clear();
  if (is_cap) {
    add_rest_places(a, n, along_a > 0.0 ? 1.0 : -1.0, work.line);
  } else if (is_side) {
    const Vector3 side = a.center + a.radius * a.across(n).normalized();
    work.line = {side - a.half * a.axis, side + a.half * a.axis};
  }
  for (std::size_t k = 0; k < work.line.size(); ++k) {
    const Vector3& p = work.line[k];
    double g = 0.0;
    Index its = Side;
    if (b.across(n).norm() <= polyhedra::kAlong) {  // over a cap of the other
      const double end = along_b < 0.0 ? 1.0 : -1.0;
      if (b.across(p - b.center).norm() > b.radius) continue;
      g = (end * b.axis.dot(p - b.center) - b.half) / std::abs(along_b);
      its = end > 0.0 ? UpperCap : LowerCap;
    } else if (std::abs(along_b) <= polyhedra::kAlong && is_side) {  // along the other's side
      if (std::abs(b.axis.dot(p - b.center)) > b.half) continue;
      if (a.axis.cross(b.axis).norm() > polyhedra::kAlong) continue;
      g = n.dot(b.center - p) - b.radius * b.across(n).norm() + along_b * b.axis.dot(p - b.center);
    } else {
      continue;
    }
    if (g > limit || g < gap - polyhedra::kSameGap * b.radius) continue;
    const Index number = static_cast<Index>(k);
    const Index own = is_cap ? (along_a > 0.0 ? UpperRest : LowerRest) + number
                             : (number == 0 ? LowerRim : UpperRim);
    add_once(is_first ? ShapeContact{g, p, p + g * n, n, own, its}
                      : ShapeContact{g, p - g * -n, p, -n, its, own},
             work.points);
  }
}

/// The place of the first cylinder that touches along n.
Vector3 place_between(const PlacedCylinder& a, Index own, const PlacedCylinder& b, Index its,
                      const Vector3& n, double gap) {
  if (is_rim(own)) return a.furthest(n);
  if (is_rim(its)) return b.furthest(-n) - gap * n;
  if (own == Side && its == Side) {
    const Vector3 q = b.center - b.radius * n;
    return q + std::clamp(foot_at_axis(a, q, b.axis), -b.half, b.half) * b.axis - gap * n;
  }
  const Vector3 p = a.furthest(n), q = b.furthest(-n) - gap * n;
  if (own == Side || its == Side) return own == Side ? q : p;
  // Two caps: the middle of what they share on the line through their centres.
  const double apart = (q - p).norm();
  if (apart == 0.0) return p;
  const double low = std::max(-a.radius, apart - b.radius);
  const double high = std::min(a.radius, apart + b.radius);
  return p + 0.5 * (low + high) / apart * (q - p);
}

template <class Best>
void cylinder_directions(const PlacedCylinder& a, const PlacedCylinder& b, CylinderScratch& work,
                         Best& best) {
  best.add_both(a.axis);
  best.add_both(b.axis);
  best.add_both(a.axis.cross(b.axis));
  best.add_both(a.across(b.center - a.center));
  best.add_both(b.across(b.center - a.center));
  work.line.clear();
  for (const double end : {-1.0, 1.0}) {
    rim_line_directions(a, end, b.center, b.axis, work.line);
    const std::size_t before = work.line.size();
    rim_line_directions(b, end, a.center, a.axis, work.line);
    for (std::size_t k = before; k < work.line.size(); ++k) work.line[k] = -work.line[k];
  }
  for (const Vector3& n : work.line) best.add(n);
  // Two rims: from what is best so far, and from the best of directions all around.
  work.starts.clear();
  for (const Vector3& n : work.line) work.starts.emplace_back(best.value(n), n);
  work.starts.emplace_back(best.gap, best.n);
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));  // rad, of an even spiral
  for (int k = 0; k < kSpread; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / kSpread, r = std::sqrt(1.0 - z * z);
    const Vector3 n(r * std::cos(golden * k), r * std::sin(golden * k), z);
    work.starts.emplace_back(best.value(n), n);
  }
  const auto kept =
      work.starts.begin() + std::min<std::ptrdiff_t>(kPolished, std::ssize(work.starts));
  std::partial_sort(work.starts.begin(), kept, work.starts.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  for (auto start = work.starts.begin(); start != kept; ++start) {
    const double end_1 = a.axis.dot(start->second) < 0.0 ? -1.0 : 1.0;
    const double end_2 = b.axis.dot(start->second) > 0.0 ? -1.0 : 1.0;
    best.add(rim_rim_direction(a, end_1, b, end_2, start->second));
  }
}

}  // namespace

void cylinder_polyhedron(const CylinderShape& cylinder, const RoundedPolyhedron& other,
                         const Placement& pose, double reach, CylinderScratch& scratch,
                         std::vector<ShapeContact>& out) {
  CylinderPolyhedron(cylinder, other, pose, reach, scratch).run(out);
}

void cylinder_cylinder(const CylinderShape& first, const CylinderShape& second,
                       const Placement& pose, double reach, CylinderScratch& work,
                       std::vector<ShapeContact>& out) {
  const PlacedCylinder a = placed(first, {}), b = placed(second, pose);
  const auto gap = [&](const Vector3& n) { return -b.support(-n) - a.support(n); };
  BestDirection best(gap);
  cylinder_directions(a, b, work, best);
  if (best.gap > reach) return;
  const Vector3 n = best.n;
  const Index own = feature_along(a, n), its = feature_along(b, -n);
  const double size = std::min(first.size(), second.size());
  work.points.clear();
  add_places_over(a, b, n, best.gap, reach, true, work);
  add_places_over(b, a, -n, best.gap, reach, false, work);
  if (!holds(work.points, best.gap, size)) {
    const Vector3 p = place_between(a, own, b, its, n, best.gap);
    work.points.push_back({best.gap, p, p + best.gap * n, n, own, its});
  }
  keep_four(work.points, 0, size);
  out.insert(out.end(), work.points.begin(), work.points.end());
}

}  // namespace nsmb
