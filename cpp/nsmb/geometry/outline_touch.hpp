// Contact points of two outlines from their poses alone.
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

/// Scratch, one per thread; nothing is carried over between searches.
struct OutlineWorkspace {
  ConvexPart moved;
  std::vector<OutlineTouch> found;
  std::vector<Vector2> polygon, clipped;
};

/// Find all touches with g_N <= margin, the deepest first, in work.found.
///
/// For two convex parts, the reference is the side with the largest separation, not counting cuts.
/// Of two equal sides it is one of outline 1. Of the sides at the deepest corner of the other part,
/// the one most opposed to the reference is clipped to its length. Each end is a touch. No test
/// decides whether a foot lies inside, which would depend on rounding for flush sides.
void find_touches(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                  const Pose& pose_2, double margin, OutlineWorkspace& work);

/// Return the least distance of two outlines, m, or 0 if they may overlap.
double least_distance(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                      const Pose& pose_2, OutlineWorkspace& work);

/// Return the depth of the overlap of two outlines, m: the common area over its largest extent, for
/// the two convex parts with the largest common area. Computed by clipping, independently of
/// find_touches().
double overlap_depth(const Outline& outline_1, const Pose& pose_1, const Outline& outline_2,
                     const Pose& pose_2, OutlineWorkspace& work);

}  // namespace nsmb
