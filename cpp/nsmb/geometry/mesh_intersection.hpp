// Intersection of two closed triangle surfaces: closed polygons, and the parts of each surface that
// they enclose.
#pragma once

#include <vector>

#include "nsmb/geometry/areal_patch.hpp"

namespace nsmb {

/// Part of an intersection polygon in one triangle of each surface. Its ends are numbers of
/// piercings.
struct IntersectionSegment {
  Index first = -1, second = -1;  // triangles
  std::array<Index, 2> end{-1, -1};
};

/// Corners are numbers of piercings, `begin[i]` to `begin[i + 1]` those of polygon i. A polygon
/// that is not closed ends where all signs are rounding errors.
struct IntersectionPolygons {
  std::vector<Index> corners, begin;
  std::vector<char> is_closed;
};

/// Part of one surface that is inside the other one.
struct ActiveArea {
  std::vector<Index> triangles;  // those crossed first, then those enclosed
  std::vector<char> is_active;   // of each triangle
  std::vector<char> is_inside;   // of each vertex of an active triangle
  std::vector<char> is_pierced;  // of each edge
  std::vector<Index> waiting;    // vertices
  Index crossed = 0;             // number of triangles crossed by a segment
};

/// Intersection of one pair of surfaces; allocates as it grows.
class MeshIntersection {
 public:
  /// Find the intersection. `pose`: the frame of the second surface in that of the first one, in
  /// which all points are given.
  void find(const ArealInstance& first, const ArealInstance& second, const Placement& pose);

  const std::vector<Piercing>& piercings() const { return piercings_; }
  /// Piercings 0 ... edges_of_second() - 1 are those of edges of the second surface.
  Index edges_of_second() const { return edges_of_second_; }
  const std::vector<IntersectionSegment>& segments() const { return segments_; }
  const IntersectionPolygons& polygons() const { return polygons_; }
  const ActiveArea& active(std::size_t surface) const { return active_[surface]; }
  const ArealCounts& counts() const { return counts_; }

 private:
  struct Found {
    Piercing piercing;
    std::size_t surface = 0;  // whose edge it is
    Index segment = -1;
    std::size_t end = 0;
  };

  void pair(const ArealInstance& first, Index i, const NumberedTriangle& a, Index k,
            const NumberedTriangle& b, const ArealInstance& second);
  void edges(const ArealInstance& own, Index i, const NumberedTriangle& a,
             const NumberedTriangle& b, Index k, const std::array<double, 3>& heights,
             std::size_t surface, std::size_t& ends);
  void join();
  void chain();
  void enclose(const ArealInstance& surface, std::size_t which);

  ArealScratch scratch_;
  ArealCounts counts_;
  std::vector<Found> ends_;
  std::vector<Piercing> piercings_;
  std::vector<std::array<Index, 2>> segments_at_;  // of each piercing
  std::vector<IntersectionSegment> segments_;
  std::vector<char> is_used_;
  IntersectionPolygons polygons_;
  std::array<ActiveArea, 2> active_;
  Index edges_of_second_ = 0;
};

/// Find elements of the triangles of the base whose barycentre is inside the target, measured along
/// their normal to the target. `active`: the part of the base in the target. Components in the
/// frame of the target.
void barycentre_elements(const ArealInstance& base, const ArealInstance& target,
                         const Placement& pose, const ActiveArea& active, ArealCounts& counts,
                         std::vector<ArealElement>& found);

}  // namespace nsmb
