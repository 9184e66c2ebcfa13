#include "nsmb/geometry/outline_touch.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

/// A side of one part as a separating line from another part.
struct Parting {
  double gap = -std::numeric_limits<double>::infinity();  // m, to the nearest corner
  std::size_t side = 0, corner = 0;
  bool exists = false;
};

struct Partings {
  double widest = -std::numeric_limits<double>::infinity();  // m, by any side, cuts included
  Parting best;                                              // without cuts
};

Partings partings(const ConvexPart& part, const ConvexPart& other) {
  Partings found;
  for (std::size_t i = 0; i < part.sides.size(); ++i) {
    const OutlineSide& side = part.sides[i];
    const Vector2 n = side.outwards();
    double gap = std::numeric_limits<double>::infinity();
    std::size_t corner = 0;
    for (std::size_t k = 0; k < other.sides.size(); ++k) {
      const double height = n.dot(other.sides[k].r - side.r);
      if (height < gap) {
        gap = height;
        corner = k;
      }
    }
    found.widest = std::max(found.widest, gap);
    if (side.is_cut() || !(gap > found.best.gap)) continue;
    found.best = {gap, i, corner, true};
  }
  return found;
}

void move(const ConvexPart& part, const RelativePose& pose, ConvexPart& moved) {
  moved.sides = part.sides;
  moved.centre = pose.A * part.centre + pose.r;
  moved.reach = part.reach;
  for (OutlineSide& side : moved.sides) {
    side.r = (pose.A * side.r + pose.r).eval();
    side.t = (pose.A * side.t).eval();
  }
}

/// Touches of two convex parts; `first` is of outline 1.
class Clipping {
 public:
  Clipping(const ConvexPart& first, const ConvexPart& second, double margin, double same,
           std::vector<OutlineTouch>& found)
      : first_(first), second_(second), margin_(margin), same_(same), found_(found) {}

  void find() {
    const Partings by_first = partings(first_, second_), by_second = partings(second_, first_);
    if (std::max(by_first.widest, by_second.widest) > margin_) return;
    const bool first_parts = by_first.best.gap >= by_second.best.gap - same_;
    const Parting& best = first_parts ? by_first.best : by_second.best;
    const Parting& next = first_parts ? by_second.best : by_first.best;
    if (!best.exists || best.gap > margin_) return;
    if (clip(best, first_parts)) return;
    // Corner next to corner: separated parts do not touch along their sides.
    if (best.gap > 0.0) return;
    if (next.exists && clip(next, !first_parts)) return;
    add_corner(best, first_parts);
  }

 private:
  const ConvexPart& owner(bool of_first) const { return of_first ? first_ : second_; }

  void add(bool of_first, Index edge, double sigma, Index vertex, double gap) {
    if (gap > margin_) return;
    OutlineTouch touch;
    touch.g_N = gap;
    touch.pair = of_first ? FeaturePair{2 * edge + 1, 2 * vertex, sigma, 0.0}
                          : FeaturePair{2 * vertex, 2 * edge + 1, 0.0, sigma};
    const auto is_same = [&](const OutlineTouch& other) {
      return other.pair.first == touch.pair.first && other.pair.second == touch.pair.second;
    };
    if (std::none_of(found_.begin(), found_.end(), is_same)) found_.push_back(touch);
  }

  void add_corner(const Parting& parting, bool of_first) {
    const OutlineSide& side = owner(of_first).sides[parting.side];
    const OutlineSide& corner = owner(!of_first).sides[parting.corner];
    add(of_first, side.edge, side.t.dot(corner.r - side.r), corner.vertex, parting.gap);
  }

  /// Return the side at a corner that is most opposed to n, unless it is a cut.
  const OutlineSide* incident(const ConvexPart& part, std::size_t corner, const Vector2& n) const {
    const std::size_t last = corner > 0 ? corner - 1 : part.sides.size() - 1;
    const OutlineSide &in = part.sides[last], &out = part.sides[corner];
    const bool takes_in = in.outwards().dot(n) < out.outwards().dot(n);
    const OutlineSide &most = takes_in ? in : out, &less = takes_in ? out : in;
    if (!most.is_cut()) return &most;
    return less.is_cut() ? nullptr : &less;
  }

  /// Return false if no part of the other outline lies over the side.
  bool clip(const Parting& parting, bool of_first) {
    const ConvexPart& other = owner(!of_first);
    const OutlineSide& side = owner(of_first).sides[parting.side];
    const Vector2 n = side.outwards();
    const OutlineSide* const edge = incident(other, parting.corner, n);
    const OutlineSide& corner = other.sides[parting.corner];
    const double s_corner = side.t.dot(corner.r - side.r);
    if (!edge) {
      if (s_corner < -same_ || s_corner > side.length + same_) return false;
      add_corner(parting, of_first);
      return true;
    }
    const Vector2 ends[2] = {edge->r, edge->r + edge->length * edge->t};
    const double s[2] = {side.t.dot(ends[0] - side.r), side.t.dot(ends[1] - side.r)};
    const double g[2] = {n.dot(ends[0] - side.r), n.dot(ends[1] - side.r)};
    if (std::max(s[0], s[1]) < -same_ || std::min(s[0], s[1]) > side.length + same_) return false;
    for (int e = 0; e < 2; ++e) {
      if (s[e] >= -same_ && s[e] <= side.length + same_) {
        add(of_first, side.edge, s[e], vertex_at(other, *edge, e), g[e]);
        continue;
      }
      // The end of the side itself, on the edge that extends beyond it.
      const bool beyond = s[e] > side.length;
      const double s_end = beyond ? side.length : 0.0;
      const double part = (s_end - s[e]) / (s[1 - e] - s[e]);
      const double gap = g[e] + part * (g[1 - e] - g[e]);
      const double sigma = e == 0 ? part * edge->length : (1.0 - part) * edge->length;
      add(!of_first, edge->edge, sigma, vertex_at(owner(of_first), side, beyond ? 1 : 0),
          gap * std::abs(n.dot(edge->outwards())));
    }
    return true;
  }

