// The simulation of motion with contacts.
// How they are written and tested: CONTRIBUTING.md.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// What numbers of the equations of motion are known to.
namespace resolutions {

/// [of the terms it is the sum of] Smaller accelerations count as zero: what solved contact
/// problems leave, five digits above rounding.
/// Test: none yet.
inline constexpr double kAcceleration = 1e-10;

/// [of the components] What an integrator leaves of them beside its tolerances: 32 ulps.
/// Test: none yet.
inline constexpr double kCoordinates = 32.0 * std::numeric_limits<double>::epsilon();

/// [of the coordinates, or times] What rounding of them leaves in a gap: 4 ulps.
/// Test: none yet.
inline constexpr double kGapRounding = 4.0 * std::numeric_limits<double>::epsilon();

/// [of the terms] What the sums of a row leave: 64 ulps.
/// Test: none yet.
inline constexpr double kSummed = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the rest velocity] A slower creep, in the time in which rest passes a gap that counts as
/// closed, is none: what rounding of velocities makes of accelerations where no force acts.
/// Test: tests/simulation/test_squeezed.py::test_what_is_squeezed_without_friction_comes_to_rest.
inline constexpr double kCreep = 1e-6;

/// [of t] Flights above a support that moves with time are resolved from so much on: 32 ulps.
/// Test: tests/simulation/test_late_times.py::test_a_ball_on_a_moving_support_is_the_same_later.
inline constexpr double kTicks = 32.0 * std::numeric_limits<double>::epsilon();

/// [of the terms of the free acceleration] Contact forces of larger effect nearly cancel, and
/// rounding of them is three digits more than that of what acts: accelerations are refined.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kSqueezed = 1e3;

/// [of the largest force] Forces are known to this, as laws with dependent contacts are solved.
/// Test: none yet.
inline constexpr double kForce = 1e-9;

/// [of the resolution of accelerations] A slip that turns back by more is none: two digits above
/// rounding, below what lets a body creep against its load.
/// Test: tests/simulation/test_friction_limits.py::test_what_is_pushed_a_little_less_rests.
inline constexpr double kTurnsBack = 1e-3;

/// [of the bound] A sticking force this close to it is at the limit: what forces are known to.
/// Test: none yet.
inline constexpr double kAtLimit = 1e-9;

/// [of the largest impulse] Impulses are solved to this, some hundred ulps.
/// Test: none yet.
inline constexpr double kImpulse = 1e-13;

/// [of the kinetic energy] A smaller gain is rounding of the sums of its book.
/// Test: none yet.
inline constexpr double kEnergy = 1e-12;

/// [of the weights of normal directions] Weights whose sum is smaller have none: impulses would
/// have to be 1e12 times those of the impact.
/// Test: none yet.
inline constexpr double kNoSum = 1e-12;

/// [of the resolution of a velocity] Velocities below may be what impacts, each solved to it, have
/// left of zero.
/// Test: none yet.
inline constexpr double kBorder = 4.0;

/// [of the acceleration friction alone would give] Smaller ones are slight: contacts beside it are
/// left out.
/// Test: none yet.
inline constexpr double kSlight = 1e-7;

/// [of the friction] Of contacts at their limit, to see whether they are about to slip: less by far
/// more than forces are known to.
/// Test: none yet.
inline constexpr double kLessFriction = 0.99;

/// [of 1 +] u| | Velocities this near the bilateral constraints are on them: rounding of the
/// solution that projects.
/// Test: none yet.
inline constexpr double kOnConstraints = 1e-13;

}  // namespace resolutions

