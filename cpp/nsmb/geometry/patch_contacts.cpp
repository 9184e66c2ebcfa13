// Pairs of features of two patches.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "nsmb/geometry/surface_pairs.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

class PatchPair {
 public:
  PatchPair(const SurfacePatch& first, const SurfacePatch& second, double reach, double slack,
            std::vector<FoundFoot>& feet, std::vector<ShapeContact>& points)
      : first_(first),
        second_(second),
        radius_(first.radius + second.radius),
        limit_(reach + radius_),
        depth_(std::min(first.depth, second.depth)),
        // A rounded body touches both sides of a corner before its core is behind either.
        beyond_(radius_ > 0.0 ? 0.0 : surfaces::kBeyond * depth_),
        slack_(slack),
        feet_(feet),
        points_(points),
        begin_(points.size()) {}

  void run() {
    corners_on_facets(second_, first_, false);
    corners_on_facets(first_, second_, true);
    corners_on_edges(second_, first_, false);
    corners_on_edges(first_, second_, true);
    corners_on_corners();
    edges_on_edges();
    for (std::size_t k = begin_; k < points_.size(); ++k) {
      ShapeContact& c = points_[k];
      c.r_1 += first_.radius * c.normal;
      c.r_2 -= second_.radius * c.normal;
      c.g_N -= radius_;
    }
  }

 private:
  /// Add a contact; p is on the patch that the corner belongs to, q on the other one, n from p to
  /// q.
  void add(double gap, const Vector3& p, const Vector3& q, const Vector3& n, Index own, Index its,
           bool own_is_first) {
    points_.push_back(own_is_first ? ShapeContact{gap, p, q, n, own, its}
                                   : ShapeContact{gap, q, p, -n, its, own});
  }

  /// Return the distance to the nearest edge or corner that a point is in front of, m, if less than
  /// `most`.
  double in_front(const SurfacePatch& patch, const Vector3& place, double most) const {
    double nearest = most;
    for (const PatchEdge& edge : patch.edges) {
      const Vector3 along = edge.b - edge.a;
      const double s = (place - edge.a).dot(along) / along.squaredNorm();
      if (!(s >= 0.0 && s <= 1.0)) continue;
      const Vector3 d = place - edge.a - s * along;
      const double gap = d.norm();
      if (!(gap > slack_ && gap < nearest)) continue;
      if (leads_out(edge, d / gap, surfaces::kLeadsOut)) nearest = gap;
    }
    for (const PatchCorner& corner : patch.corners) {
      const Vector3 d = place - corner.r;
      const double gap = d.norm();
      if (!(gap > slack_ && gap < nearest)) continue;
      if (leads_out(patch, corner, d / gap, surfaces::kLeadsOut)) nearest = gap;
    }
    return nearest;
  }

  /// Return true if the point is in front of a facet by less than `depth`. It is then not behind a
  /// facet that is further away.
  bool is_in_front(const SurfacePatch& patch, const Vector3& place, double depth) const {
    const double most = depth - slack_;
    for (const PatchFacet& facet : patch.facets) {
      const double height = facet.normal.dot(place) - facet.offset;
      if (!(height > slack_ && height < most)) continue;
      if (place_of_foot(patch, facet, place, height, slack_, 0.0) == FootPlace::Within) return true;
    }
    return in_front(patch, place, most) < most;
  }

  void corners_on_facets(const SurfacePatch& own, const SurfacePatch& other, bool own_is_first) {
    for (const PatchCorner& corner : own.corners) {
      feet_.clear();
      // Distance to the surface, m: of what it is in front of, and of ways out along which the body
      // ends here.
      double nearest = kInfinity;
      for (std::size_t k = 0; k < other.facets.size(); ++k) {
        const PatchFacet& facet = other.facets[k];
        const double gap = facet.normal.dot(corner.r) - facet.offset;
        if (gap > limit_ || gap < -depth_) continue;
        const FootPlace place = place_of_foot(other, facet, corner.r, gap, slack_, beyond_);
        if (place == FootPlace::Outside) continue;
        const bool ends = leads_out(own, corner, -facet.normal, surfaces::kLean);
        if (place == FootPlace::Within && (ends || gap >= 0.0)) {
          nearest = std::min(nearest, std::abs(gap));
        }
        if (!ends) continue;
        feet_.push_back({gap, corner.r - gap * facet.normal, k});
      }
      const auto is_behind = [](const FoundFoot& found) { return found.gap < 0.0; };
      if (std::any_of(feet_.begin(), feet_.end(), is_behind)) {
        nearest = in_front(other, corner.r, nearest);
      }
      for (const FoundFoot& found : feet_) {
        // For a point inside, the nearest way out counts. Facets further away belong to other
        // sides.
        if (found.gap < 0.0 && -found.gap > nearest + slack_) continue;
        const PatchFacet& facet = other.facets[found.facet];
        add(found.gap, corner.r, found.foot, -facet.normal, corner.feature, facet.feature,
            own_is_first);
      }
    }
  }

