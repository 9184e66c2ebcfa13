// Thresholds of multibody systems.
// CONTRIBUTING.md explains their notation and tests.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Given data.
namespace joints {

/// [of the length] A quaternion whose length differs from one by less is left unchanged, bit by
/// bit. Normalising leaves an error of 4 ulps. Test: none yet.
inline constexpr double kUnitLength = 4.0 * std::numeric_limits<double>::epsilon();

/// [of the largest moment] Smaller asymmetry and smaller negative moments of given inertias
/// count as rounding of 12 given digits.
/// Test: none yet.
inline constexpr double kInertiaRounding = 1e-12;

/// [of the coordinate, of one] Step of the central differences that check derivatives of joints.
/// The errors h² and ε/h are both 1e-10 to 1e-11.
/// Test: none yet.
inline constexpr double kJointStep = 1e-5;

}  // namespace joints

/// Contacts of shapes.
namespace shape_contacts {

/// [of the displacement of a point with a velocity] A smaller component along a direction of a
/// contact is rounding of a velocity across it. Points far from the origin are known to this
/// accuracy. Test:
/// tests/stepping/test_blocked_directions.py::test_flush_links_have_no_force_between_them.
inline constexpr double kAcross = 1e-12;

}  // namespace shape_contacts

/// Given data of elastic bodies.
namespace elastic {

/// [of the largest entry] Smaller asymmetry and smaller negative eigenvalues of given matrices
/// count as rounding. Quadrature leaves some ulps.
/// Test: tests/multibody/test_elastic_trees.py::test_matrices_that_no_body_has_are_refused.
inline constexpr double kSymmetry = 1e-10;

/// [of the largest entry] Functions with a smaller eigenvalue of the mass matrix are dependent or
/// move nothing. Accelerations would lose too many digits.
/// Test:
/// tests/multibody/test_elastic_trees.py::test_functions_that_depend_on_each_other_are_refused.
inline constexpr double kIndependent = 1e-12;

}  // namespace elastic

/// Search of contact points.
namespace candidates {

/// [of the common size] The same root of (4.21) moves less than this between two searches.
/// Test: none yet.
inline constexpr double kSameRoot = 0.1;

/// [of the larger outline] Omitted candidates must be at least this far away. A contact point moves
/// less between two checks. Test: none yet.
inline constexpr double kSmallestWay = 1e-7;

}  // namespace candidates

/// How often contact points are searched.
namespace candidate_tuning {

/// [of the distance within which all candidates are known] Displacement of a pose that triggers a
/// new search.
/// Test: tuning.
inline constexpr double kWay = 0.9;

/// [of the search distance] Minimum displacement before a singular point is checked again.
/// Test: tuning.
inline constexpr double kSingularWay = 1e-3;

}  // namespace candidate_tuning

/// Contacts of shapes that are listed by pairs of features.
namespace shape_pairs {

/// [of the smaller shape] Near the edges of triangles, depths below the planes of others exceed the
/// overlap. Bodies that have passed a surface sink in by more.
/// Test: tests/multibody/test_events_on_hills.py::test_boxes_thrown_on_hills_come_to_rest.
inline constexpr double kSurelyInside = 0.05;

/// [of the smaller size] Shapes with a smaller distance touch. An open pair of features with a
/// larger penetration is discarded.
/// Test: none yet.
inline constexpr double kShapesTouch = 1e-6;

/// [of the smaller size] Contact points with the same normal within this distance are one point.
/// Test: none yet.
inline constexpr double kSamePlace = 1e-6;

/// [one minus the cosine of the angle] Normals that differ by less are the same.
/// Test: none yet.
inline constexpr double kSameNormal = 1e-6;

}  // namespace shape_pairs

/// How pairs of features of two shapes are kept.
namespace shape_pair_tuning {

/// [of the smaller size] Displacement for which all pairs that may touch are listed.
/// Test: tuning.
inline constexpr double kDistance = 0.1;

}  // namespace shape_pair_tuning

/// Corners of contours that meet.
namespace model_corners {

/// [of the larger outline, from the end of a straight piece] Corners may meet within this distance.
/// New contact points are located with this accuracy. Test: none yet.
inline constexpr double kCornerReach = 1e-7;

/// [of the larger outline] Smaller gaps at a corner are closed. Features overlap by the same
/// distance. Test: none yet.
inline constexpr double kTouching = 1e-9;

/// [of the larger outline] A point further than this beyond the end of its edge and moving away has
/// left the edge. It is half of the limit for a closed contact, so that a contact that has just
/// ended does not restart. Test: none yet.
inline constexpr double kGone = 5e-10;

/// [of the larger outline] An edge that reaches further than this under the face of the other body
/// crosses it. Test: none yet.
inline constexpr double kUnder = 1e-8;

/// [sine of the angle] A corner that misses a face by less can still stand on it, as in geometry.
/// Test: none yet.
inline constexpr double kStandsOnFace = 1e-6;

/// [sine of the angle] Faces with a smaller angle between them are one face.
/// Test: none yet.
inline constexpr double kParallelFaces = 1e-9;

/// [of the larger velocity of approach] Smaller differences count as zero.
/// Test: none yet.
inline constexpr double kSameApproach = 1e-3;

/// [m/s] Smaller differences count as zero. Corners that rest on each other have no approach.
/// Test: none yet.
inline constexpr double kRestingCorners = 1e-11;

/// [of the larger outline] A closed contact may lie this far beyond the end of its features.
/// Test: none yet.
inline constexpr double kBeyondFeatures = 1e-9;

}  // namespace model_corners

/// Steps of difference quotients.
namespace differences {

/// [of the argument, of one at least] Step of second order: ε^⅓, where rounding ε/h and error h²
/// balance.
/// Test: none yet.
inline constexpr double kOfForces = 6e-6;

}  // namespace differences

/// Gears in mesh.
namespace gears {

/// [cosine of half the angle] Axes with a larger angle between them are not parallel: 5°, where no
/// mesh is possible. Test:
/// tests/multibody/test_gear_force.py::test_axes_that_are_not_parallel_are_named.
inline constexpr double kParallel = 0.999;

/// [of the base pitch] Teeth of a touching flank may have deflected by half a pitch and this
/// amount. The rest is for the backlash on the other side. Test:
/// tests/multibody/test_gear_force.py::test_soft_teeth_may_give_way_by_more_than_half_a_pitch.
inline constexpr double kGivenWay = 0.4;

/// [m] Flanks within this distance touch: some hundred roundings of positions of gears.
/// Test: none yet.
inline constexpr double kTouch = 1e-12;

}  // namespace gears

}  // namespace nsmb::tolerances