/// What is held, taken back or borne of closed contacts and constraints.
namespace drift {

/// [of gap_tolerance, rest_velocity] To this closed contacts are held, and constraints beside them:
/// by default rounding of coordinates of size one, times a hundred; projection leaves and stirs up
/// less. Test:
/// tests/simulation/test_small_lengths.py::test_a_scene_in_other_lengths_is_the_same_motion.
inline constexpr double kHeldPart = 0.01;

/// [m or rad, m/s or rad/s] To this constraints are held where the options of a run are not known.
/// Test: none yet.
inline constexpr double kHeld = 1e-13;

/// [of the tolerance of the start] A contact is closed down to this: its gap drifts on numerical
/// steps. What is deeper has been jumped over.
/// Test: none yet.
inline constexpr double kClosedGap = 1e3;

/// [of the largest constraint] Constraints of which less is left amplify what stages of a step miss
/// them by.
/// Test: none yet.
inline constexpr double kNearlyDependent = 0.25;

/// [of the largest constraint, in the kinetic metric] What a weaker one demands is drowned in
/// rounding, which grows with the square of its reciprocal.
/// Test: none yet.
inline constexpr double kWeakConstraint = 1.5e-3;

/// [of the size of W, from place to place] The places then give 1e-13 of it or less, and the
/// constraints are stronger there than weak ones.
/// Test: none yet.
inline constexpr double kTurn = 5e-3;

/// [of the size of W] A place that turns it by more is near enough to the one asked for.
/// Test: none yet.
inline constexpr double kSmallestTurn = 3.5e-3;

/// [of the size of W] And one that turns it by less.
/// Test: none yet.
inline constexpr double kLargestTurn = 8e-3;

/// [of the coordinates] A step back that rounding swallows: at large lengths g itself is not
/// resolved any better.
/// Test: none yet.
inline constexpr double kSwallowed = 4.0 * std::numeric_limits<double>::epsilon();

}  // namespace drift

/// Which columns of constraints are independent.
namespace constraint_columns {

/// [of the column] What is left after the others, if less, is dependent on them.
/// Test: none yet.
inline constexpr double kDependentColumn = 1e-9;

/// [of the largest column] A smaller one is the rounding of zero.
/// Test: none yet.
inline constexpr double kZeroColumn = 1e-13;

/// [of the largest column] Shorter ones come last.
/// Test: none yet.
inline constexpr double kShortColumn = 1e-3;

/// [of one] Between the eigenvalues zero and one of a projector.
/// Test: none yet.
inline constexpr double kDistinct = 0.5;

}  // namespace constraint_columns

/// Polynomials on a step and what is seen of them.
namespace watching {

/// [of the range of the polynomial] It differs from the motion by less.
/// Test: none yet.
inline constexpr double kAgreement = 1e-4;

/// [of the range of the polynomial] Slopes that it makes up where a function leaves zero slowly.
/// Test: none yet.
inline constexpr double kMadeUpSlope = 1e-3;

/// [of the range of the polynomial] Curvature that takes a function up again before it has fallen
/// by what the polynomial is wrong by.
/// Test: none yet.
inline constexpr double kClearCurvature = 0.1;

/// [of the range of the polynomial] The same for gaps, which range over a long step and may dip
/// below zero anywhere on it.
/// Test: none yet.
inline constexpr double kGapAgreement = 1e-8;

/// [of what a gap does until an event] If its polynomial may be wrong by more, the step is too
/// long. Test:
/// tests/simulation/test_late_times.py::test_a_ball_does_not_fall_through_on_long_steps.
inline constexpr double kUnsure = 0.01;

/// [of what the range of a gap makes it be wrong by] If its polynomial misses the end by more, the
/// step is too long. Test:
/// tests/simulation/test_late_times.py::test_a_ball_does_not_fall_through_on_long_steps.
inline constexpr double kMissedEnd = 10.0;

/// [of the step, and of the way to its event] By this it is looked at more closely, and so many
/// times the way to the event is enough.
/// Test: tests/simulation/test_late_times.py::test_a_ball_does_not_fall_through_on_long_steps.
inline constexpr double kCloser = 4.0;

/// [of the gap] Where tangents to a gap come nearer to zero than this part of it, the polynomial is
/// looked at between them; of what it keeps from zero there it may be wrong by this part.
/// Test: tests/simulation/test_passing_contacts.py::test_what_flies_past_an_edge_meets_it.
inline constexpr double kDip = 0.1;

/// [of the margin where candidates are found, which is one] The same for that margin.
/// Test: none yet.
inline constexpr double kMarginAgreement = 0.05;

/// [of what a polynomial was seen to be wrong] So far from zero it must keep.
/// Test: none yet.
inline constexpr double kClear = 10.0;

/// [of the tolerance of a switch function] It must fall below zero by more than rounding of numbers
/// of size one, which moves no switch by more.
/// Test: none yet.
inline constexpr double kSwitchRounding = 1e-6;

/// [of the speed] Mass and wall move together behind (3.23), to the accuracy with which its instant
/// is located.
/// Test: none yet.
inline constexpr double kMovesWithWall = 1e-6;

/// [of the determinant at the start] Frozen equations with less are singular.
/// Test: none yet.
inline constexpr double kSingularMotion = 1e-10;

/// [of the resolution of a force] Forces have wrong signs by no more on a step that leaves an
/// instant, where a shorter one leads away as well.
/// Test: none yet.
inline constexpr double kForceBeyond = 100.0;

/// [of the change on the wider way] On a way that was halved so often a slope changes by little of
/// what it did, a jump by all of it.
/// Test: none yet.
inline constexpr double kForceJump = 0.75;

}  // namespace watching

