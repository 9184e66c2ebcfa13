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

/// Outlines as convex parts.
namespace outlines {

/// [of the smaller outline] Corners this close beyond the end of a side count as over it, and sides
/// that part two bodies equally well to this as equal: far above rounding of flush sides, far below
/// what bodies move in a step.
/// Test: tests/geometry/test_outlines.py::test_flush_sides_touch_whatever_rounding_says.
inline constexpr double kSameEnd = 1e-6;

}  // namespace outlines

/// Nodes of bodies that deform.
namespace nodes {

/// [rad] Where an edge turns by less it is a side, whose nodes may stand on straight pieces however
/// they bend; where by more, a corner. Above what strains turn a side and the turns of a
/// round edge of 13 nodes, below the corners of bodies.
/// Test:
/// tests/flexible/test_edges_in_contact.py::test_nodes_of_a_bent_side_carry_whichever_way_it_bends.
inline constexpr double kSide = 0.5;

}  // namespace nodes

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

/// Shapes on their way.
namespace sweeps {

/// [of the balls within both shapes] So deep in each other they are still found from the side they
/// came from: directions change where half is reached.
/// Test: tests/multibody/test_first_touch.py::test_what_the_next_look_finds_is_none.
inline constexpr double kSureDepth = 0.25;

/// [one minus the cosine of the angle] Normals at touch and at the look behind it are the same, as
/// of flat faces: the impact is that at touch, to 1e-4 of the velocity.
/// Test:
/// tests/stepping/test_fast_bodies.py::test_bullets_bounce_off_a_fixed_sheet_where_they_meet_it.
inline constexpr double kTurnedNormal = 1e-8;

/// [of the sure depth] What is through the rim of a surface, and out again before anyone looks, has
/// touched it if it was deeper. Test: none yet.
inline constexpr double kGrazing = 0.01;

}  // namespace sweeps

/// How times of touch are found.
namespace sweep_tuning {

/// [of the time to a sure depth] Shapes that touch and part are looked at again so much later.
/// Test: tuning.
inline constexpr double kApart = 0.1;

}  // namespace sweep_tuning

/// Convex polyhedra and the contact points of shapes.
namespace polyhedra {

/// [of the size squared] A face with less area has no normal to speak of.
/// Test: none yet.
inline constexpr double kFlatFace = 1e-14;

/// [of the size] Vertices may stand out of a face by this: rounding of hulls that are computed.
/// Test: none yet.
inline constexpr double kConvex = 1e-9;

/// [of the common size] Another axis must part two polyhedra by this much more to be preferred to a
/// face: above rounding, so that touching faces have the normal of a face.
/// Test: none yet.
inline constexpr double kFaceFirst = 1e-12;

/// [sine of the angle] Edges that cross by less are parallel: what faces part less by is rounding.
/// Test:
/// tests/geometry/test_proven_distances.py::test_random_pairs_have_the_distance_that_is_proven.
inline constexpr double kParallelEdges = 1e-14;

/// [sine of the angle] Edges that cross by less touch along a piece, not at one place.
/// Test: none yet.
inline constexpr double kEdgeLine = 0.02;

/// [a slope] How far a direction may rise from an edge into its faces that is still in its support.
/// Test: none yet.
inline constexpr double kSupport = 1e-12;

/// [of an edge, over the sine of the angle] How far beyond its ends the nearest places of two edges
/// may lie: moves the distance by this part of the edge, a hundred times what rounding does.
/// Test:
/// tests/geometry/test_proven_distances.py::test_random_pairs_have_the_distance_that_is_proven.
inline constexpr double kCrossing = 1e-13;

/// [of the size] How far beyond the edges of a face a place may lie that is on it.
/// Test: none yet.
inline constexpr double kFoot = 1e-9;

/// [of the common size] Points of overlapping faces so near to an edge or a vertex are on it: above
/// what a stack trembles, so that its contacts keep their features.
/// Test: none yet.
inline constexpr double kOnFeature = 1e-5;

/// [cosine of the angle] Points of faces stand beside another nearest place only if the normals
/// differ by less than this: 11 degrees, more than what lies flat will tilt in a step.
/// Test: none yet.
inline constexpr double kSameSide = 0.98;

/// [of the common size] Gaps of points of two faces agree with the distance of the bodies to this.
/// Test: none yet.
inline constexpr double kSameGap = 1e-11;

/// [of the common size] A deeper point by this displaces one of the four that were chosen by place.
/// Test: none yet.
inline constexpr double kDeeper = 1e-10;

/// [part] A point must be further out by this part to be chosen instead of an earlier one.
/// Test: none yet.
inline constexpr double kFurther = 1e-3;

/// [of the common size] Nearer than this two places give no direction from one to the other.
/// Test: none yet.
inline constexpr double kNoDirection = 1e-13;

/// [sine of the angle] A segment that is inclined by less lies along another one or on a plane and
/// touches with both ends.
/// Test: none yet.
inline constexpr double kAlong = 0.02;

/// [of the distance squared] The search for nearest places ends when it could win less.
/// Test: none yet.
inline constexpr double kNearest = 1e-15;

}  // namespace polyhedra

