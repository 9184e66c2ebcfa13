#include "nsmb/geometry/surface_patch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

bool is_in(const Bounds& box, const Vector3& p) {
  return (p.array() >= box.low.array()).all() && (p.array() <= box.high.array()).all();
}

bool may_overlap(const Bounds& box, const Vector3& a, const Vector3& b) {
  return box.overlaps({a.cwiseMin(b), a.cwiseMax(b)});
}

class SurfaceFiller {
 public:
  SurfaceFiller(const TriangleSurface& surface, const Bounds& box, PatchScratch& work,
                SurfacePatch& patch)
      : surface_(surface), box_(box), work_(work), patch_(patch) {}

  void run() {
    work_.triangles.clear();
    surface_.collect(box_, work_.triangles);
    SurfaceTriangle t;
    for (const Index k : work_.triangles) {
      surface_.get(k, t);
      add_facet(k, t);
      for (std::size_t i = 0; i < 3; ++i) {
        add_edge(k, t, i);
        add_corner(k, t, i);
      }
    }
  }

 private:
  void add_facet(Index k, const SurfaceTriangle& t) {
    PatchFacet facet;
    facet.normal = t.normal;
    facet.offset = t.normal.dot(t.corner[0]);
    facet.feature = k;
    facet.begin = patch_.borders.size();
    for (std::size_t i = 0; i < 3; ++i) {
      PatchBorder border;
      border.p = t.corner[i];
      border.into = t.normal.cross(t.corner[(i + 1) % 3] - t.corner[i]).normalized();
      border.bend = surface_.bend(t.edge[i]);
      if (border.bend == Bend::Concave) border.beyond = surface_.normal(t.neighbour[i]);
      patch_.borders.push_back(border);
    }
    facet.end = patch_.borders.size();
    patch_.facets.push_back(facet);
  }

  /// Add an edge from the first of its triangles: where the edge is near, so is that triangle.
  void add_edge(Index k, const SurfaceTriangle& t, std::size_t i) {
    const Bend bend = surface_.bend(t.edge[i]);
    if (bend != Bend::Convex && bend != Bend::Open) return;
    if (t.neighbour[i] >= 0 && t.neighbour[i] < k) return;
    const Vector3 &a = t.corner[i], &b = t.corner[(i + 1) % 3];
    if (!may_overlap(box_, a, b)) return;
    PatchEdge edge;
    edge.a = a;
    edge.b = b;
    edge.feature = surface_.edge_feature(t.edge[i]);
    const Vector3 along = (b - a).normalized();
    edge.into_1 = t.normal.cross(along);
    if (bend == Bend::Open) {  // as if a wall extended straight down from it
      edge.into_2 = -t.normal;
      edge.normal = t.normal - edge.into_1;
    } else {
      const Vector3 other = surface_.normal(t.neighbour[i]);
      edge.into_2 = along.cross(other);
      edge.normal = t.normal + other;
      // Folded by 180°.
      if (edge.normal.norm() < surfaces::kFlat) edge.normal = -edge.into_1;
    }
    patch_.edges.push_back(edge);
  }

  void add_corner(Index k, const SurfaceTriangle& t, std::size_t i) {
    if (!surface_.stands_out(t.vertex[i]) || !is_in(box_, t.corner[i])) return;
    surface_.around(t.vertex[i], work_.around);
    if (work_.around.front() == k) nsmb::add_corner(surface_, t.vertex[i], work_, patch_);
  }

  const TriangleSurface& surface_;
  const Bounds& box_;
  PatchScratch& work_;
  SurfacePatch& patch_;
};

