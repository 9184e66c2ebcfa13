#include "nsmb/geometry/polyhedron_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/gjk.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

enum class AxisKind { FaceOfFirst, FaceOfSecond, Edges };

/// A direction from the first to the second polyhedron and their separation along it.
struct Axis {
  double gap = -kInfinity;
  Vector3 n = Vector3::Zero();
  AxisKind kind = AxisKind::FaceOfFirst;
  Index first = -1, second = -1;  // of the features of its kind
};

/// Update the best axis with the separation of `other` from the planes of the faces of `p`. Stops
/// as soon as it exceeds `limit`.
void part_by_faces(const PlacedPolyhedron& p, const PlacedPolyhedron& other, AxisKind kind,
                   double preference, double limit, Axis& best) {
  const auto count = static_cast<Index>(p.body->faces().size());
  for (Index f = 0; f < count; ++f) {
    const Vector3 n = p.normal(f);
    double least = kInfinity;
    for (const Vector3& v : *other.vertices) least = std::min(least, n.dot(v));
    const double gap = least - p.offset(f);
    if (!(gap > best.gap + preference)) continue;
    best.gap = gap;
    best.kind = kind;
    best.n = kind == AxisKind::FaceOfFirst ? n : -n;
    (kind == AxisKind::FaceOfFirst ? best.first : best.second) = f;
    if (gap > limit) return;
  }
}

/// Collect the edges near the other polyhedron's box.
void edges_near(const PlacedPolyhedron& p, const Bounds& box, std::vector<Index>& found) {
  found.clear();
  const std::vector<PolyhedronEdge>& edges = p.body->edges();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    Bounds own;
    own.add(p.vertex(edges[e].tail));
    own.add(p.vertex(edges[e].head));
    if (own.overlaps(box)) found.push_back(static_cast<Index>(e));
  }
}

/// Return true if the faces of an edge do not rise in the direction n, which must lead out of them:
/// within a flat face of several triangles the first condition is not sufficient.
bool supports(const PlacedPolyhedron& p, const PolyhedronEdge& edge, const Vector3& n) {
  if (edge.left < 0) return true;
  const Vector3 local = p.pose.local_direction(n);
  const std::vector<PolyhedronFace>& faces = p.body->faces();
  return local.dot(edge.into_left) <= polyhedra::kSupport &&
         local.dot(edge.into_right) <= polyhedra::kSupport &&
         local.dot(faces[at(edge.left)].normal + faces[at(edge.right)].normal) >=
             -polyhedra::kSupport;
}

/// Two edges x + s d_1 and x + r + t d_2 that cross. Everything is computed from the part of d_2
/// perpendicular to d_1, so that nearly parallel edges have an accurate normal and accurate feet.
struct Crossing {
  Crossing(const Vector3& d_1, const Vector3& d_2, const Vector3& r) {
    const double square = d_1.squaredNorm(), along = d_2.dot(d_1) / square;
    Vector3 across = d_2 - along * d_1;
    across -= across.dot(d_1) / square * d_1;
    const double width = across.squaredNorm();
    sine = std::sqrt(width / d_2.squaredNorm());
    if (!(sine > polyhedra::kParallelEdges)) return;
    n = d_1.cross(across).normalized();
    n = (n - n.dot(d_1) / square * d_1).normalized();
    t = -r.dot(across) / width;
    s = r.dot(d_1) / square + t * along;
  }
  bool exists() const { return sine > polyhedra::kParallelEdges; }
  /// Return true if the nearest points of the lines are on the edges.
  bool is_within() const {
    const double slack = polyhedra::kCrossing / sine;
    return s >= -slack && s <= 1.0 + slack && t >= -slack && t <= 1.0 + slack;
  }

  double sine = 0.0;  // of their angle
  Vector3 n;          // perpendicular to both
  double s = 0.0, t = 0.0;
};