/// Pairs of features, which events are located with.
namespace feature_pairs {

/// [sine of the angle] A tangent that is to follow a direction this near to the normal would turn
/// too fast, and follows nothing.
/// Test: tests/multibody/test_contacts_along_an_axis.py::test_rows_along_any_axis_collide_alike.
inline constexpr double kNoTangent = 1e-6;

/// [sine of the angle] The common normal of lines that cross under less is rounding alone.
/// Test: none yet.
inline constexpr double kNoNormal = 1e-13;

/// [sine of the angle] Edges that cross under less are not listed: their common normal turns too
/// fast. What they do to each other their corners do, too, to this part of their length.
/// Test: none yet.
inline constexpr double kParallel = 1e-6;

/// [sine of the angle] The same of round ones, whose ends touch there: what they leave between them
/// is this squared, of the length squared over eight radii. They are looked at again when they have
/// turned by it.
/// Test: none yet.
inline constexpr double kParallelRound = 1e-4;

/// [rad] Parallel edges are looked at again when one has turned by this, other than about itself.
/// Test: none yet.
inline constexpr double kTurnOfParallels = 1e-3;

/// [slope] An end of a capsule may be the higher one by this and is a contact.
/// Test: none yet.
inline constexpr double kFlatEnd = 0.02;

/// [sine of the angle] A rim that leans less has no lowest place: all of it touches.
/// Test: tests/multibody/test_events_on_shapes.py::test_a_rim_that_lies_flat_is_refused_by_name.
inline constexpr double kFlatRim = 1e-9;

/// [sine of the angle] A rim that leans less over a plane stands on its feet. Between two feet it is
/// lower by 0.13 of this times its radius, which is what the change from one to the other may lift.
/// Test: tests/multibody/test_cylinders_by_events.py::test_feet_and_rim_agree_where_they_change.
inline constexpr double kOnFeet = 1e-6;

}  // namespace feature_pairs

/// How pairs of features are looked for.
namespace feature_pair_tuning {

/// [of the distance] Around a place where no two points are nearest, as of a ball in the middle of
/// another one, pairs are looked for again after this way.
/// Test: tuning.
inline constexpr double kSingularWay = 1e-3;

}  // namespace feature_pair_tuning

/// Surfaces of triangles.
namespace surfaces {

/// [of the longest edge] A triangle that is less high has no normal to speak of.
/// Test: none yet.
inline constexpr double kThin = 1e-10;

/// [sine of the angle] Triangles that meet under less are in one plane: above rounding of the
/// places of vertices, and bodies are led over the edge without a gap. Test: none yet.
inline constexpr double kFlat = 1e-9;

/// [of the size of the body] Features reach so far over their ends: above rounding, below what a
/// gap may be wrong by. Test: none yet.
inline constexpr double kReach = 1e-12;

/// [parts of a rounding of the coordinates] The same, far away from the origin.
/// Test: none yet.
inline constexpr double kRoundings = 8.0;

/// [a slope] How far a direction may rise from an edge or a corner that still leads out of it.
/// Test: none yet.
inline constexpr double kLeadsOut = 1e-9;

/// [a slope] The same of edges that cross, so that what lies nearly flat keeps its contacts.
/// Test: none yet.
inline constexpr double kCrossingLean = 0.02;

/// [a slope] The same of corners over a facet: the gap is theirs whether or not they are lowest.
/// Test: none yet.
inline constexpr double kLean = 0.2;

/// [of the depth that is found] Facets reach so far beyond a concave edge, behind the next one:
/// what is pressed into a corner touches both. More than steps let bodies sink in, less than walls
/// are thick. Test: none yet.
inline constexpr double kBeyond = 0.02;

/// [of the radius] What is between a rim and a line points along their common normal to this, or it
/// is no root.
/// Test: none yet.
inline constexpr double kRoot = 1e-9;

/// [of the smaller size] How deep two surfaces may be in each other and are still found.
/// Test: none yet.
inline constexpr double kOpenDepth = 0.05;

/// [of the size of the body] Points closer together with the same normal are one.
/// Test: none yet.
inline constexpr double kSamePoint = 1e-7;

/// [cosine of the angle] Normals that differ by less are the same, for points that are one.
/// Test: none yet.
inline constexpr double kOneNormal = 1.0 - 1e-6;

}  // namespace surfaces