/// Ends of the features of contact points.
namespace features {

/// [of the larger outline] Features reach this far beyond their ends. What touches at an end, where
/// two corners meet, is decided by the system. Test: none yet.
inline constexpr double kOverrun = 1e-9;

/// [of the larger outline] An open contact point that comes counts from this far before its
/// features on. Its arrival is located in a kink of the domain, and not better than this. Test:
/// none yet.
inline constexpr double kComing = 1e-7;

/// [of the larger outline] Ends of features are resolved to this: a part of what they reach beyond.
/// Test: none yet.
inline constexpr double kFeatureFloor = 0.1 * kOverrun;

/// [of the larger outline] From this gap on a contact point beyond its features is apart, and may
/// come to touch. Test: none yet.
inline constexpr double kApart = 1e-9;

/// [of the larger outline] A contact point this far from its features where its gap vanishes is no
/// contact. It may move by so much between two neighbouring looks. Test: none yet.
inline constexpr double kBesideFeatures = 1e-5;

/// [of the smaller shape] Shapes this deep in each other have touched where no contact was seen:
/// the run ends. Test:
/// tests/multibody/test_events_on_shapes.py::test_shapes_in_each_other_end_a_run.
inline constexpr double kInEachOther = 1e-4;

}  // namespace features

/// When events happen and which happen together.
namespace event_times {

/// [of the step] Indicators that cross closer together fire at one instant: rounding of roots.
/// Test: none yet.
inline constexpr double kOneInstant = 1e-12;

/// [of what the polynomial ranges over] A watched function falls clearly with a steeper slope.
/// Test: none yet.
inline constexpr double kClearFall = 1e-3;

/// [of the step] Those that cross closer together need no second look.
/// Test: none yet.
inline constexpr double kNoSecondLook = 1e-9;

/// [of t] An event this little behind the end is at the end: times that are sums and roots of
/// others have that much rounding.
/// Test: none yet.
inline constexpr double kEndRounding = 1e3 * std::numeric_limits<double>::epsilon();

/// [of a piece of a step] A crossing nearer to the last one is that one.
/// Test: none yet.
inline constexpr double kSameCrossing = 1e-9;

/// [of the terms of a series through sampled values] Rounding of its value at the end.
/// Test: none yet.
inline constexpr double kSeries = 1e-11;

/// [of t] Shortest of the steps that lead away from an instant that settles nothing.
/// Test: none yet.
inline constexpr double kShortestWayOut = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the step] A fall below zero that begins before, ends with the step, and is shallow all the
/// way is slow: an event.
/// Test: none yet.
inline constexpr double kSlowFall = 0.5;

/// [of the step] One that begins later is looked at again on a step that begins earlier by this.
/// Test: none yet.
inline constexpr double kLookAgain = 0.25;

/// [of the step] Polynomials through the nodes are good enough that no root lies further behind the
/// one found; beyond there may be other events.
/// Test: none yet.
inline constexpr double kFarthestRoot = 0.05;

/// [of the way a slope leads] A way back to zero that differs by less from the one to the start is
/// that to zero.
/// Test: none yet.
inline constexpr double kReturn = 1e-3;

/// [of the way from the start] Over this a slope is a difference.
/// Test: none yet.
inline constexpr double kWayBack = 1e-4;

/// [of the step] And over no less: at an event right behind the start of a step the values would
/// differ by rounding.
/// Test: tests/campaign/test_seeds.py::test_modes_that_change_right_behind_another_are_in_time.
inline constexpr double kShortestWay = 1e-6;

