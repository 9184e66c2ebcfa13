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
  // m, of the one that turns; > 0: no vertices that would have to turn by more than `distance`
  // before they can stand on the edge
  double arm = 0.0;
};

struct Candidate {
  FeaturePair pair;
  ContactPoint point;
  double way = 0.0;  // m, by which the bodies must move at least for this to be a contact
};

/// m, largest way of a point at the end of an arm, in the measure of the margin: a turn by φ counts
/// as 2 √2 arm sin(φ/2).
double way_of_turn(double arm, double turn);

struct CandidateResult {
  std::vector<Candidate> candidates;                          // nearest first
  bool is_complete = true;                                    // false: `max` left some out
  double singular = std::numeric_limits<double>::infinity();  // m, least |g_N| of singular points
  double deeper = std::numeric_limits<double>::infinity();    // m, least way up to the skin
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