/// Set `best` to the axis with the largest gap whose edges are nearest to each other within their
/// ends, and `parting` to the same regardless of the ends.
void part_by_edges(const PlacedPolyhedron& a, const PlacedPolyhedron& b, double preference,
                   const PolyhedronScratch& scratch, Axis& best, Axis& parting) {
  double threshold = best.gap + preference;
  parting = best;
  for (const Index i : scratch.edges_1) {
    const PolyhedronEdge& p = a.body->edges()[at(i)];
    const Vector3& x = a.vertex(p.tail);
    const Vector3 d_1 = a.vertex(p.head) - x;
    for (const Index j : scratch.edges_2) {
      const PolyhedronEdge& q = b.body->edges()[at(j)];
      const Vector3& y = b.vertex(q.tail);
      const Vector3 r = y - x;
      const Crossing crossing(d_1, b.vertex(q.head) - y, r);
      if (!crossing.exists()) continue;
      for (const double sign : {1.0, -1.0}) {
        const Vector3 m = sign * crossing.n;
        const double gap = m.dot(r);
        if (!(gap > threshold)) continue;
        if (!supports(a, p, m) || !supports(b, q, -m)) continue;
        if (gap > parting.gap) parting = {gap, m, AxisKind::Edges, i, j};
        if (!crossing.is_within()) continue;
        best = {gap, m, AxisKind::Edges, i, j};
        threshold = gap;
      }
    }
  }
}

/// Return the feature spanned by up to four vertices of a polyhedron.
Index spanned_feature(const Polyhedron& p, const std::array<Index, 4>& vertices, Index count) {
  std::array<Index, 4> v{};
  Index n = 0;
  for (Index i = 0; i < count; ++i) {
    if (std::find(v.begin(), v.begin() + n, vertices[at(i)]) == v.begin() + n) {
      v[at(n++)] = vertices[at(i)];
    }
  }
  if (n == 1) return p.vertex_feature(v[0]);
  if (n == 2) {
    for (std::size_t e = 0; e < p.edges().size(); ++e) {
      const PolyhedronEdge& edge = p.edges()[e];
      if ((edge.tail == v[0] && edge.head == v[1]) || (edge.tail == v[1] && edge.head == v[0])) {
        return p.edge_feature(static_cast<Index>(e));
      }
    }
  }
  for (std::size_t f = 0; f < p.faces().size(); ++f) {
    const PolyhedronFace& face = p.faces()[f];
    Index on = 0;
    for (Index i = face.begin; i < face.end; ++i) {
      on += std::find(v.begin(), v.begin() + n, p.loops()[at(i)]) != v.begin() + n;
    }
    if (on == n) return p.face_feature(static_cast<Index>(f));
  }
  return p.vertex_feature(v[0]);
}

Crossing crossing_on(const PlacedPolyhedron& a, const PlacedPolyhedron& b, const Axis& axis) {
  const PolyhedronEdge& p = a.body->edges()[at(axis.first)];
  const PolyhedronEdge& q = b.body->edges()[at(axis.second)];
  const Vector3 &x = a.vertex(p.tail), &y = b.vertex(q.tail);
  return {a.vertex(p.head) - x, b.vertex(q.head) - y, y - x};
}

/// Return the point of the first edge nearest to the second one: its end if the lines are nearest
/// beyond it.
Vector3 place_on_first(const PlacedPolyhedron& a, const PlacedPolyhedron& b, const Axis& axis,
                       const Crossing& crossing) {
  const PolyhedronEdge& p = a.body->edges()[at(axis.first)];
  const PolyhedronEdge& q = b.body->edges()[at(axis.second)];
  const Vector3& x = a.vertex(p.tail);
  const Vector3 d = a.vertex(p.head) - x;
  double s = crossing.s;
  if (crossing.t < 0.0 || crossing.t > 1.0) {
    s = (b.vertex(crossing.t < 0.0 ? q.tail : q.head) - x).dot(d) / d.squaredNorm();
  }
  return x + std::clamp(s, 0.0, 1.0) * d;
}

/// Return true if a point is in the polyhedron; a segment contains none.
bool is_in(const PlacedPolyhedron& p, const Vector3& x, double slack) {
  const auto count = static_cast<Index>(p.body->faces().size());
  for (Index f = 0; f < count; ++f) {
    if (p.normal(f).dot(x) - p.offset(f) > slack) return false;
  }
  return count > 0;
}

