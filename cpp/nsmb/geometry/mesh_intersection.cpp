#include "nsmb/geometry/mesh_intersection.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <tuple>

namespace nsmb {

namespace {

using Triangle = TriangleTopology::Triangle;

bool same_signs(const std::array<double, 3>& heights) {
  const bool first = heights[0] < 0.0;
  return (heights[1] < 0.0) == first && (heights[2] < 0.0) == first;
}

std::array<double, 3> heights_over(const NumberedTriangle& t, const NumberedTriangle& other) {
  return {t.height(other.corner[0]), t.height(other.corner[1]), t.height(other.corner[2])};
}

/// Clear an area. Allocates nothing if the area has the right size.
void clear(const ArealInstance& surface, ActiveArea& area) {
  const TriangleTopology& topology = surface.topology();
  if (area.is_active.size() != topology.triangles().size()) {
    area.triangles.reserve(topology.triangles().size());
    area.waiting.reserve(at(topology.vertices()));
  }
  area.triangles.clear();
  area.waiting.clear();
  area.is_active.assign(topology.triangles().size(), 0);
  area.is_inside.assign(at(topology.vertices()), 0);
  area.is_pierced.assign(at(topology.edges()), 0);
  area.crossed = 0;
}

void activate(ActiveArea& area, Index triangle) {
  if (area.is_active[at(triangle)]) return;
  area.is_active[at(triangle)] = 1;
  area.triangles.push_back(triangle);
}

void enter(ActiveArea& area, Index vertex) {
  if (area.is_inside[at(vertex)]) return;
  area.is_inside[at(vertex)] = 1;
  area.waiting.push_back(vertex);
}

}  // namespace

void MeshIntersection::find(const ArealInstance& first, const ArealInstance& second,
                            const Placement& pose) {
  counts_ = {};
  ends_.clear();
  segments_.clear();
  counts_.box_tests =
      visit_pairs(first.tree(), second.tree(), pose, 0.0, scratch_.stack, [&](Index i, Index k) {
        ++counts_.triangle_tests;
        pair(first, i, first.triangle(i), k, moved_triangle(second, k, pose, scratch_), second);
      });
  forget(scratch_);
  join();
  chain();
  enclose(first, 0);
  enclose(second, 1);
}

void MeshIntersection::pair(const ArealInstance& first, Index i, const NumberedTriangle& a, Index k,
                            const NumberedTriangle& b, const ArealInstance& second) {
  const std::array<double, 3> over_b = heights_over(b, a);
  if (same_signs(over_b)) return;
  const std::array<double, 3> over_a = heights_over(a, b);
  if (same_signs(over_a)) return;
  std::size_t ends = 0;
  edges(first, i, a, b, k, over_b, 0, ends);
  edges(second, k, b, a, i, over_a, 1, ends);
  if (ends > 0) segments_.push_back({i, k, {-1, -1}});
}

void MeshIntersection::edges(const ArealInstance& own, Index i, const NumberedTriangle& a,
                             const NumberedTriangle& b, Index k,
                             const std::array<double, 3>& heights, std::size_t surface,
                             std::size_t& ends) {
  for (std::size_t e = 0; e < 3; ++e) {
    std::size_t from = e, to = (e + 1) % 3;
    if (a.vertex[to] < a.vertex[from]) std::swap(from, to);
    Found found;
    if (!pierces(a.corner[from], a.corner[to], heights[from], heights[to], b, found.piercing)) {
      continue;
    }
    found.piercing.edge = own.topology().edge_numbers()[at(i)][e];
    found.piercing.triangle = k;
    found.surface = surface;
    found.segment = static_cast<Index>(segments_.size());
    found.end = ends++;
    ends_.push_back(found);
  }
}

// The two triangles at an edge find the same piercing: two segments end there.
void MeshIntersection::join() {
  const auto key = [](const Found& f) {
    return std::tuple(f.surface == 0, f.piercing.edge, f.piercing.triangle);
  };
  std::sort(ends_.begin(), ends_.end(), [&](const Found& x, const Found& y) {
    return std::tuple_cat(key(x), std::tuple(x.segment)) <
           std::tuple_cat(key(y), std::tuple(y.segment));
  });
  piercings_.clear();
  segments_at_.clear();
  edges_of_second_ = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Found& f = ends_[i];
    if (i == 0 || key(ends_[i - 1]) != key(f)) {
      piercings_.push_back(f.piercing);
      segments_at_.push_back({f.segment, -1});
      if (f.surface == 1) ++edges_of_second_;
    } else {
      segments_at_.back()[1] = f.segment;
    }
    if (f.end < 2) {
      segments_[at(f.segment)].end[f.end] = static_cast<Index>(piercings_.size()) - 1;
    }
  }
}

void MeshIntersection::chain() {
  polygons_.corners.clear();
  polygons_.begin.assign(1, 0);
  polygons_.is_closed.clear();
  is_used_.assign(segments_.size(), 0);
  // Follow the segments from the far end of `from`, until none is connected.
  const auto follow = [&](Index from, Index corner) {
    for (Index segment = from; segment >= 0;) {
      is_used_[at(segment)] = 1;
      polygons_.corners.push_back(corner);
      const auto& ends = segments_[at(segment)].end;
      corner = ends[0] == corner ? ends[1] : ends[0];
      if (corner < 0) return false;
      const auto& both = segments_at_[at(corner)];
      segment = both[0] == segment ? both[1] : both[0];
      if (segment == from) return true;
      if (segment >= 0 && is_used_[at(segment)]) return false;
    }
    polygons_.corners.push_back(corner);
    return false;
  };
  const auto add = [&](std::size_t i, std::size_t end) {
    const bool closed = follow(static_cast<Index>(i), segments_[i].end[end]);
    polygons_.is_closed.push_back(closed);
    polygons_.begin.push_back(static_cast<Index>(polygons_.corners.size()));
  };
  // Open polygons from their ends, then all others.
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    for (std::size_t end = 0; end < 2; ++end) {
      const Index corner = segments_[i].end[end];
      if (is_used_[i] || corner < 0 || segments_at_[at(corner)][1] >= 0) continue;
      add(i, end);
    }
  }
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (!is_used_[i] && segments_[i].end[0] >= 0) add(i, 0);
  }
}

