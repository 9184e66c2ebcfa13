// Geometry. Sizes are those of contours, so that nothing depends on the unit of length.
// How they are written and tested: CONTRIBUTING.md.
#pragma once

#include <numbers>

namespace nsmb::tolerances {

/// Where features end and meet.
namespace corners {

/// [of the size of the contour] Edges reach so far beyond a concave corner: far above the
/// penetration of lasting contacts, far below any length.
/// Test: none yet.
inline constexpr double kCornerOverlap = 1e-6;

/// [sine of the turn] A corner that turns by less is taken as straight: rounding of given points.
/// Test: none yet.
inline constexpr double kStraightCorner = 1e-12;

/// [of the common size] Features overlap by this: far above rounding, far below anything that is
/// seen.
/// Test: none yet.
inline constexpr double kFeatureOverlap = 1e-9;

/// [sine of the angle] A vertex may miss an edge by this and still stand on it: what drift and
/// given angles leave.
/// Test: none yet.
inline constexpr double kStandsOn = 1e-6;

}  // namespace corners

/// Roots of the equations of contact points.
namespace contact_points {

/// [of the curvatures] Below this D counts as zero: seven digits above rounding.
/// Test: none yet.
inline constexpr double kSingularPoint = 1e-9;

/// [of the common size] Roots of one pair closer together are one: half the digits, as Newton
/// leaves flat ones.
/// Test: none yet.
inline constexpr double kSamePlace = 1e-7;

}  // namespace contact_points

/// Covers, starts and steps of searches: speed, and how much a search may miss, but not where a
/// root lies.
namespace contour_tuning {

/// [rad] An element turns by no more: Newton from its middle finds its roots.
/// Test: tuning.
inline constexpr double kElementTurn = std::numbers::pi / 30.0;

/// [m] Stands for infinity in boxes, where 0 · inf would be NaN.
/// Test: tuning.
inline constexpr double kFar = 1e150;

/// [rad] Pairs of elements are tried beyond their turn up to this: what a few tangents do not see
/// of a curve.
/// Test: tuning.
inline constexpr double kAngleSlack = 0.05;

/// [a slope] Up to which a parabola is searched.
/// Test: tuning.
inline constexpr double kSteepest = 1e3;

/// [rad] One step turns the tangent by no more.
/// Test: tuning.
inline constexpr double kStepTurn = 0.35;

/// [of the size of the contour] The same for flat curves.
/// Test: tuning.
inline constexpr double kLongestStep = 0.25;

/// [of the range] How far a start may lead beyond an end.
/// Test: tuning.
inline constexpr double kBeyondEnd = 0.25;

/// [of the size of the contour] Shorter steps are not checked by the merit, which rounds where they
/// are quadratic.
/// Test: tuning.
inline constexpr double kNewtonOnly = 1e-4;

}  // namespace contour_tuning

}  // namespace nsmb::tolerances