void add_edge_pair(const PlacedPolyhedron& a, const PlacedPolyhedron& b, const Axis& axis,
                   double limit, double size, std::vector<ShapeContact>& out) {
  const Crossing crossing = crossing_on(a, b, axis);
  if (crossing.sine < polyhedra::kEdgeLine) {
    edge_contacts(a, axis.first, b, axis.second, axis.n, limit, size, out);
  }
  const Vector3 place = place_on_first(a, b, axis, crossing);
  for (const ShapeContact& known : out) {
    if (known.g_N <= axis.gap + polyhedra::kSameGap * size) return;
  }
  out.push_back({axis.gap, place, place + axis.gap * axis.n, axis.n,
                 a.body->edge_feature(axis.first), b.body->edge_feature(axis.second)});
}

/// Insert the pair that determines the distance before the points of faces that are nearly as near.
/// Points deeper along the normal of their face than the bodies are kept only if the difference is
/// a slight vibration: the bodies do not touch there.
void add_decisive(const ShapeContact& decisive, double size, std::vector<ShapeContact>& points) {
  if (points.empty() || points.front().normal.dot(decisive.normal) < polyhedra::kSameSide) {
    points.assign(1, decisive);
    return;
  }
  std::erase_if(points, [&](const ShapeContact& c) {
    const bool is_same = c.feature_1 == decisive.feature_1 && c.feature_2 == decisive.feature_2;
    return is_same || c.g_N < decisive.g_N - polyhedra::kOnFeature * size;
  });
  for (ShapeContact& c : points) {
    if (c.g_N >= decisive.g_N) continue;
    c.r_1 += (c.g_N - decisive.g_N) * c.normal;
    c.g_N = decisive.g_N;
  }
  points.insert(points.begin(), decisive);
}

double least_gap(const std::vector<ShapeContact>& points) {
  double least = kInfinity;
  for (const ShapeContact& c : points) least = std::min(least, c.g_N);
  return least;
}

class PairSearch {
 public:
  PairSearch(const RoundedPolyhedron& first, const RoundedPolyhedron& second, const Placement& pose,
             double reach, PolyhedronScratch& scratch)
      : a_{first.body, &first.body->vertices(), {}},
        b_{second.body, &scratch.second, pose},
        radius_1_(first.radius),
        radius_2_(second.radius),
        limit_(reach + first.radius + second.radius),
        size_(std::min(first.body->size(), second.body->size())),
        doubt_(std::max(polyhedra::kSameGap * size_,
                        polyhedra::kSupport * (first.body->size() + second.body->size()))),
        work_(scratch) {
    work_.second.clear();
    for (const Vector3& v : second.body->vertices()) work_.second.push_back(pose.point(v));
  }

  void run(PairHint* hint, std::vector<ShapeContact>& out) {
    if (hint && is_apart(hint->axis)) return;
    work_.faces.clear();
    search();
    if (hint) hint->axis = axis_;
    for (const ShapeContact& c : work_.faces) {
      ShapeContact round = c;
      round.r_1 += radius_1_ * c.normal;
      round.r_2 -= radius_2_ * c.normal;
      round.g_N -= radius_1_ + radius_2_;
      out.push_back(round);
    }
  }

 private:
  bool is_apart(const Vector3& n) const {
    if (n.squaredNorm() == 0.0) return false;
    return gap_along(n) > limit_;
  }

  double gap_along(const Vector3& n) const {
    const double low = n.dot(b_.vertex(support_vertex(*b_.vertices, -n)));
    return low - n.dot(a_.vertex(support_vertex(*a_.vertices, n)));
  }