// A vertex next to a piercing of its edge is in the other surface if the edge leaves it there. The
// active area extends from such vertices inwards along all edges without piercings.
void MeshIntersection::enclose(const ArealInstance& surface, std::size_t which) {
  ActiveArea& area = active_[which];
  clear(surface, area);
  const TriangleTopology& topology = surface.topology();
  for (const IntersectionSegment& s : segments_) activate(area, which == 0 ? s.first : s.second);
  area.crossed = static_cast<Index>(area.triangles.size());
  const auto begin = which == 0 ? at(edges_of_second_) : 0;
  const auto end = which == 0 ? piercings_.size() : at(edges_of_second_);
  for (std::size_t i = begin; i < end; ++i) area.is_pierced[at(piercings_[i].edge)] = 1;
  for (std::size_t n = 0; n < at(area.crossed); ++n) {
    const std::size_t k = at(area.triangles[n]);
    for (std::size_t e = 0; e < 3; ++e) {
      const Index edge = topology.edge_numbers()[k][e];
      if (!area.is_pierced[at(edge)]) continue;
      const auto of_edge =
          std::lower_bound(piercings_.begin() + static_cast<std::ptrdiff_t>(begin),
                           piercings_.begin() + static_cast<std::ptrdiff_t>(end), edge,
                           [](const Piercing& p, Index value) { return p.edge < value; });
      const Piercing *lowest = &*of_edge, *highest = lowest;
      for (auto p = of_edge;
           p != piercings_.begin() + static_cast<std::ptrdiff_t>(end) && p->edge == edge; ++p) {
        if (p->share < lowest->share) lowest = &*p;
        if (p->share > highest->share) highest = &*p;
      }
      const Triangle& t = topology.triangles()[k];
      const Index low = std::min(t[e], t[(e + 1) % 3]), high = std::max(t[e], t[(e + 1) % 3]);
      if (lowest->leaves) enter(area, low);
      if (!highest->leaves) enter(area, high);
    }
  }
  for (std::size_t n = 0; n < area.waiting.size(); ++n) {
    const std::size_t v = at(area.waiting[n]);
    for (Index j = topology.around_begin()[v]; j < topology.around_begin()[v + 1]; ++j) {
      const Index k = topology.around()[at(j)];
      activate(area, k);
      const Triangle& t = topology.triangles()[at(k)];
      for (std::size_t e = 0; e < 3; ++e) {
        if (area.is_pierced[at(topology.edge_numbers()[at(k)][e])]) continue;
        const std::size_t a = at(t[e]), b = at(t[(e + 1) % 3]);
        if (a == v) enter(area, t[(e + 1) % 3]);
        if (b == v) enter(area, t[e]);
      }
    }
  }
}

namespace {

/// The nearest triangle of a surface on a line.
struct Hit {
  double way = std::numeric_limits<double>::infinity();
  Index triangle = -1;
};

bool passes(const Bounds& box, const Vector3& from, const Vector3& along, double longest) {
  double enter = 0.0, leave = longest;
  for (Index i = 0; i < 3; ++i) {
    if (along(i) == 0.0) {
      if (from(i) < box.low(i) || from(i) > box.high(i)) return false;
      continue;
    }
    const double a = (box.low(i) - from(i)) / along(i), b = (box.high(i) - from(i)) / along(i);
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave;
}

Hit first_hit(const ArealInstance& surface, const Vector3& from, const Vector3& along,
              ArealCounts& counts) {
  Hit hit;
  const auto is_near = [&](const Bounds& box) {
    ++counts.box_tests;
    return passes(box, from, along, hit.way);
  };
  surface.tree().visit(is_near, [&](Index k) {
    ++counts.triangle_tests;
    const NumberedTriangle t = surface.triangle(k);
    const double rate = -t.normal.dot(along);
    if (rate == 0.0) return;
    const double way = t.height(from) / rate;
    if (!(way >= 0.0) || way >= hit.way) return;
    const Vector3 p = from + way * along;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3& a = t.corner[i];
      if ((t.corner[(i + 1) % 3] - a).cross(p - a).dot(t.normal) < 0.0) return;
    }
    hit = {way, k};
  });
  return hit;
}

}  // namespace

void barycentre_elements(const ArealInstance& base, const ArealInstance& target,
                         const Placement& pose, const ActiveArea& active, ArealCounts& counts,
                         std::vector<ArealElement>& found) {
  for (const Index k : active.triangles) {
    const NumberedTriangle t = base.triangle(k);
    const Vector3 middle = pose.point((t.corner[0] + t.corner[1] + t.corner[2]) / 3.0);
    const Vector3 inwards = -pose.direction(t.normal);
    const Hit hit = first_hit(target, middle, inwards, counts);
    // The line leaves the target there: the barycentre is inside.
    if (hit.triangle < 0 || target.normal(hit.triangle).dot(inwards) <= 0.0) continue;
    const double area = 0.5 * (t.corner[1] - t.corner[0]).cross(t.corner[2] - t.corner[0]).norm();
    found.push_back(
        {middle + 0.5 * hit.way * inwards, inwards, area, hit.way, hit.way, k, hit.triangle});
  }
}

}  // namespace nsmb