  static Index vertex_at(const ConvexPart& part, const OutlineSide& side, int end) {
    if (end == 0) return side.vertex;
    const auto k = static_cast<std::size_t>(&side - part.sides.data());
    return part.sides[k + 1 < part.sides.size() ? k + 1 : 0].vertex;
  }

  const ConvexPart &first_, &second_;
  const double margin_, same_;
  std::vector<OutlineTouch>& found_;
};

/// Call visit(part of 1, part of 2 in the frame of 1) for parts within `margin` of each other.
template <class Visit>
void visit_parts(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                 const Pose& pose_2, double margin, ConvexPart& moved, const Visit& visit) {
  const RelativePose pose = relative(pose_1, pose_2);
  for (const ConvexPart& other : outline_2.parts()) {
    const Vector2 centre = pose.A * other.centre + pose.r;
    bool is_moved = false;
    for (const ConvexPart& part : outline_1.parts()) {
      const double apart = part.reach + other.reach + margin;
      if ((centre - part.centre).squaredNorm() > apart * apart) continue;
      if (!is_moved) move(other, pose, moved);
      is_moved = true;
      visit(part, moved);
    }
  }
}

/// Clip `polygon` to the left of a side, into `clipped`.
void cut(const std::vector<Vector2>& polygon, const OutlineSide& side,
         std::vector<Vector2>& clipped) {
  clipped.clear();
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vector2 &a = polygon[k], &b = polygon[k + 1 < polygon.size() ? k + 1 : 0];
    const double ha = cross(side.t, a - side.r), hb = cross(side.t, b - side.r);
    if (ha >= 0.0) clipped.push_back(a);
    if ((ha >= 0.0) != (hb >= 0.0)) clipped.push_back(a + ha / (ha - hb) * (b - a));
  }
}

double area_over_extent(const std::vector<Vector2>& polygon) {
  double twice = 0.0, extent = 0.0;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vector2 &a = polygon[k], &b = polygon[k + 1 < polygon.size() ? k + 1 : 0];
    twice += cross(a - polygon[0], b - polygon[0]);
    for (std::size_t m = 0; m < k; ++m) extent = std::max(extent, (polygon[m] - a).norm());
  }
  return extent > 0.0 ? std::max(0.5 * twice / extent, 0.0) : 0.0;
}

}  // namespace

void find_touches(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                  const Pose& pose_2, double margin, OutlineWorkspace& work) {
  work.found.clear();
  const double same = outlines::kSameEnd * std::min(outline_1.size(), outline_2.size());
  visit_parts(outline_1, pose_1, outline_2, pose_2, margin, work.moved,
              [&](const ConvexPart& first, const ConvexPart& second) {
                Clipping(first, second, margin, same, work.found).find();
              });
  std::sort(work.found.begin(), work.found.end(), [](const OutlineTouch& a, const OutlineTouch& b) {
    return std::tuple(a.g_N, a.pair.first, a.pair.second) <
           std::tuple(b.g_N, b.pair.first, b.pair.second);
  });
}

double least_distance(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                      const Pose& pose_2, OutlineWorkspace& work) {
  const RelativePose pose = relative(pose_1, pose_2);
  double least = std::numeric_limits<double>::infinity();
  for (const ConvexPart& other : outline_2.parts()) {
    move(other, pose, work.moved);
    for (const ConvexPart& part : outline_1.parts()) {
      const double centres = (work.moved.centre - part.centre).norm();
      double apart = centres - part.reach - other.reach;
      if (apart < least && apart < part.reach + other.reach) {
        apart =
            std::max({apart, partings(part, work.moved).widest, partings(work.moved, part).widest});
      }
      least = std::min(least, apart);
    }
  }
  return std::max(least, 0.0);
}

double overlap_depth(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                     const Pose& pose_2, OutlineWorkspace& work) {
  double deepest = 0.0;
  visit_parts(outline_1, pose_1, outline_2, pose_2, 0.0, work.moved,
              [&](const ConvexPart& first, const ConvexPart& second) {
                work.polygon.clear();
                for (const OutlineSide& side : first.sides) work.polygon.push_back(side.r);
                for (const OutlineSide& side : second.sides) {
                  cut(work.polygon, side, work.clipped);
                  work.polygon.swap(work.clipped);
                  if (work.polygon.empty()) return;
                }
                deepest = std::max(deepest, area_over_extent(work.polygon));
              });
  return deepest;
}

}  // namespace nsmb
