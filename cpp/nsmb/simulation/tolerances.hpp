// Thresholds of the simulation of motion with contacts.
// CONTRIBUTING.md describes how they are written and tested.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Accuracy of the numbers in the equations of motion.
namespace resolutions {

/// [of the terms of its sum] A smaller acceleration counts as zero. Solved contact problems leave
/// this, five digits above rounding.
/// Test: none yet.
inline constexpr double kAcceleration = 1e-10;

/// [of the components] Error of an integrator in addition to its tolerances: 32 ulps.
/// Test: none yet.
inline constexpr double kCoordinates = 32.0 * std::numeric_limits<double>::epsilon();

/// [of the coordinates, or times] Rounding of a gap due to theirs: 4 ulps.
/// Test: none yet.
inline constexpr double kGapRounding = 4.0 * std::numeric_limits<double>::epsilon();

/// [of the terms] Rounding of the sums of a row: 64 ulps.
/// Test: none yet.
inline constexpr double kSummed = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the rest velocity] Gaining less velocity, in the time in which the rest velocity covers the
/// gap tolerance, is no creep. Rounding of velocities causes such accelerations where no force
/// acts.
/// Test: tests/simulation/test_squeezed.py::test_what_is_squeezed_without_friction_comes_to_rest.
inline constexpr double kCreep = 1e-6;

/// [of t] Shortest flight above a support that moves with time that is resolved: 32 ulps.
/// Test: tests/simulation/test_late_times.py::test_a_ball_on_a_moving_support_is_the_same_later.
inline constexpr double kTicks = 32.0 * std::numeric_limits<double>::epsilon();

/// [of the terms of the free acceleration] Contact forces of larger effect nearly cancel. Their
/// rounding is then three digits above that of the other terms, and accelerations are refined.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kSqueezed = 1e3;

/// [of the largest force] Accuracy of forces from laws with dependent contacts.
/// Test: none yet.
inline constexpr double kForce = 1e-9;

/// [of the resolution of accelerations] A contact at its limit sticks if slip would be reversed by
/// a larger acceleration. This is two digits above rounding, and below what lets a body creep
/// against its load.
/// Test: tests/simulation/test_friction_limits.py::test_what_is_pushed_a_little_less_rests.
inline constexpr double kTurnsBack = 1e-3;

/// [of the bound] A sticking force this close to it is at the limit, given the accuracy of forces.
/// Test: none yet.
inline constexpr double kAtLimit = 1e-9;

/// [of the largest impulse] Accuracy of solved impulses, some hundred ulps.
/// Test: none yet.
inline constexpr double kImpulse = 1e-13;

/// [of the kinetic energy] A smaller gain is rounding of the sums that give it.
/// Test: none yet.
inline constexpr double kEnergy = 1e-12;

/// [of the weights of normal directions] A smaller weighted sum of directions counts as zero.
/// Impulses would have to be 1e12 times those of the impact.
/// Test: none yet.
inline constexpr double kNoSum = 1e-12;

/// [of the resolution of a velocity] A smaller velocity may be zero up to the errors of several
/// impacts, each solved to this resolution.
/// Test: none yet.
inline constexpr double kBorder = 4.0;

/// [of the acceleration by friction of this contact alone] A smaller acceleration counts as zero.
/// The reference ignores all other contacts.
/// Test: none yet.
inline constexpr double kSlight = 1e-7;

/// [of the friction] Reduced friction of contacts at their limit, to test whether they are about to
/// slip. The reduction far exceeds the error of forces.
/// Test: none yet.
inline constexpr double kLessFriction = 0.99;

/// [of 1 + |u|] Velocities this close to the bilateral constraints satisfy them, up to rounding of
/// the projection.
/// Test: none yet.
inline constexpr double kOnConstraints = 1e-13;

}  // namespace resolutions

