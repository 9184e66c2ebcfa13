// Motion in steps.
// How they are written and tested: CONTRIBUTING.md.
#pragma once

namespace nsmb::tolerances {

namespace stepping {

/// [of the largest constraint] What constraints leave of another one that depends on them.
/// Test: none yet.
inline constexpr double kDependentConstraint = 1e-10;

/// [of the step] A step this much longer ends where the run ends, instead of one more that is as
/// short.
/// Test: none yet.
inline constexpr double kLastStep = 1e-6;

/// [of the time in which no pair comes too deep into each other] A step that meets what touches
/// already, and is fast, is no shorter: it leaves so small a part of that depth.
/// Test: none yet.
inline constexpr double kBriefest = 1e-3;

/// [of the step] No step is cut shorter: beyond that bodies may pass.
/// Test: none yet.
inline constexpr double kShortest = 1e-9;

/// [of the largest velocity there] Slip of a closed contact below it is none.
/// Test: none yet.
inline constexpr double kNoSlip = 1e-10;

/// [m/s] Approaches of impacts in a step below it are none; rounding counts besides.
/// Test: none yet.
inline constexpr double kRest = 1e-11;

/// [of velocities and their increments] Distance of differences of the forces: rounding of the
/// forces is divided by it, and their curvature multiplied.
/// Test: none yet.
inline constexpr double kDifference = 1e-6;

/// [of the energy turned over in the step] A gain of energy that is nothing but rounding.
/// Test: none yet.
inline constexpr double kGain = 1e-9;

/// [of `tol`] The same of many contacts, whose velocities are known to `tol`, and energy to as much
/// for each.
/// Test: tests/stepping/test_energy.py::test_elastic_bodies_keep_their_energy.
inline constexpr double kGainOfTolerance = 10.0;

/// [of gap_tolerance] What a projection leaves deeper is said: gaps of bodies that roll bend as
/// much. Test: tests/stepping/test_projected_contacts.py::test_what_cannot_come_out_is_marked.
inline constexpr double kLeftIn = 1e3;

/// [of gap_tolerance] Contacts that have moved by less since they were put onto their gaps are
/// there. Test: none yet.
inline constexpr double kLooked = 0.1;

/// [of what is left before] A step of a projection that leaves more gains nothing.
/// Test: none yet.
inline constexpr double kGained = 0.5;

}  // namespace stepping

/// Polygons in steps.
namespace outline_guard {

/// [of the narrower width] By more no polygon moves against another one in a step that could lead
/// it there: at most a quarter of it is in the other before the step that sees it.
/// Test: tests/stepping/test_flush_outlines.py::test_fast_bodies_do_not_pass_in_one_step.
inline constexpr double kWay = 0.25;

/// [of the narrower width] Polygons this deep in each other, and deeper than before the step, end a
/// run: an impact in the middle of a step leaves half of the way of a step, which is less.
/// Test: tests/stepping/test_flush_outlines.py::test_what_no_step_can_hold_ends_the_run.
inline constexpr double kDeepest = 0.2;

}  // namespace outline_guard

/// Steps whose contact problem is not solved.
namespace plastic_lock {

/// [of the energy turned over] Impulses that create more are not taken.
/// Test: tests/stepping/test_missed_steps.py::test_impulses_that_create_energy_are_not_taken.
inline constexpr double kCreated = 1e-9;

/// [of the fastest approach] Impulses after which contacts part by so much faster are not taken.
/// Test: tests/stepping/test_missed_steps.py::test_what_parts_faster_than_it_came_is_locked.
inline constexpr double kFaster = 1e-6;

/// [of the largest direction] Directions that leave less of themselves depend on the others.
/// Test: tests/stepping/test_missed_steps.py::test_faces_on_each_other_come_to_rest.
inline constexpr double kDependent = 1e-10;

/// [of the fastest approach] What is slower is at rest.
/// Test: tests/stepping/test_missed_steps.py::test_faces_on_each_other_come_to_rest.
inline constexpr double kAtRest = 1e-9;

/// [of the largest load] Impulses that leave less of it explain it.
/// Test: tests/stepping/test_missed_steps.py::test_a_stack_at_rest_is_a_solution.
inline constexpr double kExplained = 1e-10;

}  // namespace plastic_lock

/// Events of the user.
namespace user_events {

/// [of the step] Its length is known to this where an event is to end it.
/// Test: tests/stepping/test_user_events.py::test_the_time_is_that_of_the_motion.
inline constexpr double kLocated = 1e-9;

/// [of the step] Distance of the two values that say how fast a function falls.
/// Test: tuning.
inline constexpr double kSlope = 1e-3;

}  // namespace user_events

/// Steps as long as their error allows.
namespace error_control {

/// [of the error asked for] However short a step is, it may have this part of the error: near
/// events it would wrestle with what solvers leave otherwise.
/// Test: none yet.
inline constexpr double kLeastPart = 1e-3;

/// [of `tol`] What two velocities may differ by, each of them from a contact problem.
/// Test: none yet.
inline constexpr double kOfTolerance = 10.0;

/// [of a coordinate] Rounding of a difference of two.
/// Test: none yet.
inline constexpr double kRoundingOfPlace = 2e-15;

}  // namespace error_control

/// How lengths of steps follow their errors.
namespace error_control_tuning {

/// [of the length that the error allows] What is tried.
/// Test: tuning.
inline constexpr double kSafety = 0.9;

/// [of the length before] The longest that is tried.
/// Test: tuning.
inline constexpr double kMostGrowth = 4.0;

/// [of the length before] The shortest that is tried.
/// Test: tuning.
inline constexpr double kLeastShare = 0.1;

}  // namespace error_control_tuning

/// The middle of a step.
namespace middle {

/// [of the step] Where its kick is: elsewhere it is of first order.
/// Test: tests/stepping/test_orders.py::test_of_second_order_with_damping.
inline constexpr double kPlace = 0.5;

/// [of A] What is skew in it, and no more than differences leave.
/// Test: none yet.
inline constexpr double kSymmetric = 1e-9;

}  // namespace middle

/// Bodies that turn by themselves.
namespace turning {

/// [of the angular momentum] What the equation of a substep is solved to.
/// Test: tests/stepping/test_free_motion.py::test_a_free_body_keeps_energy_and_momentum.
inline constexpr double kRounding = 1e-16;

/// [of the moment of inertia] Moments that differ by less are the same about all axes.
/// Test: none yet.
inline constexpr double kEven = 1e-14;

/// [of squares of gradients] Energy and momentum say the same.
/// Test: none yet.
inline constexpr double kParallel = 1e-12;

/// [rad] A longer turn is several.
/// Test: tests/stepping/test_free_motion.py::test_a_free_body_turns_over_in_time.
inline constexpr double kLongest = 0.5;

/// [rad] A turn this small is one of fourth order.
/// Test: none yet.
inline constexpr double kModest = 0.03;

/// [rad] A turn this small is one substep: the cube of it is what it errs by.
/// Test: none yet.
inline constexpr double kSmall = 1e-3;

}  // namespace turning

/// Contacts that last, at the end of a step.
namespace end_projection {

/// [of the fastest rate] Rates of what lasts are held to it, however loose `tol` is: the mean law
/// turns around what is left of them, step by step, and a pile makes a tenth of its forces of 1e-6.
/// Test: tests/systems/test_piles_and_walls.py::test_forces_of_a_pile_do_not_alternate.
inline constexpr double kHeld = 1e-8;

/// [of its row alone] A direction that is changed by less with an impulse depends on others.
/// Test: tests/systems/test_dominoes.py::test_each_is_hit_when_the_train_says.
inline constexpr double kNearlyNone = 1e-10;

/// [of the largest gap] No contact is moved farther by what closes it: a row of bodies in each
/// other moves by the sum of their depths. Test: none yet.
inline constexpr double kFarthest = 20.0;

}  // namespace end_projection

/// Motion without loads.
namespace free_flow {

/// [of the velocities a clique has by its energy, and of coordinates] Error of the integrator.
/// Test: tests/stepping/test_free_motion.py::test_chains_keep_energy_and_momentum.
inline constexpr double kError = 1e-9;

/// [of the same] What the embedded method of third order may err by for the step of fourth order to
/// err by less than `kError`.
/// Test: none yet.
inline constexpr double kEmbedded = 1e-8;

/// [of the change by all forces in the step] Forces are known no better where they are not known
/// apart.
/// Test: none yet.
inline constexpr double kNoise = 1e-12;

}  // namespace free_flow

/// Stages of implicit steps.
namespace stages {

/// [of the displacement in the step, and of states] Stages are found where a Newton step changes
/// them by less, rounding of coordinates besides.
/// Test: none yet.
inline constexpr double kFound = 1e-13;

/// [likewise] What no Newton step makes smaller any more is rounding of stiff forces.
/// Test: none yet.
inline constexpr double kStands = 1e-9;

}  // namespace stages

/// Forces of contacts as unknowns of a step.
namespace force_laws {

/// [of the largest coordinate] Rounding of a gap.
/// Test: none yet.
inline constexpr double kRoundingOfGap = 2e-15;

}  // namespace force_laws

/// Groups at rest.
namespace sleeping {

/// [of the velocity that forces make in one step] What is slower than this for some steps is at
/// rest.
/// Test: tests/stepping/test_sleeping.py::test_what_slides_slowly_stays_awake.
inline constexpr double kQuiet = 1e-3;

/// [of the force] Forces that differ by less are the same: rounding of those that depend on q.
/// Test: tests/stepping/test_sleeping.py::test_a_load_that_grows_wakes_what_it_acts_on.
inline constexpr double kSameForce = 1e-10;

}  // namespace sleeping

}  // namespace nsmb::tolerances