  void corners_on_edges(const SurfacePatch& own, const SurfacePatch& other, bool own_is_first) {
    for (const PatchCorner& corner : own.corners) {
      for (const PatchEdge& edge : other.edges) {
        const Vector3 along = edge.b - edge.a;
        const double s = (corner.r - edge.a).dot(along) / along.squaredNorm();
        if (!(s >= 0.0 && s <= 1.0)) continue;
        const Vector3 foot = edge.a + s * along, d = foot - corner.r;
        const double gap = d.norm();
        if (gap > limit_ || !(gap > slack_)) continue;
        const Vector3 n = d / gap;
        if (!leads_out(edge, -n, surfaces::kLeadsOut)) continue;
        if (!leads_out(own, corner, n, surfaces::kLeadsOut)) continue;
        add(gap, corner.r, foot, n, corner.feature, edge.feature, own_is_first);
      }
    }
  }

  void corners_on_corners() {
    for (const PatchCorner& a : first_.corners) {
      for (const PatchCorner& b : second_.corners) {
        const Vector3 d = b.r - a.r;
        const double gap = d.norm();
        if (gap > limit_ || !(gap > slack_)) continue;
        const Vector3 n = d / gap;
        if (!leads_out(first_, a, n, surfaces::kLeadsOut)) continue;
        if (!leads_out(second_, b, -n, surfaces::kLeadsOut)) continue;
        add(gap, a.r, b.r, n, a.feature, b.feature, true);
      }
    }
  }

  void edges_on_edges() {
    const std::size_t crossings = points_.size();
    for (const PatchEdge& a : first_.edges) {
      const Vector3 d_1 = a.b - a.a;
      const double length_1 = d_1.norm();
      for (const PatchEdge& b : second_.edges) {
        const Vector3 d_2 = b.b - b.a, c = d_1.cross(d_2), r = b.a - a.a;
        const double square = c.squaredNorm(), length_2 = d_2.norm();
        const double least = polyhedra::kParallelEdges * length_1 * length_2;
        if (!(square > least * least)) continue;
        const double s = r.cross(d_2).dot(c) / square, t = r.cross(d_1).dot(c) / square;
        const double wider_1 = slack_ / length_1, wider_2 = slack_ / length_2;
        if (s < -wider_1 || s > 1.0 + wider_1 || t < -wider_2 || t > 1.0 + wider_2) continue;
        Vector3 n = c / std::sqrt(square);
        n = (n - n.dot(d_1) / (length_1 * length_1) * d_1).normalized();
        for (const double sign : {1.0, -1.0}) {
          const Vector3 m = sign * n;
          const double gap = m.dot(r);
          if (gap > limit_ || gap < -depth_) continue;
          if (!leads_out(a, m, surfaces::kCrossingLean) ||
              !leads_out(b, -m, surfaces::kCrossingLean))
            continue;
          const Vector3 p = a.a + s * d_1, q = b.a + t * d_2;
          if (gap < 0.0 && (leaves_by_facet(second_, b, a, p, -gap, slack_) ||
                            leaves_by_facet(first_, a, b, q, -gap, slack_))) {
            continue;
          }
          if (gap < 0.0 && second_.facets.empty() && is_in_front(first_, q, -gap)) continue;
          points_.push_back({gap, p, q, m, a.feature, b.feature});
        }
      }
    }
    drop_deeper_crossings(points_, begin_, crossings, slack_);
  }

  const SurfacePatch &first_, &second_;
  double radius_, limit_, depth_, beyond_, slack_;
  std::vector<FoundFoot>& feet_;
  std::vector<ShapeContact>& points_;
  std::size_t begin_;
};

}  // namespace

void drop_deeper_crossings(std::vector<ShapeContact>& points, std::size_t begin,
                           std::size_t crossings, double slack) {
  const auto from = points.begin() + static_cast<std::ptrdiff_t>(crossings);
  for (auto c = from; c != points.end(); ++c) {
    if (!(c->g_N < 0.0)) continue;
    const auto leads_out_nearby = [&](const ShapeContact& other) {
      return other.g_N > 0.5 * c->g_N && other.g_N <= slack &&
             other.normal.dot(c->normal) < polyhedra::kSameSide &&
             (other.r_1 - c->r_1).norm() <= -2.0 * c->g_N;
    };
    const auto all = points.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::any_of(all, points.end(), leads_out_nearby)) c->feature_1 = -1;
  }
  points.erase(
      std::remove_if(from, points.end(), [](const ShapeContact& c) { return c.feature_1 < 0; }),
      points.end());
}

void patch_contacts(const SurfacePatch& first, const SurfacePatch& second, double reach,
                    double slack, std::vector<FoundFoot>& feet, std::vector<ShapeContact>& points) {
  PatchPair(first, second, reach, slack, feet, points).run();
}

}  // namespace nsmb