/// Deviations of closed contacts and constraints that are held, corrected or tolerated.
namespace drift {

/// [of gap_tolerance, rest_velocity] Closed contacts, and constraints beside them, are held to
/// this. By default it is a hundred times the rounding of coordinates of size one. Projection
/// leaves and introduces smaller deviations.
/// Test: tests/simulation/test_small_lengths.py::test_a_scene_in_other_lengths_is_the_same_motion.
inline constexpr double kHeldPart = 0.01;

/// [m or rad, m/s or rad/s] Constraints are held to this where the options of a run are not known.
/// Test: none yet.
inline constexpr double kHeld = 1e-13;

/// [of the tolerance of the start] A contact with less penetration is closed, since gaps drift on
/// numerical steps. A gap that is deeper has jumped.
/// Test: none yet.
inline constexpr double kClosedGap = 1e3;

/// [of the largest constraint] Constraints with a smaller independent part amplify the errors of
/// the stages of a step.
/// Test: none yet.
inline constexpr double kNearlyDependent = 0.25;

/// [of the largest constraint, in the kinetic metric] The demands of a weaker constraint are lost
/// in rounding, which grows with the square of its reciprocal.
/// Test: none yet.
inline constexpr double kWeakConstraint = 1.5e-3;

/// [of the size of W, from point to point] Rotation of W between the points around a singular
/// position. Interpolation then errs by 1e-13 of W or less. Constraints that are weak at the
/// position are stronger at the points.
/// Test: none yet.
inline constexpr double kTurn = 5e-3;

/// [of the size of W] Smallest rotation at a point that is close enough to the requested one.
/// Test: none yet.
inline constexpr double kSmallestTurn = 3.5e-3;

/// [of the size of W] Largest rotation at such a point.
/// Test: none yet.
inline constexpr double kLargestTurn = 8e-3;

/// [of the coordinates] A smaller step back is lost in rounding. At large lengths g itself is not
/// resolved any better.
/// Test: none yet.
inline constexpr double kSwallowed = 4.0 * std::numeric_limits<double>::epsilon();

}  // namespace drift

/// Independence of the columns of constraints.
namespace constraint_columns {

/// [of the column] A column is dependent on the others if a smaller part is left after them.
/// Test: none yet.
inline constexpr double kDependentColumn = 1e-9;

/// [of the largest column] A smaller column is rounding of zero.
/// Test: none yet.
inline constexpr double kZeroColumn = 1e-13;

/// [of the largest column] Shorter columns come last.
/// Test: none yet.
inline constexpr double kShortColumn = 1e-3;

/// [of one] Limit between the eigenvalues zero and one of a projector.
/// Test: none yet.
inline constexpr double kDistinct = 0.5;

}  // namespace constraint_columns

/// Polynomials on a step, and their agreement with the motion.
namespace watching {

/// [of the range of the polynomial] The polynomial differs from the motion by less.
/// Test: none yet.
inline constexpr double kAgreement = 1e-4;

/// [of the range of the polynomial] Spurious slope where a function leaves zero slowly.
/// Test: none yet.
inline constexpr double kMadeUpSlope = 1e-3;

/// [of the range of the polynomial] Curvature that raises a function again before it has fallen by
/// the error of the polynomial.
/// Test: none yet.
inline constexpr double kClearCurvature = 0.1;

/// [of the range of the polynomial] Error of the polynomial of a gap, which ranges over a long step
/// and may dip below zero anywhere on it.
/// Test: none yet.
inline constexpr double kGapAgreement = 1e-8;

/// [of the change of a gap until an event] If its polynomial may err by more, the step is too long.
/// Test: tests/simulation/test_late_times.py::test_a_ball_does_not_fall_through_on_long_steps.
inline constexpr double kUnsure = 0.01;

/// [of the admissible error of the polynomial of a gap] If it misses the end by more, the step is
/// too long.
/// Test: tests/simulation/test_late_times.py::test_a_ball_does_not_fall_through_on_long_steps.
inline constexpr double kMissedEnd = 10.0;

/// [of the step, and of the distance to its event] A closer look divides the step by this. This
/// multiple of the distance to the event is long enough.
/// Test: tests/simulation/test_late_times.py::test_a_ball_does_not_fall_through_on_long_steps.
inline constexpr double kCloser = 4.0;

/// [of the gap] Where tangents to a gap meet closer to zero than this part of it, the polynomial is
/// checked between them. It may err by this part of the gap there.
/// Test: tests/simulation/test_passing_contacts.py::test_what_flies_past_an_edge_meets_it.
inline constexpr double kDip = 0.1;

/// [of the margin where candidates are found, which is one] Error of the polynomial of that margin.
/// Test: none yet.
inline constexpr double kMarginAgreement = 0.05;

/// [of the observed error of a polynomial] Margin by which it must stay clear of zero.
/// Test: none yet.
inline constexpr double kClear = 10.0;

/// [of the tolerance of a switch function] The function must fall below zero by this, more than
/// rounding of numbers of size one. It displaces no switch by more.
/// Test: none yet.
inline constexpr double kSwitchRounding = 1e-6;

/// [of the speed] Mass and wall move together after (3.23), within the accuracy of the located
/// instant.
/// Test: none yet.
inline constexpr double kMovesWithWall = 1e-6;

/// [of the determinant at the start] Frozen equations with a smaller determinant are singular.
/// Test: none yet.
inline constexpr double kSingularMotion = 1e-10;

/// [of the resolution of a force] Limit of forces with the wrong sign on a step that leaves an
/// instant, if a shorter step leaves it as well.
/// Test: none yet.
inline constexpr double kForceBeyond = 100.0;

/// [of the change on the wider interval] A jump keeps more of its change over the halvings in
/// between, and a slope keeps only a small part.
/// Test: none yet.
inline constexpr double kForceJump = 0.75;

}  // namespace watching

