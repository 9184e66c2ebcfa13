// Multibody systems.
// How they are written and tested: CONTRIBUTING.md.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Given data.
namespace joints {

/// [of the length] A quaternion this near to length one is left as it is, with its
/// bits: 4 ulps, as normalising leaves it.
/// Test: none yet.
inline constexpr double kUnitLength = 4.0 * std::numeric_limits<double>::epsilon();

/// [of the largest moment] Asymmetry and negative moments of given inertias are rounding up to
/// this: given with 12 digits.
/// Test: none yet.
inline constexpr double kInertiaRounding = 1e-12;

/// [of the coordinate, of one] Checks derivatives of joints by central differences: error h²,
/// rounding ε/h, both 1e-10 to 1e-11.
/// Test: none yet.
inline constexpr double kJointStep = 1e-5;

}  // namespace joints

/// Contacts of shapes.
namespace shape_contacts {

/// [of the way a place makes with a velocity] A smaller part of it along a direction of a contact
/// is rounding of a velocity across it: what places far from the origin are known to. Test:
/// tests/stepping/test_blocked_directions.py::test_flush_links_have_no_force_between_them.
inline constexpr double kAcross = 1e-12;

}  // namespace shape_contacts

/// Given data of elastic bodies.
namespace elastic {

/// [of the largest entry] Asymmetry and negative eigenvalues of given matrices are rounding up to
/// this: quadrature leaves some ulps.
/// Test: tests/multibody/test_elastic_trees.py::test_matrices_that_no_body_has_are_refused.
inline constexpr double kSymmetry = 1e-10;

/// [of the largest entry] Functions with a smaller eigenvalue of the mass matrix are not
/// independent, or move nothing: digits that are left of accelerations.
/// Test:
/// tests/multibody/test_elastic_trees.py::test_functions_that_depend_on_each_other_are_refused.
inline constexpr double kIndependent = 1e-12;

}  // namespace elastic

/// Search of contact points.
namespace candidates {

/// [of the common size] One root of (4.21) moves less between two searches.
/// Test: none yet.
inline constexpr double kSameRoot = 0.1;

/// [of the larger outline] Candidates that are left out must be this far away: more than a contact
/// point moves between two looks. Test: none yet.
inline constexpr double kSmallestWay = 1e-7;

}  // namespace candidates

/// How often contact points are searched.
namespace candidate_tuning {

/// [of the distance within which all candidates are known] The way a pose may go until they are
/// searched again.
/// Test: tuning.
inline constexpr double kWay = 0.9;

/// [of the search distance] A singular point is looked at again after this way at least.
/// Test: tuning.
inline constexpr double kSingularWay = 1e-3;

}  // namespace candidate_tuning

/// Contacts of shapes that are listed by pairs of features.
namespace shape_pairs {

/// [of the smaller size] Shapes touch where their distance is less. A pair of features that is
/// deeper in each other, and not closed, is none.
/// Test: none yet.
inline constexpr double kShapesTouch = 1e-6;

/// [of the smaller size] Contact points with one normal that are nearer to each other are one.
/// Test: none yet.
inline constexpr double kSamePlace = 1e-6;

/// [one minus the cosine of the angle] Normals that differ by less are the same.
/// Test: none yet.
inline constexpr double kSameNormal = 1e-6;

}  // namespace shape_pairs

/// How pairs of features of two shapes are kept.
namespace shape_pair_tuning {

/// [of the smaller size] Pairs are listed that may touch after so long a way.
/// Test: tuning.
inline constexpr double kDistance = 0.1;

}  // namespace shape_pair_tuning

/// Corners of contours that meet.
namespace model_corners {

/// [of the larger outline, from the end of a straight piece] Within it corners may meet: as far as
/// a contact point that comes is located. Test: none yet.
inline constexpr double kCornerReach = 1e-7;

/// [of the larger outline] Gaps at a corner below this one are closed; features overlap by as much.
/// Test: none yet.
inline constexpr double kTouching = 1e-9;

/// [of the larger outline] What is further beyond the end of its edge and goes on that way is gone.
/// Half of what a closed contact may be beyond, so that one that has just ended does not begin
/// again. Test: none yet.
inline constexpr double kGone = 5e-10;

/// [of the larger outline] An edge that reaches further under the face of the other body crosses
/// it. Test: none yet.
inline constexpr double kUnder = 1e-8;

/// [sine of the angle] A corner may miss a face by this and still stand on it, as in geometry.
/// Test: none yet.
inline constexpr double kStandsOnFace = 1e-6;

/// [sine of the angle] Faces with less between them are one.
/// Test: none yet.
inline constexpr double kParallelFaces = 1e-9;

/// [of the larger velocity of approach] A smaller difference counts as none.
/// Test: none yet.
inline constexpr double kSameApproach = 1e-3;

/// [m/s] And so does it below this: corners that rest on each other have none.
/// Test: none yet.
inline constexpr double kRestingCorners = 1e-11;

/// [of the larger outline] A closed contact may lie this far beyond the end of its features.
/// Test: none yet.
inline constexpr double kBeyondFeatures = 1e-9;

}  // namespace model_corners

/// Steps of difference quotients.
namespace differences {

/// [of the argument, of one at least] Second order: ε^⅓, where rounding ε/h and error h² are alike.
/// Test: none yet.
inline constexpr double kOfForces = 6e-6;

}  // namespace differences

/// Gears in mesh.
namespace gears {

/// [cosine of half the angle] Axes that are further apart are not parallel: 5°, where a mesh is
/// none. Test: tests/multibody/test_gear_force.py::test_axes_that_are_not_parallel_are_named.
inline constexpr double kParallel = 0.999;

/// [of the base pitch] As far as teeth of a flank that touches may have given way, and half a
/// pitch: the rest is for the play on the other side. Test:
/// tests/multibody/test_gear_force.py::test_soft_teeth_may_give_way_by_more_than_half_a_pitch.
inline constexpr double kGivenWay = 0.4;

/// [m] Flanks this near touch: some hundred roundings of places of gears.
/// Test: none yet.
inline constexpr double kTouch = 1e-12;

}  // namespace gears

}  // namespace nsmb::tolerances