void add_corners(const Polyhedron& body, const Placement& pose, const Bounds& box,
                 PatchScratch& work, SurfacePatch& patch) {
  const auto count = static_cast<Index>(body.vertices().size());
  work.counts.assign(at(count), 0);
  for (const PolyhedronEdge& e : body.edges()) {
    ++work.counts[at(e.tail)];
    ++work.counts[at(e.head)];
  }
  std::size_t end = 0;
  for (Index v = 0; v < count; ++v) {
    PatchCorner corner;
    corner.r = pose.point(body.vertices()[at(v)]);
    corner.begin = corner.end = end;
    corner.feature = body.vertex_feature(v);
    end += at(work.counts[at(v)]);
    patch.corners.push_back(corner);
  }
  patch.arms.resize(end);
  for (const PolyhedronEdge& e : body.edges()) {
    PatchCorner &tail = patch.corners[at(e.tail)], &head = patch.corners[at(e.head)];
    const Vector3 along = (head.r - tail.r).normalized();
    patch.arms[tail.end++] = along;
    patch.arms[head.end++] = -along;
  }
  std::erase_if(patch.corners, [&](const PatchCorner& c) { return !is_in(box, c.r); });
}

}  // namespace

void SurfacePatch::clear() {
  corners.clear();
  edges.clear();
  facets.clear();
  arms.clear();
  borders.clear();
  radius = 0.0;
  depth = 0.0;
}

void fill_patch(const TriangleSurface& surface, const Bounds& box, PatchScratch& scratch,
                SurfacePatch& patch) {
  patch.clear();
  patch.depth = surface.depth();
  SurfaceFiller(surface, box, scratch, patch).run();
}

void add_corner(const TriangleSurface& surface, Index vertex, PatchScratch& scratch,
                SurfacePatch& patch) {
  surface.around(vertex, scratch.around);
  PatchCorner corner;
  corner.r = surface.vertex(vertex);
  corner.feature = surface.vertex_feature(vertex);
  corner.begin = patch.arms.size();
  SurfaceTriangle t;
  for (const Index k : scratch.around) {
    surface.get(k, t);
    const auto own = static_cast<std::size_t>(std::find(t.vertex.begin(), t.vertex.end(), vertex) -
                                              t.vertex.begin());
    const std::size_t next = (own + 1) % 3, last = (own + 2) % 3;
    const Vector3 to_next = (t.corner[next] - corner.r).normalized();
    const Vector3 to_last = (t.corner[last] - corner.r).normalized();
    patch.arms.push_back(to_next);
    corner.normal += std::atan2(to_next.cross(to_last).norm(), to_next.dot(to_last)) * t.normal;
    if (t.neighbour[last] < 0) patch.arms.push_back(to_last);
  }
  corner.end = patch.arms.size();
  patch.corners.push_back(corner);
}

void fill_patch(const Polyhedron& body, const Placement& pose, const Bounds& box,
                PatchScratch& scratch, SurfacePatch& patch) {
  patch.clear();
  patch.depth = body.half_width();
  add_corners(body, pose, box, scratch, patch);
  for (std::size_t k = 0; k < body.edges().size(); ++k) {
    const PolyhedronEdge& e = body.edges()[k];
    PatchEdge edge;
    edge.a = pose.point(body.vertices()[at(e.tail)]);
    edge.b = pose.point(body.vertices()[at(e.head)]);
    if (!may_overlap(box, edge.a, edge.b)) continue;
    edge.feature = body.edge_feature(static_cast<Index>(k));
    if (e.left >= 0) {
      edge.into_1 = pose.direction(e.into_left);
      edge.into_2 = pose.direction(e.into_right);
      edge.normal =
          pose.direction(body.faces()[at(e.left)].normal + body.faces()[at(e.right)].normal);
    }
    patch.edges.push_back(edge);
  }
  for (std::size_t f = 0; f < body.faces().size(); ++f) {
    const PolyhedronFace& face = body.faces()[f];
    PatchFacet facet;
    facet.normal = pose.direction(face.normal);
    facet.offset = face.offset + facet.normal.dot(pose.r);
    facet.feature = body.face_feature(static_cast<Index>(f));
    facet.begin = patch.borders.size();
    for (Index i = face.begin; i < face.end; ++i) {
      const PolyhedronEdge& e = body.edges()[at(body.loop_edges()[at(i)])];
      PatchBorder border;
      border.p = pose.point(body.vertices()[at(e.tail)]);
      border.into = pose.direction(e.left == facet.feature ? e.into_left : e.into_right);
      patch.borders.push_back(border);
    }
    facet.end = patch.borders.size();
    patch.facets.push_back(facet);
  }
}

