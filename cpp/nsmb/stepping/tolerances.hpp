// Thresholds of time stepping. CONTRIBUTING.md describes their form and their tests.
#pragma once

namespace nsmb::tolerances {

namespace stepping {

/// [of the largest constraint] Constraints whose remainder is smaller depend on others.
/// Test: none yet.
inline constexpr double kDependentConstraint = 1e-10;

/// [of the step] A step may be longer by this to end where the run ends, instead of a tiny last
/// step.
/// Test: none yet.
inline constexpr double kLastStep = 1e-6;

/// [of the time in which no touching pair penetrates too deeply] Shortest step towards a fast
/// contact that already touches. It uses only this fraction of the admissible penetration.
/// Test: none yet.
inline constexpr double kBriefest = 1e-3;

/// [of the step] Steps are never cut shorter, even if bodies then pass through each other.
/// Test: none yet.
inline constexpr double kShortest = 1e-9;

/// [m/s, N s, ratios of both] Problems with smaller numbers cannot be scaled, and nothing moves.
/// Test: tests/stepping/test_friction_at_rest.py::test_slip_that_has_decayed_to_nothing_is_rest.
inline constexpr double kNothing = 1e-150;

/// [of the change of its switching function in the step] A force element may be beyond its mode by
/// this where a step ends at a switch. Its energy there is the square of this.
/// Test: tests/stepping/test_one_sided_springs.py::test_a_mass_bounces_to_its_height.
inline constexpr double kBeyondSwitch = 1e-4;

/// [of the change of its switching function in the step] A force element beyond its mode by more
/// than this at the start of a step does not end the step. Steps that end at switches leave less.
/// Test: tests/stepping/test_one_sided_springs.py::test_the_balance_does_not_depend_on_the_samples.
inline constexpr double kBeyondBefore = 1e-3;

/// [of the largest velocity there] Smaller slip of a closed contact counts as zero.
/// Test: none yet.
inline constexpr double kNoSlip = 1e-10;

/// [m/s] Smaller approach velocities of impacts in a step count as zero, in addition to rounding.
/// Test: none yet.
inline constexpr double kRest = 1e-11;

/// [of velocities and their increments] Increment of finite differences of the forces. Rounding
/// errors of the forces are divided by it, and their curvature is multiplied.
/// Test: none yet.
inline constexpr double kDifference = 1e-6;

/// [of the energy turned over in the step] A smaller gain of energy is attributed to rounding.
/// Test: none yet.
inline constexpr double kGain = 1e-9;

/// [of `tol`] The same bound for many contacts, whose velocities and energies are known to `tol`
/// only.
/// Test: tests/stepping/test_energy.py::test_elastic_bodies_keep_their_energy.
inline constexpr double kGainOfTolerance = 10.0;

/// [of gap_tolerance] Deeper penetrations that a projection leaves are reported. Gaps of rolling
/// bodies are curved by as much.
/// Test: tests/stepping/test_projected_contacts.py::test_what_cannot_come_out_is_marked.
inline constexpr double kLeftIn = 1e3;

/// [of gap_tolerance] Contacts that have moved by less since their last projection need no new one.
/// Test: none yet.
inline constexpr double kLooked = 0.1;

/// [of the remainder before] A projection step that leaves more is not worth repeating.
/// Test: none yet.
inline constexpr double kGained = 0.5;

}  // namespace stepping

/// Overlap of polygons in steps.
namespace outline_guard {

/// [of the narrower width] Largest relative displacement of two polygons within a step that could
/// bring them together. At most a quarter of this width overlaps before a step detects the overlap.
/// Test: tests/stepping/test_flush_outlines.py::test_fast_bodies_do_not_pass_in_one_step.
inline constexpr double kWay = 0.25;

/// [of the narrower width] An overlap that is larger, and larger than before the step, ends a run.
/// An impact in the middle of a step leaves half of the displacement of a step, which is less.
/// Test: tests/stepping/test_flush_outlines.py::test_what_no_step_can_hold_ends_the_run.
inline constexpr double kDeepest = 0.2;

}  // namespace outline_guard

/// Steps with unsolved contact problems.
namespace plastic_lock {

/// [of the energy turned over] Impulses that create more energy are rejected.
/// Test: tests/stepping/test_missed_steps.py::test_impulses_that_create_energy_are_not_taken.
inline constexpr double kCreated = 1e-9;

/// [of the fastest approach] Impulses are rejected if contacts separate faster than they approached
/// by more than this.
/// Test: tests/stepping/test_missed_steps.py::test_what_parts_faster_than_it_came_is_locked.
inline constexpr double kFaster = 1e-6;

/// [of the largest direction] Directions with a smaller independent part depend on the others.
/// Test: tests/stepping/test_missed_steps.py::test_faces_on_each_other_come_to_rest.
inline constexpr double kDependent = 1e-10;

/// [of the fastest approach] Slower contacts are at rest.
/// Test: tests/stepping/test_missed_steps.py::test_faces_on_each_other_come_to_rest.
inline constexpr double kAtRest = 1e-9;

/// [of the largest load] Impulses explain a load if they leave a smaller remainder.
/// Test: tests/stepping/test_missed_steps.py::test_a_stack_at_rest_is_a_solution.
inline constexpr double kExplained = 1e-10;

}  // namespace plastic_lock

/// User events.
namespace user_events {

/// [of the step] Accuracy of the length of a step that ends at an event.
/// Test: tests/stepping/test_user_events.py::test_the_time_is_that_of_the_motion.
inline constexpr double kLocated = 1e-9;

/// [of the step] Distance of the two points that determine the slope of a function.
/// Test: tuning.
inline constexpr double kSlope = 1e-3;

}  // namespace user_events

/// Control of the step length by the error.
namespace error_control {

/// [of the error asked for] Error that is allowed in any step, however short. Steps near events
/// would otherwise have to resolve the residuals of solvers.
/// Test: none yet.
inline constexpr double kLeastPart = 1e-3;

/// [of `tol`] Allowed difference of two velocities that are results of contact problems.
/// Test: none yet.
inline constexpr double kOfTolerance = 10.0;

/// [of a coordinate] Rounding of a difference of two coordinates.
/// Test: none yet.
inline constexpr double kRoundingOfPlace = 2e-15;

}  // namespace error_control

/// Adaptation of the step length to the error.
namespace error_control_tuning {

/// [of the length that the error allows] Length of the next trial.
/// Test: tuning.
inline constexpr double kSafety = 0.9;

/// [of the length before] Longest trial step.
/// Test: tuning.
inline constexpr double kMostGrowth = 4.0;

/// [of the length before] Shortest trial step.
/// Test: tuning.
inline constexpr double kLeastShare = 0.1;

}  // namespace error_control_tuning

/// The middle of a step.
namespace middle {

/// [of the step] Time of the kick. At any other time the method is of first order.
/// Test: tests/stepping/test_orders.py::test_of_second_order_with_damping.
inline constexpr double kPlace = 0.5;

/// [of A] A smaller skew part is an error of finite differences.
/// Test: none yet.
inline constexpr double kSymmetric = 1e-9;

}  // namespace middle

/// Free rotation of bodies.
namespace turning {

/// [of the angular momentum] Accuracy of the solution of a substep.
/// Test: tests/stepping/test_free_motion.py::test_a_free_body_keeps_energy_and_momentum.
inline constexpr double kRounding = 1e-16;

/// [of the moment of inertia] Moments of inertia that differ by less are equal about all axes.
/// Test: none yet.
inline constexpr double kEven = 1e-14;

/// [of squares of gradients] Gradients of energy and momentum with a smaller determinant are
/// parallel.
/// Test: none yet.
inline constexpr double kParallel = 1e-12;

/// [rad] Larger rotations are divided.
/// Test: tests/stepping/test_free_motion.py::test_a_free_body_turns_over_in_time.
inline constexpr double kLongest = 0.5;

/// [rad] Smaller rotations are composed to fourth order.
/// Test: none yet.
inline constexpr double kModest = 0.03;

/// [rad] Smaller rotations are a single substep, whose error is the cube of the angle.
/// Test: none yet.
inline constexpr double kSmall = 1e-3;

}  // namespace turning

/// Persistent contacts at the end of a step.
namespace end_projection {

/// [of the fastest rate] Accuracy of the rates of persistent contacts, for any `tol`. The mean law
/// reverses their residuals in every step. Residuals of 1e-6 would cause a tenth of the forces in a
/// pile.
/// Test: tests/systems/test_piles_and_walls.py::test_forces_of_a_pile_do_not_alternate.
inline constexpr double kHeld = 1e-8;

/// [of its row alone] A direction whose rate changes by less under its impulse depends on others.
/// Test: tests/systems/test_dominoes.py::test_each_is_hit_when_the_train_says.
inline constexpr double kNearlyNone = 1e-10;

/// [of the largest gap] A projection moves no contact farther. A row of bodies that penetrate one
/// another moves by the sum of their depths.
/// Test: none yet.
inline constexpr double kFarthest = 20.0;

}  // namespace end_projection

/// Motion without loads.
namespace free_flow {

/// [of coordinates, and of velocities from the energy of a clique] Error of the integrator.
/// Test: tests/stepping/test_free_motion.py::test_chains_keep_energy_and_momentum.
inline constexpr double kError = 1e-9;

/// [of the same] Allowed error of the embedded third-order method. The error of the step of fourth
/// order is then less than `kError`.
/// Test: none yet.
inline constexpr double kEmbedded = 1e-8;

/// [of the change by all forces in the step] Accuracy of forces that are not separated.
/// Test: none yet.
inline constexpr double kNoise = 1e-12;

}  // namespace free_flow

/// Stages of implicit steps.
namespace stages {

/// [of the displacement in the step, and of states] Stages are accepted if a Newton step changes
/// them by less, plus rounding of coordinates.
/// Test: none yet.
inline constexpr double kFound = 1e-13;

/// [likewise] A smaller change that Newton steps no longer reduce is rounding of stiff forces.
/// Test: none yet.
inline constexpr double kStands = 1e-9;

}  // namespace stages

/// Contact forces as unknowns of a step.
namespace force_laws {

/// [of the largest coordinate] Rounding of a gap.
/// Test: none yet.
inline constexpr double kRoundingOfGap = 2e-15;

}  // namespace force_laws

/// Groups of bodies at rest.
namespace sleeping {

/// [of the velocity that forces cause in one step] Groups that are slower for some steps are at
/// rest.
/// Test: tests/stepping/test_sleeping.py::test_what_slides_slowly_stays_awake.
inline constexpr double kQuiet = 1e-3;

/// [of the force] Smaller differences are rounding of forces that depend on q, not changes.
/// Test: tests/stepping/test_sleeping.py::test_a_load_that_grows_wakes_what_it_acts_on.
inline constexpr double kSameForce = 1e-10;

}  // namespace sleeping

}  // namespace nsmb::tolerances
