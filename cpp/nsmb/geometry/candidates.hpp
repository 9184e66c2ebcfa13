// All contact points of two contours that are near: the search that needs no start.
//
// Both contours are covered by elements, straight edges or intervals that turn by at most 6°, in a
// tree of boxes. For elements whose boxes are near, the vertices they own are tried against the
// other element, and Newton's method starts from the middles of the two where a tangent of one can
// be opposite to one of the other. So every local minimum of the distance is found that lies in an
// element with one root of (4.21); closer ones, within 6° of turn, may be taken for one.
#pragma once

#include <algorithm>
#include <limits>

#include "nsmb/geometry/contact_point.hpp"

namespace nsmb {

/// Throws std::invalid_argument when no features of the two can ever touch: two lines without end,
/// which have neither curvature nor vertices, or two points.
void check_pair(const Contour& c1, const Contour& c2);

struct CandidateOptions {
  double distance = 0.0;  // m, largest g_N
  double skin = -1.0;     // m, largest depth -g_N, below the thickness of the bodies; < 0: distance
  Index max = -1;         // so many nearest ones; < 0: all
  bool use_tree = true;   // false: all pairs of elements, to compare with
  double overrun = 0.0;   // m, also those whose point lies beyond its features by less
};

struct Candidate {
  FeaturePair pair;
  ContactPoint point;
};

/// m, by which the bodies must move at least for the point to be one of contact.
inline double nearness(const ContactPoint& point) {
  return point.domain >= 0.0 ? point.g_N : std::max(point.g_N, -point.domain);
}

struct CandidateResult {
  std::vector<Candidate> candidates;                          // nearest first
  bool is_complete = true;                                    // false: `max` left some out
  double singular = std::numeric_limits<double>::infinity();  // m, least |g_N| of singular points
  Index box_tests = 0, point_tests = 0;
};

/// Scratch, one per thread; carries nothing from search to search.
struct CandidateWorkspace {
  TreeSearch search;
};

/// Contact points with -skin < g_N <= distance within their features, up to half of
/// feature_overlap: one that has just left a feature is found on the next one alone; with `overrun`
/// also those that lie beyond. Convex vertices only; a vertex behind a straight piece counts when
/// it is on the piece's side of the bisectors of its corners (33)-(36) and when its body stands on
/// the side it must have come from.
void find_candidates(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2,
                     const CandidateOptions& options, CandidateWorkspace& workspace,
                     CandidateResult& result);

}  // namespace nsmb
