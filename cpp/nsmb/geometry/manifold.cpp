#include "nsmb/geometry/manifold.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

Index next_in_loop(const PolyhedronFace& face, Index i) {
  return i + 1 < face.end ? i + 1 : face.begin;
}

/// Return the face around a vertex that is most opposed to n, or -1.
Index opposite_face(const PlacedPolyhedron& p, Index vertex, const Vector3& n) {
  const std::vector<Index>& around = p.body->around();
  const std::vector<Index>& begin = p.body->around_begin();
  Index best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = begin[at(vertex)]; i < begin[at(vertex + 1)]; ++i) {
    const double cosine = p.normal(around[at(i)]).dot(n);
    if (cosine < least) {
      least = cosine;
      best = around[at(i)];
    }
  }
  return best;
}

/// Clip the polygon at the planes through the edges of a face, along its normal.
void clip(const PlacedPolyhedron& p, Index face_index, double slack, ClipScratch& scratch) {
  const PolyhedronFace& face = p.body->faces()[at(face_index)];
  const std::vector<Index>& loops = p.body->loops();
  const Vector3 n = p.normal(face_index);
  for (Index i = face.begin; i < face.end && !scratch.polygon.empty(); ++i) {
    const Vector3& a = p.vertex(loops[at(i)]);
    const Vector3& b = p.vertex(loops[at(next_in_loop(face, i))]);
    const Vector3 inward = n.cross(b - a).normalized();
    scratch.clipped.clear();
    const std::size_t count = scratch.polygon.size();
    for (std::size_t k = 0; k < count; ++k) {
      const Vector3& x = scratch.polygon[k];
      const Vector3& y = scratch.polygon[k + 1 < count ? k + 1 : 0];
      const double d_x = inward.dot(x - a), d_y = inward.dot(y - a);
      if (d_x >= -slack) scratch.clipped.push_back(x);
      if ((d_x > slack && d_y < -slack) || (d_x < -slack && d_y > slack)) {
        scratch.clipped.push_back(x + d_x / (d_x - d_y) * (y - x));
      }
    }
    std::swap(scratch.polygon, scratch.clipped);
  }
}

double distance_to_line(const Vector3& x, const Vector3& a, const Vector3& b) {
  const Vector3 d = (b - a).normalized();
  const Vector3 r = x - a;
  return (r - d.dot(r) * d).norm();
}

/// Return the vertex, edge or face of a face on which a point of it lies.
Index feature_at(const PlacedPolyhedron& p, Index face_index, const Vector3& x, double near) {
  const Polyhedron& body = *p.body;
  if (face_index < 0) {  // a segment
    for (Index v = 0; v < 2; ++v) {
      if ((x - p.vertex(v)).norm() <= near) return body.vertex_feature(v);
    }
    return body.edge_feature(0);
  }
  const PolyhedronFace& face = body.faces()[at(face_index)];
  for (Index i = face.begin; i < face.end; ++i) {
    const Index v = body.loops()[at(i)];
    if ((x - p.vertex(v)).norm() <= near) return body.vertex_feature(v);
  }
  for (Index i = face.begin; i < face.end; ++i) {
    const Vector3& a = p.vertex(body.loops()[at(i)]);
    const Vector3& b = p.vertex(body.loops()[at(next_in_loop(face, i))]);
    if (distance_to_line(x, a, b) <= near) return body.edge_feature(body.loop_edges()[at(i)]);
  }
  return body.face_feature(face_index);
}

bool is_edge(const Polyhedron& body, Index feature) {
  const Index first = body.edge_feature(0);
  return feature >= first && feature < first + static_cast<Index>(body.edges().size());
}