  void search() {
    Axis face;
    const double preference = polyhedra::kFaceFirst * size_;
    part_by_faces(a_, b_, AxisKind::FaceOfFirst, 0.0, limit_, face);
    if (face.gap <= limit_) {
      part_by_faces(b_, a_, AxisKind::FaceOfSecond, preference, limit_, face);
    }
    axis_ = face.n;
    if (face.gap > limit_) return;
    Axis best = face;
    find_edges(std::max(limit_, -face.gap));
    Axis parting;
    part_by_edges(a_, b_, preference, work_, best, parting);
    axis_ = parting.n;
    if (parting.gap > limit_) return;
    if (face.first >= 0 || face.second >= 0) {
      const bool first = face.kind == AxisKind::FaceOfFirst;
      face_contacts(first ? a_ : b_, first ? face.first : face.second, first ? b_ : a_, first,
                    limit_, size_, work_.clip, work_.faces);
    }
    if (parting.gap <= 0.0 && !meets(best)) {
      // Separated by more than the search range of edges: the separating ones may be anywhere.
      find_edges(kInfinity);
      best = face;
      part_by_edges(a_, b_, preference, work_, best, parting);
      axis_ = parting.n;
      if (parting.gap > limit_) {
        work_.faces.clear();
        return;
      }
    }
    // Another axis separates bodies that seem to overlap there, as behind a thin plate. Coincident
    // faces are separated or overlap by rounding.
    const bool is_apart =
        best.gap <= 0.0 && parting.gap > preference && parting.gap - best.gap > doubt_;
    if (best.kind == AxisKind::Edges && !is_apart) {
      settle_edges(best, face.gap);
    } else if (parting.gap > 0.0 && (is_apart || least_gap(work_.faces) > best.gap + preference)) {
      if (!settle_places(parting)) return;
    }
    if (work_.faces.empty()) settle_rounding(face);
    // A flat face of several triangles: the deepest vertex is over another triangle of it.
    const bool is_face = best.kind != AxisKind::Edges && parting.gap <= 0.0;
    if (is_face && least_gap(work_.faces) > best.gap + preference) add_deepest(best);
    keep_four(work_.faces, 0, size_);
  }

  /// Return true if the deepest point of one body along the axis is in the other one.
  bool meets(const Axis& axis) const {
    const double slack = polyhedra::kFaceFirst * size_;
    if (axis.kind == AxisKind::Edges) {
      const Vector3& tail = a_.vertex(a_.body->edges()[at(axis.first)].tail);
      const Vector3& head = a_.vertex(a_.body->edges()[at(axis.first)].head);
      return is_in(b_, tail + crossing_on(a_, b_, axis).s * (head - tail), slack);
    }
    const bool first = axis.kind == AxisKind::FaceOfFirst;
    return std::any_of(work_.faces.begin(), work_.faces.end(), [&](const ShapeContact& c) {
      return c.g_N <= 0.0 && is_in(first ? a_ : b_, first ? c.r_2 : c.r_1, slack);
    });
  }

  void find_edges(double within) {
    Bounds box;
    for (const Vector3& v : work_.second) box.add(v);
    box.widen(within);
    edges_near(a_, box, work_.edges_1);
    box = a_.body->bounds();
    box.widen(within);
    edges_near(b_, box, work_.edges_2);
  }

  void settle_edges(const Axis& axis, double face_gap) {
    const double same = polyhedra::kSameGap * size_;
    // A point of a face may be as near while the other body is deeper along the normal of that
    // face.
    if (axis.gap - face_gap <= same && least_gap(work_.faces) - axis.gap <= same) return;
    edges_.clear();
    add_edge_pair(a_, b_, axis, limit_, size_, edges_);
    if (edges_.size() > 1) {
      std::swap(work_.faces, edges_);
    } else {
      add_decisive(edges_.front(), size_, work_.faces);
    }
  }

  /// Handle nearest points that neither a face nor two edges carry. Return false if they are out of
  /// reach.
  bool settle_places(const Axis& axis) {
    const NearestPlaces near = nearest_places(*a_.vertices, *b_.vertices, axis.n);
    if (near.distance == 0.0) return true;
    if (near.distance > limit_) {
      work_.faces.clear();
      return false;
    }
    // An axis whose gap equals the distance, or exceeds the gap along the direction between the
    // points, is more accurate than this direction. The smaller the distance, the less accurate is
    // the direction.
    const Vector3 between = direction_between(near);
    const bool tells =
        near.distance - axis.gap <= polyhedra::kSameGap * size_ || gap_along(between) < axis.gap;
    const Vector3 n = tells ? axis.n : between;
    axis_ = n;
    add_decisive(
        {near.distance, near.p, near.q, n, spanned_feature(*a_.body, near.first, near.count),
         spanned_feature(*b_.body, near.second, near.count)},
        size_, work_.faces);
    return true;
  }

  /// Return the direction from one point to the other, exactly perpendicular to the edge that
  /// carries one of them.
  Vector3 direction_between(const NearestPlaces& near) const {
    Vector3 n = (near.q - near.p) / near.distance;
    for (Index i = 1; i < near.count; ++i) {
      const Vector3 edge = near.first[at(i)] != near.first[0]
                               ? Vector3(a_.vertex(near.first[at(i)]) - a_.vertex(near.first[0]))
                               : Vector3(b_.vertex(near.second[at(i)]) - b_.vertex(near.second[0]));
      n -= n.dot(edge) / edge.squaredNorm() * edge;
    }
    return n.normalized();
  }