/// Meshes that press on each other over an area.
namespace areal {

/// [of the size of the mesh] Edges whose ends are less far through a triangle only touch it: some
/// roundings, above what flat parts of a mesh are flat by.
/// Test: tests/geometry/test_areal_meshes.py::test_flat_parts_do_not_intersect_themselves.
inline constexpr double kTouching = 1e-12;

/// [of the sizes and how far they are apart] Boxes that are apart by less may touch: some
/// roundings, so that what lies on the plane between two boxes is in one of them.
/// Test: tests/multibody/test_elastic_foundation.py::test_near_poses_have_near_wrenches.
inline constexpr double kBoxMargin = 1e-13;

/// [of what a straight prism has] Cells of the layer with less volume are turned inside out or
/// nearly: the layer is made thinner there.
/// Test: none yet.
inline constexpr double kLeastCell = 0.1;

/// [of the layer] By this it is made thinner, step by step.
/// Test: none yet.
inline constexpr double kThinner = 0.8;

/// [of the layer] A part that has become thinner than this has none.
/// Test: none yet.
inline constexpr double kThinnest = 1e-3;

/// [of the depth] Corners reach inwards by no more: what is left of a spike.
/// Test: none yet.
inline constexpr double kLongestMitre = 4.0;

}  // namespace areal

/// Rims of cylinders.
namespace rims {

/// [of radius and size] Rounding of the slope of a squared distance: what is less has no sign.
/// Test: tests/geometry/test_proven_distances.py::test_no_direction_between_rims_is_missed.
inline constexpr double kNoise = 1e-14;

/// [of size and distance] A squared distance that changes by less in an interval is the same.
/// Test: none yet.
inline constexpr double kLevel = 1e-15;

/// [rad] Narrower intervals are places: where a rim passes by the axis of the other one.
/// Test: none yet.
inline constexpr double kNarrow = 1e-12;

/// [rad] The step of Newton's method after which half the digits more are right.
/// Test: none yet.
inline constexpr double kSameAngle = 1e-9;

/// [of the sizes and how far they are apart] A direction of rims must part by this much more to be
/// preferred to those of caps and sides: some roundings, so that what lies flat has the normal of
/// what it lies on.
/// Test: tests/geometry/test_proven_distances.py::test_no_direction_between_rims_is_missed.
inline constexpr double kRimLast = 1e-14;

}  // namespace rims

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

/// The search for cells of a layer that a surface is in.
namespace areal_tuning {

/// [of the size of triangles] How far from a surface is looked for a body all of which is inside.
/// Test: tuning.
inline constexpr double kFirstReach = 0.3;

}  // namespace areal_tuning

/// The search for boxes that overlap.
namespace broad_phase_tuning {

/// [boxes] So few of one size are compared with all others directly.
/// Test: tuning.
inline constexpr double kFew = 8.0;

/// [cells] Boxes further away than this from the origin share the last cell.
/// Test: tuning.
inline constexpr double kFarthest = 1e15;

}  // namespace broad_phase_tuning

/// Slopes of curvatures, by differences.
namespace slopes {

/// [of the range] Fourth order: rounding ε/h and error h⁴ are alike.
/// Test: none yet.
inline constexpr double kAlongContour = 5e-4;

}  // namespace slopes

}  // namespace nsmb::tolerances