/// Ends of the features of contact points.
namespace features {

/// [of the larger outline] Features reach this far beyond their ends. The system decides which
/// contact touches at an end where two corners meet.
/// Test: none yet.
inline constexpr double kOverrun = 1e-9;

/// [of the larger outline] An approaching open contact point counts from this far before its
/// features on. Its arrival is located in a kink of the domain, and not better than this.
/// Test: none yet.
inline constexpr double kComing = 1e-7;

/// [of the larger outline] Resolution of the ends of features: a part of their overrun.
/// Test: none yet.
inline constexpr double kFeatureFloor = 0.1 * kOverrun;

/// [of the larger outline] With a larger gap, a contact point beyond its features is apart, and may
/// come to touch.
/// Test: none yet.
inline constexpr double kApart = 1e-9;

/// [of the larger outline] A contact point farther from its features where its gap vanishes is no
/// contact. The point may move this far between two neighbouring evaluations.
/// Test: none yet.
inline constexpr double kBesideFeatures = 1e-5;

/// [of the smaller shape] Shapes with a deeper overlap have touched where no contact was detected,
/// which ends the run.
/// Test: tests/multibody/test_events_on_shapes.py::test_shapes_in_each_other_end_a_run.
inline constexpr double kInEachOther = 1e-4;

}  // namespace features

/// Times of events, and events that happen together.
namespace event_times {

/// [of the step] Indicators with closer crossings fire at one instant, due to rounding of roots.
/// Test: none yet.
inline constexpr double kOneInstant = 1e-12;

/// [of the range of the polynomial] A watched function with a steeper slope falls clearly.
/// Test: none yet.
inline constexpr double kClearFall = 1e-3;

/// [of the step] Closer crossings need no second look.
/// Test: none yet.
inline constexpr double kNoSecondLook = 1e-9;

/// [of t] An event that is at most this long after the end counts as at the end. Times that are
/// sums and roots of others have this rounding.
/// Test: none yet.
inline constexpr double kEndRounding = 1e3 * std::numeric_limits<double>::epsilon();

/// [of a piece of a step] A crossing closer to the last one is the same.
/// Test: none yet.
inline constexpr double kSameCrossing = 1e-9;

/// [of the terms of a series through sampled values] Rounding of its value at the end.
/// Test: none yet.
inline constexpr double kSeries = 1e-11;

/// [of t] Shortest step away from an instant that does not settle.
/// Test: none yet.
inline constexpr double kShortestWayOut = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the step] A shallow fall below zero that starts earlier and lasts to the end of the step is
/// slow. It counts as an event.
/// Test: none yet.
inline constexpr double kSlowFall = 0.5;

/// [of the step] A fall that starts later is checked on another step, which starts earlier by this.
/// Test: none yet.
inline constexpr double kLookAgain = 0.25;

/// [of the step] Largest distance of a root after that of the polynomial through the nodes. Beyond
/// there may be other events.
/// Test: none yet.
inline constexpr double kFarthestRoot = 0.05;

/// [of the distance that a slope covers] A return to the value at the start that differs by less is
/// a return to zero.
/// Test: none yet.
inline constexpr double kReturn = 1e-3;

/// [of the time since the start] Interval of the difference that gives a slope.
/// Test: none yet.
inline constexpr double kWayBack = 1e-4;

/// [of the step] Shortest interval of this difference. At an event right after the start of a step,
/// values would differ by rounding only.
/// Test: tests/campaign/test_seeds.py::test_modes_that_change_right_behind_another_are_in_time.
inline constexpr double kShortestWay = 1e-6;

