// All contact points of two nearby contours: the search that needs no start.
//
// Both contours are covered by elements, straight edges or intervals that turn by at most 6°, in a
// tree of boxes. For elements whose boxes are near, the vertices they own are tried against the
// other element. Newton's method starts from the middles of the two if their tangents can be
// opposite. This finds every local minimum of the distance that lies in an element with one root of
// (4.21). Minima closer together, within 6° of turn, may be merged.
#pragma once

#include <algorithm>
#include <limits>

#include "nsmb/geometry/contact_point.hpp"

namespace nsmb {

/// Throw std::invalid_argument when no features of the two can ever touch: two infinite lines,
/// which have neither curvature nor vertices, or two points.
void check_pair(const Contour& c1, const Contour& c2);

struct CandidateOptions {
  double distance = 0.0;  // m, largest g_N
  double skin = -1.0;     // m, largest depth -g_N, below the thickness of the bodies; < 0: distance
  Index max = -1;         // largest number of candidates, nearest first; < 0: all
  bool use_tree = true;   // false: all pairs of elements, for comparison
  double overrun = 0.0;   // m, also points that lie beyond their features by less than this
  // m, arm of the rotating body; > 0: omits vertices that would have to rotate by more than
  // `distance` before they can stand on the edge
  double arm = 0.0;
};

struct Candidate {
  FeaturePair pair;
  ContactPoint point;
  double way = 0.0;  // m, least displacement of the bodies that makes this a contact
};

/// Return the largest displacement of a point at the end of an arm, m, in the measure of the
/// margin: a rotation by φ counts as 2 √2 arm sin(φ/2).
double way_of_turn(double arm, double turn);

struct CandidateResult {
  std::vector<Candidate> candidates;                          // nearest first
  bool is_complete = true;                                    // false: `max` omitted some
  double singular = std::numeric_limits<double>::infinity();  // m, least |g_N| of singular points
  double deeper = std::numeric_limits<double>::infinity();    // m, least way up to the skin
  Index box_tests = 0, point_tests = 0;
};

/// Scratch, one per thread; nothing is carried over between searches.
struct CandidateWorkspace {
  TreeSearch search;
};

/// Find contact points with -skin < g_N <= distance within their features, up to half of
/// feature_overlap. A point that has just left a feature is found on the next one only. With
/// `overrun`, points that lie beyond are included. Only convex vertices count. A vertex behind a
/// straight piece counts if it is on the piece's side of the bisectors of its corners (33)-(36). In
/// addition, its body must be on the side from which it must have come.
void find_candidates(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2,
                     const CandidateOptions& options, CandidateWorkspace& workspace,
                     CandidateResult& result);

}  // namespace nsmb