/// Remove crossings of coincident edges, whose positions are determined by rounding. Such a point
/// between two others is redundant.
void drop_chance_crossings(const PlacedPolyhedron& reference, const PlacedPolyhedron& other,
                           bool first, double near, std::size_t begin,
                           std::vector<ShapeContact>& out) {
  const auto is_between = [&](std::size_t k) {
    const Vector3& x = out[k].r_1;
    for (std::size_t i = begin; i < out.size(); ++i) {
      for (std::size_t j = i + 1; j < out.size(); ++j) {
        if (i == k || j == k) continue;
        const Vector3 &a = out[i].r_1, &b = out[j].r_1;
        if ((x - a).dot(x - b) < 0.0 && distance_to_line(x, a, b) <= near) return true;
      }
    }
    return false;
  };
  for (std::size_t k = begin; k < out.size();) {
    const Index own = first ? out[k].feature_1 : out[k].feature_2;
    const Index its = first ? out[k].feature_2 : out[k].feature_1;
    if (is_edge(*reference.body, own) && is_edge(*other.body, its) && is_between(k)) {
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(k));
    } else {
      ++k;
    }
  }
}

/// Add a point; of points on the same two features the deeper one is kept.
void add_distinct(const ShapeContact& c, std::size_t begin, std::vector<ShapeContact>& out) {
  for (std::size_t i = begin; i < out.size(); ++i) {
    if (out[i].feature_1 != c.feature_1 || out[i].feature_2 != c.feature_2) continue;
    if (c.g_N < out[i].g_N) out[i] = c;
    return;
  }
  out.push_back(c);
}

/// Return the index from `begin` on with the largest value. A later one must be larger by a margin.
template <class Value>
std::size_t furthest(const std::vector<ShapeContact>& points, std::size_t begin,
                     const Value& value) {
  std::size_t best = begin;
  double most = 0.0;
  for (std::size_t i = begin; i < points.size(); ++i) {
    const double v = value(points[i]);
    if (i == begin || v > (1.0 + polyhedra::kFurther) * most) {
      most = v;
      best = i;
    }
  }
  return best;
}

}  // namespace

Index support_vertex(const std::vector<Vector3>& vertices, const Vector3& n) {
  Index best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const double height = vertices[i].dot(n);
    if (height > most) {
      most = height;
      best = static_cast<Index>(i);
    }
  }
  return best;
}

void face_contacts(const PlacedPolyhedron& reference, Index face, const PlacedPolyhedron& other,
                   bool first, double limit, double size, ClipScratch& scratch,
                   std::vector<ShapeContact>& out) {
  const std::size_t begin = out.size();
  const Vector3 n = reference.normal(face);
  const double offset = reference.offset(face);
  const Index deepest = support_vertex(*other.vertices, -n);
  const Index facing = opposite_face(other, deepest, n);
  scratch.polygon.clear();
  if (facing < 0) {
    scratch.polygon = *other.vertices;
  } else {
    const PolyhedronFace& f = other.body->faces()[at(facing)];
    for (Index i = f.begin; i < f.end; ++i) {
      scratch.polygon.push_back(other.vertex(other.body->loops()[at(i)]));
    }
  }
  clip(reference, face, polyhedra::kFaceFirst * size, scratch);
  const double near = polyhedra::kOnFeature * size;
  for (const Vector3& x : scratch.polygon) {
    const double gap = n.dot(x) - offset;
    if (gap > limit) continue;
    const Vector3 y = x - gap * n;
    const Index own = feature_at(reference, face, y, near);
    const Index its = feature_at(other, facing, x, near);
    add_distinct(
        first ? ShapeContact{gap, y, x, n, own, its} : ShapeContact{gap, x, y, -n, its, own}, begin,
        out);
  }
  drop_chance_crossings(reference, other, first, near, begin, out);
}

