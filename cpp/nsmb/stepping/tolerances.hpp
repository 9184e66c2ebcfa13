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

/// [of the largest velocity] The place at the end of a step is found where another Newton step
/// changes velocities by less.
/// Test: none yet.
inline constexpr double kConverged = 1e-13;

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

/// [of the penetration before] A step out of penetration that leaves more gains nothing: others
/// push back.
/// Test: none yet.
inline constexpr double kGained = 0.5;

/// [of gap_tolerance] What a projection leaves deeper is said: gaps of bodies that roll bend as
/// much. Test: tests/stepping/test_projected_contacts.py::test_what_cannot_come_out_is_marked.
inline constexpr double kLeftIn = 1e3;

/// [of all gaps] No problem of gaps is solved finer than that.
/// Test: none yet.
inline constexpr double kFinestGap = 1e-12;

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

/// Velocities in the middle of a step, at which forces are those that lead to them.
namespace middle {

/// [of the largest velocity] Forces that would move them by less are those: as much is what
/// gyroscopic forces change of the energy in one step.
/// Test: tests/stepping/test_spinning.py::test_free_spin_keeps_its_energy.
inline constexpr double kSame = 1e-13;

/// [of the largest velocity] Below it, what does not come closer is rounding of large masses beside
/// small ones.
/// Test: none yet.
inline constexpr double kRounding = 1e-11;

}  // namespace middle

namespace middle_tuning {

/// [of the change before] Slower than this, Newton's method takes fewer evaluations.
/// Test: tuning.
inline constexpr double kContracts = 0.2;

/// [of g - u] What the equations of a Newton step are solved to.
/// Test: tuning.
inline constexpr double kLinear = 1e-4;

}  // namespace middle_tuning

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