/// [of t] An integrator takes no shorter step: what t cannot resolve.
/// Test: none yet.
inline constexpr double kShortestStep = 1e3 * std::numeric_limits<double>::epsilon();

/// [of the step] Chord of the slope with which a zero that was found is met: the dense output is
/// smooth there.
/// Test: none yet.
inline constexpr double kChord = 1e-5;

/// [of the step] More is no correction.
/// Test: none yet.
inline constexpr double kFarthestCorrection = 1e-4;

/// [of what is seen of a function on a step] Below it is asked what of it is rounding.
/// Test: none yet.
inline constexpr double kSmallUserValue = 1e-6;

/// [of t and y] So much more or less shows what of a function is noise: 32 ulps.
/// Test: none yet.
inline constexpr double kUlps = 32.0 * std::numeric_limits<double>::epsilon();

/// [of what that shows] This much of it is noise of an indicator: other ulps may show more.
/// Test: none yet.
inline constexpr double kNoise = 16.0;

/// [of what that shows] The same of a function of the user.
/// Test: none yet.
inline constexpr double kUserNoise = 8.0;

}  // namespace event_times

/// Slip that begins and ends where friction has a disc.
namespace slip_in_a_plane {

/// [of the velocities so far] Up to this speed, slip that starts from rest has the direction of the
/// force that would hold it: the direction is drawn to its true value within |γ_T|/(μ λ_N wᵀM⁻¹w),
/// which no explicit method follows from zero. What it is wrong by is healed by the same
/// attraction. Test: none yet.
inline constexpr double kLayer = 1e-5;

/// [cosine] In the layer, the force that would hold the contact turns by less. Where it does not,
/// the first direction stays.
/// Test: none yet.
inline constexpr double kTurnInLayer = 0.5;

/// [of the determinant of independent rows] Where less is left, the forces that would hold contacts
/// are a choice among those of dependent contacts, and the first directions stay.
/// Test: none yet.
inline constexpr double kHeldAlone = 1e-6;

/// [of what the tolerances of the integrator resolve] Speeds that end slip.
/// Test: none yet.
inline constexpr double kSlipEnds = 8.0;

/// [of the speed that ends slip] Contacts of one body come to rest together up to this.
/// Test: none yet.
inline constexpr double kRestTogether = 4.0;

/// [of the slowest slip] What is taken as rest beside it turns it by less.
/// Test: none yet.
inline constexpr double kTurnsSlip = 1e-4;

/// [of the speed that ends slip] From here on slip is known to be above zero, and ends below.
/// Test: none yet.
inline constexpr double kSlipArmed = 2.0;

/// [of the determinant of the frozen equations] If less is left, contacts jam.
/// Test: none yet.
inline constexpr double kJamming = 1e-6;

/// [of the tolerance the law decides with] The law is asked with this: what it says of a step must
/// not hang on the last digits.
/// Test: none yet.
inline constexpr double kLawMargin = 10.0;

/// [of accelerations without contact] Accelerations are the same up to this.
/// Test: none yet.
inline constexpr double kAlike = 1e-5;

}  // namespace slip_in_a_plane