/// [of t] Shortest step of an integrator, given the resolution of t.
/// Test: none yet.
inline constexpr double kShortestStep = 1e3 * std::numeric_limits<double>::epsilon();

/// [of the step] Half the chord that gives the slope at a zero that was found, where the dense
/// output is smooth.
/// Test: none yet.
inline constexpr double kChord = 1e-5;

/// [of the step] A larger correction is rejected.
/// Test: none yet.
inline constexpr double kFarthestCorrection = 1e-4;

/// [of the values of a function on a step] The rounding of smaller values is measured.
/// Test: none yet.
inline constexpr double kSmallUserValue = 1e-6;

/// [of t and y] Variation that shows the noise of a function: 32 ulps.
/// Test: none yet.
inline constexpr double kUlps = 32.0 * std::numeric_limits<double>::epsilon();

/// [of the change by this variation] Noise of an indicator, since other ulps may show more.
/// Test: none yet.
inline constexpr double kNoise = 16.0;

/// [of the change by this variation] Noise of a function of the user.
/// Test: none yet.
inline constexpr double kUserNoise = 8.0;

}  // namespace event_times

/// Start and end of slip with friction discs.
namespace slip_in_a_plane {

/// [of the velocities so far] Up to this speed, the friction of slip that starts from rest has the
/// direction of the force that would hold the contact. The direction of slip is drawn to its true
/// value within |γ_T|/(μ λ_N wᵀM⁻¹w), which no explicit method follows from zero. The same
/// attraction removes the error of the direction.
/// Test: tests/simulation/test_spatial_slip.py::test_slip_starts_along_a_load_that_turns.
inline constexpr double kLayer = 1e-5;

/// [cosine] In the layer, the force that would hold the contact turns by less. Otherwise the first
/// direction stays.
/// Test: none yet.
inline constexpr double kTurnInLayer = 0.5;

/// [of the determinant of independent rows] Below it, the forces that would hold the contacts are a
/// choice among those of dependent contacts, and the first directions stay.
/// Test: tests/multibody/test_cylinders_by_events.py::test_a_tilted_coin_comes_to_rest_on_its_cap.
inline constexpr double kHeldAlone = 1e-6;

/// [of the resolution by the integrator tolerances] Slower slip ends.
/// Test: none yet.
inline constexpr double kSlipEnds = 8.0;

/// [of the speed that ends slip] Contacts of one body that are slower come to rest together.
/// Test: none yet.
inline constexpr double kRestTogether = 4.0;

/// [of the slowest slip] Smaller slip of other contacts that is taken as rest does not rotate it.
/// Test: none yet.
inline constexpr double kTurnsSlip = 1e-4;

/// [of the speed that ends slip] Faster slip is known to be above zero, and can then end.
/// Test: none yet.
inline constexpr double kSlipArmed = 2.0;

/// [of the determinant of the frozen equations] Contacts with a smaller determinant jam.
/// Test: none yet.
inline constexpr double kJamming = 1e-6;

/// [of the tolerance of decisions by the law] Margin for queries of the law on a step, whose answer
/// must not depend on the last digits.
/// Test: none yet.
inline constexpr double kLawMargin = 10.0;

/// [of accelerations without contact] Accelerations that differ by less are equal.
/// Test: none yet.
inline constexpr double kAlike = 1e-5;

}  // namespace slip_in_a_plane

