// All pairs of features of two shapes that may touch after a small motion.
//
// A pair touches where g_N = 0 at a point within its features. Each condition takes a motion of
// some length: to close the gap, to move over the face or edge, to rotate a corner or edge until it
// can stand there. `way` is the longest of them, in the measure of way_of_turn: no shorter motion
// makes a contact of the pair.
#pragma once

#include <vector>

#include "nsmb/geometry/feature.hpp"

namespace nsmb {

struct FeaturePairPoint {
  bool is_singular = false;
  // m, from the contact point to the end of the pair, for crossing lines measured across the other
  // one; negative: beyond the end
  double domain = 0.0;
  SurfacePoint point;
};

/// Return the nearest points of two features; `side` as in surface_point.
FeaturePairPoint feature_pair_point(const Feature& first, const ShapeMotion& motion_1,
                                    const Feature& second, const ShapeMotion& motion_2,
                                    double side = 1.0);

struct FeatureCandidate {
  Index first = 0, second = 0;
  double g_N = 0.0;
  double way = 0.0;   // m
  Index axis = 0;     // of the frame of shape 1, closest to perpendicular to the normal
  double side = 1.0;  // of two edges
};

struct FeaturePairOptions {
  double distance = 0.0;     // m, longest displacement
  double arm = 0.0;          // m, of the rotating shape
  bool second_turns = true;  // as seen from the other one
};

/// Limit of the rotation of lines of the rotating shape; rotations about themselves are unlimited.
struct TurnLimit {
  Vector3 line = Vector3::Zero();  // unit, in the frame of that shape
  double angle = 0.0;
};

struct FeaturePairs {
  static constexpr std::size_t kMostTurns = 3;

  std::vector<FeatureCandidate> candidates;  // shortest displacement first
  /// m, there are no other pairs up to this displacement, with no line rotated further than in
  /// `turns`
  double surely = 0.0;
  std::vector<TurnLimit> turns;  // at most kMostTurns, of different lines
};

/// Scratch of one thread.
struct FeaturePairScratch {
  std::vector<Index> numbers_1, numbers_2;
  std::vector<Feature> features_1, features_2;
};

/// Find pairs of two shapes for which has_feature_pairs() is true.
void find_feature_pairs(const Shape& shape_1, const Placement& pose_1, const Shape& shape_2,
                        const Placement& pose_2, const FeaturePairOptions& options,
                        FeaturePairScratch& scratch, FeaturePairs& found);

}  // namespace nsmb
