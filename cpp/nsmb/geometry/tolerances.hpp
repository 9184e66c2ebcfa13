// Thresholds of geometry. Sizes are those of contours, so that nothing depends on the unit of
// length. Format and tests: CONTRIBUTING.md.
#pragma once

#include <numbers>

namespace nsmb::tolerances {

/// Ends and junctions of features.
namespace corners {

/// [of the size of the contour] Extension of edges beyond a concave corner. It is far above the
/// penetration of persistent contacts and far below any length.
/// Test: none yet.
inline constexpr double kCornerOverlap = 1e-6;

/// [sine of the turn] A corner that turns by less is considered straight: rounding of given points.
/// Test: none yet.
inline constexpr double kStraightCorner = 1e-12;

/// [of the common size] Overlap of features, far above rounding and far below visible lengths.
/// Test: none yet.
inline constexpr double kFeatureOverlap = 1e-9;

/// [sine of the angle] Misalignment up to which a vertex still stands on an edge. It allows for
/// drift and for rounding of given angles.
/// Test: none yet.
inline constexpr double kStandsOn = 1e-6;

}  // namespace corners

/// Outlines as convex parts.
namespace outlines {

/// [of the smaller outline] Corners this close beyond the end of a side count as over it. Sides
/// whose separations differ by less are equivalent. Far above rounding of flush sides, far below
/// the displacement of bodies in a step.
/// Test: tests/geometry/test_outlines.py::test_flush_sides_touch_whatever_rounding_says.
inline constexpr double kSameEnd = 1e-6;

}  // namespace outlines

/// Nodes of deformable bodies.
namespace nodes {

/// [rad] An edge that turns by less is a side, whose nodes may stand on straight pieces whichever
/// way they bend. An edge that turns by more is a corner. Above the rotation of a side by strains
/// and the turns of a round edge of 13 nodes, below the corners of bodies.
/// Test:
/// tests/flexible/test_edges_in_contact.py::test_nodes_of_a_bent_side_carry_whichever_way_it_bends.
inline constexpr double kSide = 0.5;

}  // namespace nodes

/// Roots of the equations of contact points.
namespace contact_points {

/// [of the curvatures] A smaller D counts as zero: seven digits above rounding.
/// Test: none yet.
inline constexpr double kSingularPoint = 1e-9;

/// [of the common size] Roots of one pair that are closer together are merged. Half the digits, the
/// accuracy of Newton's method at flat roots.
/// Test: none yet.
inline constexpr double kSamePlace = 1e-7;

}  // namespace contact_points

/// Moving shapes.
namespace sweeps {

/// [of the balls within both shapes] Penetration up to which a contact is reliably found on the
/// side from which the bodies came. Directions change at half of the balls.
/// Test: tests/multibody/test_first_touch.py::test_what_the_next_look_finds_is_none.
inline constexpr double kSureDepth = 0.25;

/// [one minus the cosine of the angle] Normals that differ by less, at the touch and at the next
/// contact search, are considered equal, as for flat faces. The impact is then that at the touch,
/// to 1e-4 of the velocity.
/// Test:
/// tests/stepping/test_fast_bodies.py::test_bullets_bounce_off_a_fixed_sheet_where_they_meet_it.
inline constexpr double kTurnedNormal = 1e-8;

/// [of the sure depth] A body that passes through the rim of a surface and leaves again before the
/// next contact search has touched it if it was deeper than this.
/// Test: none yet.
inline constexpr double kGrazing = 0.01;

}  // namespace sweeps

/// Search for times of touch.
namespace sweep_tuning {

/// [of the time to a sure depth] Interval after which touching and separating shapes are examined
/// again.
/// Test: tuning.
inline constexpr double kApart = 0.1;

}  // namespace sweep_tuning

/// Convex polyhedra and the contact points of shapes.
namespace polyhedra {

/// [of the size squared] A face with less area has no reliable normal.
/// Test: none yet.
inline constexpr double kFlatFace = 1e-14;

/// [of the size] Distance up to which vertices may protrude from a face: rounding of computed
/// hulls.
/// Test: none yet.
inline constexpr double kConvex = 1e-9;

/// [of the common size] The separation along another axis must be larger by this much for the axis
/// to be preferred to a face. Above rounding, so that touching faces have the normal of a face.
/// Test: none yet.
inline constexpr double kFaceFirst = 1e-12;

/// [sine of the angle] Edges that cross by less are parallel: smaller separations by faces are
/// rounding.
/// Test:
/// tests/geometry/test_proven_distances.py::test_random_pairs_have_the_distance_that_is_proven.
inline constexpr double kParallelEdges = 1e-14;

/// [sine of the angle] Edges that cross by less touch along a segment, not at one point.
/// Test: none yet.
inline constexpr double kEdgeLine = 0.02;

/// [a slope] A direction may rise from an edge into its faces by this slope and is still in its
/// support.
/// Test: none yet.
inline constexpr double kSupport = 1e-12;

/// [of an edge, over the sine of the angle] Distance beyond its ends at which the nearest points of
/// two edges may lie. It changes the distance by this fraction of the edge, a hundred times the
/// effect of rounding.
/// Test:
/// tests/geometry/test_proven_distances.py::test_random_pairs_have_the_distance_that_is_proven.
inline constexpr double kCrossing = 1e-13;

/// [of the size] A point up to this distance beyond the edges of a face counts as on it.
/// Test: none yet.
inline constexpr double kFoot = 1e-9;

/// [of the common size] Points of overlapping faces this close to an edge or a vertex are on it.
/// Above the vibration of a stack, so that its contacts keep their features.
/// Test: none yet.
inline constexpr double kOnFeature = 1e-5;

/// [cosine of the angle] Points of faces supplement another nearest point only if the normals
/// differ by less than this: 11 degrees, more than the tilt of a body lying flat in one step.
/// Test: none yet.
inline constexpr double kSameSide = 0.98;

/// [of the common size] Gaps of points of two faces agree with the distance of the bodies to this
/// accuracy.
/// Test: none yet.
inline constexpr double kSameGap = 1e-11;

/// [of the common size] A point deeper by this replaces one of the four that were chosen by
/// position.
/// Test: none yet.
inline constexpr double kDeeper = 1e-10;

/// [relative] A point must be further out by this fraction to replace an earlier one.
/// Test: none yet.
inline constexpr double kFurther = 1e-3;

/// [of the common size] Two points closer together than this define no direction.
/// Test: none yet.
inline constexpr double kNoDirection = 1e-13;

/// [sine of the angle] A segment that is inclined by less lies along another segment or on a plane
/// and touches with both ends.
/// Test: none yet.
inline constexpr double kAlong = 0.02;

/// [of the distance squared] The search for nearest points ends when it could gain no more than
/// this.
/// Test: none yet.
inline constexpr double kNearest = 1e-15;

}  // namespace polyhedra

/// Pairs of features, used to locate events.
namespace feature_pairs {

/// [1 + cosine of the angle] Closer to the singular direction of its field, a tangent would rotate
/// too fast. It then follows no direction.
/// Test: tests/multibody/test_contacts_along_an_axis.py::test_rows_along_any_axis_collide_alike.
inline constexpr double kNoTangent = 1e-12;

/// [sine of the angle] The common normal of lines that cross at a smaller angle consists of
/// rounding errors.
/// Test: none yet.
inline constexpr double kNoNormal = 1e-13;

/// [sine of the angle] Edges that cross at a smaller angle are not listed, because their common
/// normal rotates too fast. Their corners represent their contacts, up to this fraction of their
/// length.
/// Test: none yet.
inline constexpr double kParallel = 1e-6;

/// [sine of the angle] The same for round edges, whose ends touch there. The remaining gap is the
/// square of this times the length squared over eight radii. The edges are examined again when they
/// have rotated by this angle.
/// Test: none yet.
inline constexpr double kParallelRound = 1e-4;

/// [rad] Parallel edges are examined again when one has rotated by this, other than about itself.
/// Test: none yet.
inline constexpr double kTurnOfParallels = 1e-3;

/// [slope] The higher end of a capsule is still a contact up to this slope.
/// Test: none yet.
inline constexpr double kFlatEnd = 0.02;

/// [sine of the angle] A rim that is tilted less has no lowest point: all of it touches.
/// Test: tests/multibody/test_events_on_shapes.py::test_a_rim_that_lies_flat_is_refused_by_name.
inline constexpr double kFlatRim = 1e-9;

/// [sine of the angle] A rim that leans less over a plane stands on its feet. Between two feet it
/// is lower by 0.13 of this times its radius, which is what the change from one to the other may
/// lift. Test:
/// tests/multibody/test_cylinders_by_events.py::test_a_tilted_coin_comes_to_rest_on_its_cap.
inline constexpr double kOnFeet = 1e-6;

}  // namespace feature_pairs

/// Search for pairs of features.
namespace feature_pair_tuning {

/// [of the distance] Where the nearest points are not unique, as for a ball in the centre of
/// another one, pairs are searched for again after this displacement.
/// Test: tuning.
inline constexpr double kSingularWay = 1e-3;

}  // namespace feature_pair_tuning

/// Surfaces of triangles.
namespace surfaces {

/// [of the longest edge] A triangle with a smaller height has no reliable normal.
/// Test: none yet.
inline constexpr double kThin = 1e-10;

/// [sine of the angle] Triangles that meet at a smaller angle are coplanar. Above rounding of the
/// vertex positions, and bodies slide over the edge without a gap.
/// Test: none yet.
inline constexpr double kFlat = 1e-9;

/// [of the size of the body] Extension of features beyond their ends: above rounding, below the
/// admissible error of a gap.
/// Test: none yet.
inline constexpr double kReach = 1e-12;

/// [roundings of the coordinates] The same, far away from the origin.
/// Test: none yet.
inline constexpr double kRoundings = 8.0;

/// [a slope] A direction may rise from an edge or a corner by this slope and still leads out of it.
/// Test: none yet.
inline constexpr double kLeadsOut = 1e-9;

/// [a slope] The same for crossing edges, so that a body lying nearly flat keeps its contacts.
/// Test: none yet.
inline constexpr double kCrossingLean = 0.02;

/// [a slope] The same for corners over a facet: the gap is theirs whether or not they are lowest.
/// Test: none yet.
inline constexpr double kLean = 0.2;

/// [of the depth that is found] Extension of facets beyond a concave edge, behind the next one: a
/// body pressed into a corner touches both. More than the penetration in steps, less than the
/// thickness of walls.
/// Test: none yet.
inline constexpr double kBeyond = 0.02;

/// [of the radius] The connection of a rim and a line must be parallel to their common normal
/// within this, otherwise the point is not a root.
/// Test: none yet.
inline constexpr double kRoot = 1e-9;

/// [of the smaller size] Greatest penetration of two surfaces at which contacts are still found.
/// Test: none yet.
inline constexpr double kOpenDepth = 0.05;

/// [of the size of the body] Points closer together with the same normal are merged.
/// Test: none yet.
inline constexpr double kSamePoint = 1e-7;

/// [cosine of the angle] Normals that differ by less are considered equal when points are merged.
/// Test: none yet.
inline constexpr double kOneNormal = 1.0 - 1e-6;

}  // namespace surfaces

/// Meshes with pressure over an area.
namespace areal {

/// [of the size of the mesh] An edge whose ends pass through a triangle by less only touches it.
/// Some roundings, above the unevenness of flat parts of a mesh.
/// Test: tests/geometry/test_areal_meshes.py::test_flat_parts_do_not_intersect_themselves.
inline constexpr double kTouching = 1e-12;

/// [of the sizes and their distance] Boxes that are separated by less may touch. Some roundings, so
/// that an item on the plane between two boxes is in one of them.
/// Test: tests/multibody/test_elastic_foundation.py::test_near_poses_have_near_wrenches.
inline constexpr double kBoxMargin = 1e-13;

/// [of a straight prism] Cells of the layer with a smaller relative volume are inverted or nearly
/// so. The layer is made thinner there.
/// Test: none yet.
inline constexpr double kLeastCell = 0.1;

/// [of the layer] Factor by which it is made thinner in each step.
/// Test: none yet.
inline constexpr double kThinner = 0.8;

/// [of the layer] A part that has become thinner than this has no layer.
/// Test: none yet.
inline constexpr double kThinnest = 1e-3;

/// [of the depth] Longest mitre of a corner, at which spikes are cut off.
/// Test: none yet.
inline constexpr double kLongestMitre = 4.0;

}  // namespace areal

/// Rims of cylinders.
namespace rims {

/// [of radius and size] Rounding of the slope of a squared distance: the sign of a smaller slope is
/// unknown.
/// Test: tests/geometry/test_proven_distances.py::test_no_direction_between_rims_is_missed.
inline constexpr double kNoise = 1e-14;

/// [of size and distance] A squared distance that changes by less in an interval is considered
/// constant.
/// Test: none yet.
inline constexpr double kLevel = 1e-15;

/// [rad] Narrower intervals are points: where a rim passes the axis of the other one.
/// Test: none yet.
inline constexpr double kNarrow = 1e-12;

/// [rad] The step of Newton's method after which the number of correct digits has doubled.
/// Test: none yet.
inline constexpr double kSameAngle = 1e-9;

/// [of the sizes and their distance] The separation along a direction of rims must be larger by
/// this much for it to be preferred to those of caps and sides. Some roundings, so that a body
/// lying flat has the normal of its support.
/// Test: tests/geometry/test_proven_distances.py::test_no_direction_between_rims_is_missed.
inline constexpr double kRimLast = 1e-14;

}  // namespace rims

/// Covers, starts and steps of searches. They determine the speed and how much a search may miss,
/// but not the roots.
namespace contour_tuning {

/// [rad] Largest turn of an element: Newton's method finds its roots from its middle.
/// Test: tuning.
inline constexpr double kElementTurn = std::numbers::pi / 30.0;

/// [m] Replaces infinity in boxes, where 0 · inf would be NaN.
/// Test: tuning.
inline constexpr double kFar = 1e150;

/// [rad] Pairs of elements are tried beyond their turn up to this angle, to allow for turns of a
/// curve between the sampled tangents.
/// Test: tuning.
inline constexpr double kAngleSlack = 0.05;

/// [a slope] Largest slope up to which a parabola is searched.
/// Test: tuning.
inline constexpr double kSteepest = 1e3;

/// [rad] Largest turn of the tangent in one step.
/// Test: tuning.
inline constexpr double kStepTurn = 0.35;

/// [of the size of the contour] The same for flat curves, as a length.
/// Test: tuning.
inline constexpr double kLongestStep = 0.25;

/// [of the range] Largest distance of an iterate beyond an end.
/// Test: tuning.
inline constexpr double kBeyondEnd = 0.25;

/// [of the size of the contour] Shorter steps are not checked by the merit, which is affected by
/// rounding where they converge quadratically.
/// Test: tuning.
inline constexpr double kNewtonOnly = 1e-4;

}  // namespace contour_tuning

/// Search for cells of a layer that contain a surface.
namespace areal_tuning {

/// [of the size of triangles] Distance from a surface within which bodies completely inside are
/// searched for.
/// Test: tuning.
inline constexpr double kFirstReach = 0.3;

}  // namespace areal_tuning

/// Search for overlapping boxes.
namespace broad_phase_tuning {

/// [boxes] A size with no more boxes than this is compared with all others directly.
/// Test: tuning.
inline constexpr double kFew = 8.0;

/// [cells] Boxes further away than this from the origin share the last cell.
/// Test: tuning.
inline constexpr double kFarthest = 1e15;

}  // namespace broad_phase_tuning

/// Slopes of curvatures, by finite differences.
namespace slopes {

/// [of the range] Fourth order: the rounding error ε/h and the truncation error h⁴ are similar.
/// Test: none yet.
inline constexpr double kAlongContour = 5e-4;

}  // namespace slopes

}  // namespace nsmb::tolerances