/// Absolute tolerances from the sizes of components.
namespace sizes {

/// [s] Far below the time scale of any mechanical system.
/// Test: none yet.
inline constexpr double kShortTime = 1e-3;

/// [of the forces at rest] A motion from rest is measured in the time in which its forces change by
/// this.
/// Test: none yet.
inline constexpr double kChangedForce = 0.1;

/// [of any unit] A smaller size is zero. Tolerances are parts of it, and numbers end at 1e-308.
/// Test: none yet.
inline constexpr double kNothing = 1e-200;

/// [of the measured size] If a component has grown by this, the sizes are those of rest or of
/// another motion.
/// Test: none yet.
inline constexpr double kOutgrown = 1e4;

/// [of the largest internal state] Accuracy of the evaluation of internal states.
/// Test: none yet.
inline constexpr double kStateRounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace sizes

/// Motions without progress.
namespace standstill {

/// [of the rest velocity] Slower impacts are hardly more than rest. An accumulation does not
/// produce so many of them in a row.
/// Test: none yet.
inline constexpr double kSlowImpact = 1e4;

/// [of the slowest impact of the previous block] An accumulation with e_N = 0.9 slows down by more
/// in 50 impacts.
/// Test: none yet.
inline constexpr double kSlower = 0.5;

/// [of the mean time between two impacts of the previous block] 2000 impacts of an accumulation
/// with e_N = 0.999999 differ by twice as much.
/// Test: tests/simulation/test_lossless_cycles.py::test_slow_accumulation_is_no_cycle.
inline constexpr double kSamePace = 1e-3;

/// [of impulse times approach, summed over 2000 impacts] A smaller loss counts as none.
/// Test: none yet.
inline constexpr double kNoLoss = 1e-4;

/// [of max_events] A cycle of impacts without loss ends the run if more impacts are left.
/// Test: none yet.
inline constexpr double kFarTooMany = 10.0;

/// [of the step] Longest step away from an instant that does not settle.
/// Test: none yet.
inline constexpr double kLongestWayOut = 1e-5;

/// [of the size of a component] A smaller change in a window is hardly motion. A visible change
/// would take 1e5 attempts.
/// Test: none yet.
inline constexpr double kMoved = 1e-2;

/// [of the tolerances] Motion within this distance of a jump is held there.
/// Test: none yet.
inline constexpr double kNearJump = 10.0;

/// [of the slope] A slope that changes by less does not jump.
/// Test: none yet.
inline constexpr double kSlopeJump = 1e-3;

/// [of the tolerance] A slope that changes by less in a step does not jump, since steps are not
/// shortened for it.
/// Test: none yet.
inline constexpr double kHarmlessJump = 1e-3;

/// [of the longest step so far in a window] With less progress, one such step takes 1e9 attempts.
/// Searches for candidates along a contour with long arms have advanced after 165,000 such
/// attempts.
/// Test: none yet.
inline constexpr double kStalled = 1e-6;

}  // namespace standstill

/// Derivatives of motions with respect to start and parameters.
namespace derivatives {

/// [of the size of a parameter] Distance of its two values, suitable for central differences.
/// Test: none yet.
inline constexpr double kParameterShift = 1.2e-5;

/// [of the state that moves an event] An event whose time moves by more does not depend on the
/// state smoothly.
/// Test: none yet.
inline constexpr double kGrazing = 1e6;

/// [of the derivative of a time] Events whose times differ by less coincide.
/// Test: none yet.
inline constexpr double kSameTime = 1e-6;

/// [of the rates of one body] Rates that change by less with the velocities of another body do not
/// depend on it.
/// Test: none yet.
inline constexpr double kNoInfluence = 1e-7;

/// [of a rate] Rates that differ by less are equal.
/// Test: none yet.
inline constexpr double kSameRate = 1e-8;

/// [of h ‖J‖] Longest accurate part of a step. The error of the collocation is
/// (4!)⁴/(9 (8!)³) = 6e-10 of its ninth power.
/// Test: none yet.
inline constexpr double kReach = 1.0;

/// [of h ‖J‖] The same for a hundred terms of the exponential.
/// Test: none yet.
inline constexpr double kExponentialReach = 4.0;

/// [of the slip] Largest variation of velocities.
/// Test: none yet.
inline constexpr double kSlipPart = 1e-3;

/// [of the size of its group] Smallest size for the variation of a component.
/// Test: none yet.
inline constexpr double kSmallestVaried = 1e-3;

/// [of a coordinate] Smallest variation that is resolved for large coordinates.
/// Test: none yet.
inline constexpr double kVariedCoordinate = 1e-9;

/// [of a time] The same for times: five digits above rounding.
/// Test: none yet.
inline constexpr double kVariedTime = 1e5 * std::numeric_limits<double>::epsilon();

/// [of γ] Large step of differences. It costs few digits, as impulses are piecewise linear in γ.
/// Test: none yet.
inline constexpr double kLargeVelocityStep = 1e-3;

/// [of γ] Small step where the next piece is near.
/// Test: none yet.
inline constexpr double kSmallVelocityStep = 1e-8;

/// [of γ] Step with friction discs, and where G changes too: impulses are curved, hence ε^⅓.
/// Test: none yet.
inline constexpr double kCurvedVelocityStep = 1e-5;

/// [of the slopes to both sides] Slopes that differ by more belong to two pieces.
/// Test: none yet.
inline constexpr double kImpulseEdge = 1e-3;

}  // namespace derivatives

}  // namespace nsmb::tolerances