/// Absolute tolerances from sizes of components.
namespace sizes {

/// [s] Far below the time in which a mechanical system does something.
/// Test: none yet.
inline constexpr double kShortTime = 1e-3;

/// [of the forces at rest] The time of a motion from rest is the one in which its forces change by
/// this.
/// Test: none yet.
inline constexpr double kChangedForce = 0.1;

/// [of any unit] A smaller size is zero: tolerances are parts of it, and numbers end at 1e-308.
/// Test: none yet.
inline constexpr double kNothing = 1e-200;

/// [of the size measured] A component that has grown by this: sizes are those of rest, or of
/// another motion.
/// Test: none yet.
inline constexpr double kOutgrown = 1e4;

/// [of the largest internal state] What evaluations of the internal states are exact to.
/// Test: none yet.
inline constexpr double kStateRounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace sizes

/// Motions that lead nowhere.
namespace standstill {

/// [of the rest velocity] Slower impacts are hardly more than rest; so many in a row are none that
/// an accumulation makes.
/// Test: none yet.
inline constexpr double kSlowImpact = 1e4;

/// [of the slowest impact of the block before] An accumulation with e_N = 0.9 gets slower by more
/// in 50 impacts.
/// Test: none yet.
inline constexpr double kSlower = 0.5;

/// [of the mean time between two impacts of the block before] 2000 impacts of an accumulation with
/// e_N = 0.999999 differ by twice as much.
/// Test: tests/simulation/test_lossless_cycles.py::test_slow_accumulation_is_no_cycle.
inline constexpr double kSamePace = 1e-3;

/// [of impulse times approach, summed over 2000 impacts] A loss of less is none.
/// Test: none yet.
inline constexpr double kNoLoss = 1e-4;

/// [of max_events] A cycle of impacts without loss ends the run if so many more are left.
/// Test: none yet.
inline constexpr double kFarTooMany = 10.0;

/// [of the step] Longest of the steps that lead away from an instant that settles nothing.
/// Test: none yet.
inline constexpr double kLongestWayOut = 1e-5;

/// [of the size of a component] Less in a window is hardly motion: 1e5 attempts for what is seen.
/// Test: none yet.
inline constexpr double kMoved = 1e-2;

/// [of the tolerances] A motion that stays this close to a jump stays at it.
/// Test: none yet.
inline constexpr double kNearJump = 10.0;

/// [of the slope] One that changes by less does not jump.
/// Test: none yet.
inline constexpr double kSlopeJump = 1e-3;

/// [of the tolerance] Nor does one that changes by less in a step: steps are not short for its
/// sake.
/// Test: none yet.
inline constexpr double kHarmlessJump = 1e-3;

/// [of the longest step so far in a window] 1e9 attempts for what was once one step. Searches of
/// candidates along a contour with long arms have made 165,000 such attempts on a way that led on.
/// Test: none yet.
inline constexpr double kStalled = 1e-6;

}  // namespace standstill

/// Derivatives of motions by start and parameters.
namespace derivatives {

/// [of the size of a parameter] Distance of two values, as central differences like it.
/// Test: none yet.
inline constexpr double kParameterShift = 1.2e-5;

/// [of the state that moves an event] An event whose time moves this much more has none that
/// depends on it smoothly.
/// Test: none yet.
inline constexpr double kGrazing = 1e6;

/// [of the derivative of a time] Times of an event that differ by less are the same.
/// Test: none yet.
inline constexpr double kSameTime = 1e-6;

/// [of the rates of one body] If they change by less with the velocities of another one, they do
/// not.
/// Test: none yet.
inline constexpr double kNoInfluence = 1e-7;

/// [of a rate] Rates that differ by less are the same.
/// Test: none yet.
inline constexpr double kSameRate = 1e-8;

/// [of h ‖J‖] Up to this one part of a step is accurate: (4!)⁴/(9 (8!)³) = 6e-10 of its ninth power
/// for the collocation.
/// Test: none yet.
inline constexpr double kReach = 1.0;

/// [of h ‖J‖] The same for a hundred terms of the exponential.
/// Test: none yet.
inline constexpr double kExponentialReach = 4.0;

/// [of the slip] By no more velocities are varied.
/// Test: none yet.
inline constexpr double kSlipPart = 1e-3;

/// [of the size of its fellows] A component that has been much smaller is varied by this.
/// Test: none yet.
inline constexpr double kSmallestVaried = 1e-3;

/// [of a coordinate] Steps resolve coordinates, however large.
/// Test: none yet.
inline constexpr double kVariedCoordinate = 1e-9;

/// [of a time] The same for times: five digits above rounding.
/// Test: none yet.
inline constexpr double kVariedTime = 1e5 * std::numeric_limits<double>::epsilon();

/// [of γ] Impulses are linear in γ piece by piece: a large part costs few digits.
/// Test: none yet.
inline constexpr double kLargeVelocityStep = 1e-3;

/// [of γ] A small one where the next piece is near.
/// Test: none yet.
inline constexpr double kSmallVelocityStep = 1e-8;

/// [of γ] With friction discs, and where G changes too, they are curved: ε^⅓.
/// Test: none yet.
inline constexpr double kCurvedVelocityStep = 1e-5;

/// [of the slopes to both sides] Slopes that differ by more belong to two pieces.
/// Test: none yet.
inline constexpr double kImpulseEdge = 1e-3;

}  // namespace derivatives

}  // namespace nsmb::tolerances
