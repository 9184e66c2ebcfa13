// Where two outlines touch, by their poses alone.
#pragma once

#include <vector>

#include "nsmb/geometry/contact_point.hpp"
#include "nsmb/geometry/outline.hpp"

namespace nsmb {

/// A corner of one outline on an edge of the other.
struct OutlineTouch {
  FeaturePair pair;
  double g_N = 0.0;  // m, from the corner to the line of the edge
};

/// Scratch, one per thread; carries nothing from search to search.
struct OutlineWorkspace {
  ConvexPart moved;
  std::vector<OutlineTouch> found;
  std::vector<Vector2> polygon, clipped;
};

/// All touches with g_N <= margin, the deepest first, into work.found.
///
/// Of two convex parts the side that parts them best is the reference, of those that are no cuts;
/// of two that part them equally well, one of outline 1. The side that looks most against it, of
/// those at the deepest corner of the other part, is clipped to its length: each end is a touch. No
/// foot is asked whether it lies inside, which rounding would decide where sides are flush.
void find_touches(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                  const Pose& pose_2, double margin, OutlineWorkspace& work);

/// m, what parts two outlines at least; 0: they may be in each other.
double least_distance(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                      const Pose& pose_2, OutlineWorkspace& work);

/// m, how deep two outlines are in each other: the area of what they share over its largest extent,
/// of the two convex parts that share most. By clipping, without anything of find_touches().
double overlap_depth(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                     const Pose& pose_2, OutlineWorkspace& work);

}  // namespace nsmb