void fill_patch(const Vector3& point, SurfacePatch& patch) {
  patch.clear();
  PatchCorner corner;
  corner.r = point;
  patch.corners.push_back(corner);
}

void move_patch(const Placement& pose, SurfacePatch& patch) {
  for (PatchCorner& c : patch.corners) {
    c.r = pose.point(c.r);
    c.normal = pose.direction(c.normal);
  }
  for (PatchEdge& e : patch.edges) {
    e.a = pose.point(e.a);
    e.b = pose.point(e.b);
    e.into_1 = pose.direction(e.into_1);
    e.into_2 = pose.direction(e.into_2);
    e.normal = pose.direction(e.normal);
  }
  for (PatchFacet& f : patch.facets) {
    f.normal = pose.direction(f.normal);
    f.offset += f.normal.dot(pose.r);
  }
  for (Vector3& arm : patch.arms) arm = pose.direction(arm);
  for (PatchBorder& b : patch.borders) {
    b.p = pose.point(b.p);
    b.into = pose.direction(b.into);
    b.beyond = pose.direction(b.beyond);
  }
}

bool leads_out(const SurfacePatch& patch, const PatchCorner& corner, const Vector3& n,
               double slack) {
  if (n.dot(corner.normal) < 0.0) return false;
  for (std::size_t k = corner.begin; k < corner.end; ++k) {
    if (n.dot(patch.arms[k]) > slack) return false;
  }
  return true;
}

bool leads_out(const PatchEdge& edge, const Vector3& n, double slack) {
  return n.dot(edge.into_1) <= slack && n.dot(edge.into_2) <= slack && n.dot(edge.normal) >= 0.0;
}

FootPlace place_of_foot(const SurfacePatch& patch, const PatchFacet& facet, const Vector3& x,
                        double height, double slack, double reach) {
  FootPlace result = FootPlace::Within;
  for (std::size_t k = facet.begin; k < facet.end; ++k) {
    const PatchBorder& border = patch.borders[k];
    const double inside = border.into.dot(x - border.p);
    // Facets next to flat edges differ by a negligible angle.
    const double wider =
        border.bend == Bend::Flat ? slack + 2.0 * surfaces::kFlat * std::abs(height) : slack;
    if (inside >= -wider) continue;
    if (border.bend != Bend::Concave) return FootPlace::Outside;
    const double behind = -border.beyond.dot(x - border.p);
    if (behind < 0.0 || behind > reach || std::abs(height) > reach) return FootPlace::Outside;
    result = FootPlace::Beyond;
  }
  return result;
}

bool is_beside(const PatchFacet& facet, const PatchEdge& edge, double slack) {
  return std::abs(facet.normal.dot(edge.a) - facet.offset) <= slack &&
         std::abs(facet.normal.dot(edge.b) - facet.offset) <= slack;
}

bool leaves_by_facet(const SurfacePatch& patch, const PatchEdge& edge, const PatchEdge& other,
                     const Vector3& place, double depth, double slack) {
  for (const PatchFacet& facet : patch.facets) {
    const double height = facet.normal.dot(place) - facet.offset;
    if (height > 0.0 || -height >= depth - slack || is_beside(facet, edge, slack)) continue;
    if (!leads_out(other, -facet.normal, surfaces::kLean)) continue;
    if (place_of_foot(patch, facet, place, height, slack, 0.0) == FootPlace::Within) return true;
  }
  return false;
}

}  // namespace nsmb