void edge_contacts(const PlacedPolyhedron& a, Index edge_a, const PlacedPolyhedron& b, Index edge_b,
                   const Vector3& n, double limit, double size, std::vector<ShapeContact>& out) {
  const std::size_t begin = out.size();
  const PolyhedronEdge& p = a.body->edges()[at(edge_a)];
  const PolyhedronEdge& q = b.body->edges()[at(edge_b)];
  const double near = polyhedra::kOnFeature * size;
  const auto add = [&](const PlacedPolyhedron& own, const PolyhedronEdge& edge,
                       const PlacedPolyhedron& other, const PolyhedronEdge& line, Index other_edge,
                       bool is_first) {
    const Vector3& tail = other.vertex(line.tail);
    const Vector3 d = other.vertex(line.head) - tail;
    const double length = d.norm();
    for (const Index v : {edge.tail, edge.head}) {
      const Vector3& x = own.vertex(v);
      const double s = (x - tail).dot(d) / length;
      if (s < -near || s > length + near) continue;
      const Vector3 y = tail + std::clamp(s / length, 0.0, 1.0) * d;
      const double gap = is_first ? n.dot(y - x) : n.dot(x - y);
      if (gap > limit) continue;
      // Points not opposite to the other edge are invalid, however nearly parallel the edges are.
      if ((y - x).cross(n).norm() > near) continue;
      Index its = other.body->edge_feature(other_edge);
      if (s <= near) its = other.body->vertex_feature(line.tail);
      if (s >= length - near) its = other.body->vertex_feature(line.head);
      const Index mine = own.body->vertex_feature(v);
      add_distinct(is_first ? ShapeContact{gap, x, x + gap * n, n, mine, its}
                            : ShapeContact{gap, x - gap * n, x, n, its, mine},
                   begin, out);
    }
  };
  add(a, p, b, q, edge_b, true);
  add(b, q, a, p, edge_a, false);
}

void keep_four(std::vector<ShapeContact>& points, std::size_t begin, double size) {
  if (points.size() - begin <= 4) return;
  const std::size_t deepest = [&] {
    std::size_t best = begin;
    for (std::size_t i = begin; i < points.size(); ++i) {
      if (points[i].g_N < points[best].g_N - polyhedra::kDeeper * size) best = i;
    }
    return best;
  }();
  Vector3 middle = Vector3::Zero();
  for (std::size_t i = begin; i < points.size(); ++i) middle += points[i].r_1;
  middle /= static_cast<double>(points.size() - begin);
  std::array<std::size_t, 4> kept{};
  kept[0] = furthest(points, begin,
                     [&](const ShapeContact& c) { return (c.r_1 - middle).squaredNorm(); });
  const auto from_kept = [&](const ShapeContact& c, std::size_t count) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
      least = std::min(least, (c.r_1 - points[kept[i]].r_1).squaredNorm());
    }
    return least;
  };
  kept[1] = furthest(points, begin, [&](const ShapeContact& c) { return from_kept(c, 1); });
  // The other two lie on both sides of the line through the first two, so that all four surround
  // what lies in the middle.
  const Vector3 start = points[kept[0]].r_1;
  const Vector3 across = points[kept[0]].normal.cross(points[kept[1]].r_1 - start);
  const auto height = [&](const ShapeContact& c) { return across.dot(c.r_1 - start); };
  kept[2] = furthest(points, begin, [&](const ShapeContact& c) { return std::abs(height(c)); });
  const double side = std::copysign(1.0, height(points[kept[2]]));
  kept[3] = furthest(points, begin,
                     [&](const ShapeContact& c) { return std::max(0.0, -side * height(c)); });
  if (!(-side * height(points[kept[3]]) >
        polyhedra::kFurther * std::abs(height(points[kept[2]])))) {
    kept[3] = furthest(points, begin, [&](const ShapeContact& c) { return from_kept(c, 3); });
  }
  if (std::find(kept.begin(), kept.end(), deepest) == kept.end()) {
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < 4; ++k) {
      const double d = (points[kept[k]].r_1 - points[deepest].r_1).squaredNorm();
      if (d < least) {
        least = d;
        nearest = k;
      }
    }
    kept[nearest] = deepest;
  }
  std::sort(kept.begin(), kept.end());
  std::size_t count = begin;
  for (std::size_t k = 0; k < 4; ++k) {
    if (k > 0 && kept[k] == kept[k - 1]) continue;
    points[count++] = points[kept[k]];
  }
  points.resize(count);
}

}  // namespace nsmb