  /// Handle a separating face of which rounding has left no points: use two edges that separate
  /// equally well, or the plane of the face and its deepest vertex.
  void settle_rounding(const Axis& face) {
    Axis edges = face;
    edges.gap -= polyhedra::kSameGap * size_;
    Axis parting;
    part_by_edges(a_, b_, 0.0, work_, edges, parting);
    if (edges.kind == AxisKind::Edges) {
      settle_edges(edges, face.gap);
    } else {
      add_deepest(face);
    }
  }

  void add_deepest(const Axis& axis) {
    if (axis.first < 0 && axis.second < 0) return;
    const bool first = axis.kind == AxisKind::FaceOfFirst;
    const PlacedPolyhedron& other = first ? b_ : a_;
    const Index v = support_vertex(*other.vertices, first ? Vector3(-axis.n) : axis.n);
    const Vector3& x = other.vertex(v);
    const Index corner = other.body->vertex_feature(v);
    if (first) {
      work_.faces.push_back(
          {axis.gap, x - axis.gap * axis.n, x, axis.n, a_.body->face_feature(axis.first), corner});
    } else {
      work_.faces.push_back(
          {axis.gap, x, x + axis.gap * axis.n, axis.n, corner, b_.body->face_feature(axis.second)});
    }
  }

  PlacedPolyhedron a_, b_;
  double radius_1_, radius_2_, limit_, size_;
  double doubt_;  // m, error bound of the gap along an axis supported by two edges
  PolyhedronScratch& work_;
  std::vector<ShapeContact>& edges_ = work_.edge_points;
  Vector3 axis_ = Vector3::Zero();
};

}  // namespace

void polyhedron_contacts(const RoundedPolyhedron& first, const RoundedPolyhedron& second,
                         const Placement& pose, double reach, PairHint* hint,
                         PolyhedronScratch& scratch, std::vector<ShapeContact>& out) {
  PairSearch(first, second, pose, reach, scratch).run(hint, out);
}

SurfacePlace nearest_place(const Polyhedron& body, const Vector3& point) {
  SurfacePlace result;
  result.distance = -kInfinity;
  const std::vector<PolyhedronFace>& faces = body.faces();
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const double height = faces[f].normal.dot(point) - faces[f].offset;
    if (!(height > result.distance)) continue;
    result.distance = height;
    result.normal = faces[f].normal;
    result.feature = body.face_feature(static_cast<Index>(f));
  }
  result.r = point - result.distance * result.normal;
  if (result.distance <= 0.0) return result;
  const PolyhedronFace& face = faces[at(result.feature)];
  bool is_inside = true;
  for (Index i = face.begin; i < face.end && is_inside; ++i) {
    const PolyhedronEdge& e = body.edges()[at(body.loop_edges()[at(i)])];
    const Vector3& into = e.left == result.feature ? e.into_left : e.into_right;
    is_inside = into.dot(result.r - body.vertices()[at(e.tail)]) >= 0.0;
  }
  if (is_inside) return result;
  const Vector3 face_normal = result.normal;
  double least = kInfinity;
  for (std::size_t i = 0; i < body.edges().size(); ++i) {
    const PolyhedronEdge& e = body.edges()[i];
    const Vector3& tail = body.vertices()[at(e.tail)];
    const Vector3 d = body.vertices()[at(e.head)] - tail;
    const double s = (point - tail).dot(d) / d.squaredNorm();
    const Vector3 place = tail + std::clamp(s, 0.0, 1.0) * d;
    const double square = (point - place).squaredNorm();
    if (!(square < least)) continue;
    least = square;
    result.r = place;
    result.feature = body.edge_feature(static_cast<Index>(i));
    if (s <= 0.0) result.feature = body.vertex_feature(e.tail);
    if (s >= 1.0) result.feature = body.vertex_feature(e.head);
  }
  result.distance = std::sqrt(least);
  result.normal = result.distance > polyhedra::kNoDirection * body.size()
                      ? Vector3((point - result.r) / result.distance)
                      : face_normal;
  return result;
}

}  // namespace nsmb
