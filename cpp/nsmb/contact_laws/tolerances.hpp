// The contact laws. Problems are scaled: the largest rate or velocity and the entries of G are of
// size one. How they are written and tested: CONTRIBUTING.md.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// What counts as zero in a row.
namespace rounding {

/// [of the terms of a row] What summing may leave of them: 64 ulps, for rows of up to some dozen
/// contacts.
/// Test: none yet.
inline constexpr double kRow = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the largest rate] What a law without residual may be wrong by: 64 ulps.
/// Test: none yet.
inline constexpr double kLaw = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the terms of a rate] A smaller rate is rounding, and what sticks does not begin to slip:
/// what a solver leaves, a few hundred ulps.
/// Test: none yet.
inline constexpr double kNoRate = 1e-13;

/// [of √(G_aa G_bb)] A smaller entry of G is the rounding of a zero: what it passes on is less than
/// the rounding of its own row.
/// Test: none yet.
inline constexpr double kCoupling = 8.0 * std::numeric_limits<double>::epsilon();

/// [of the lengths multiplied] A smaller product of two vectors is rounding of orthogonal ones: 8
/// ulps.
/// Test: none yet.
inline constexpr double kOrthogonal = 8.0 * std::numeric_limits<double>::epsilon();

/// [of G_aa without constraints] Where bilateral constraints leave less, they leave nothing: ten
/// thousand ulps, for their own condition.
/// Test:
/// tests/simulation/test_unmoved_contacts.py::test_constraints_that_hold_a_body_hold_it_whole.
inline constexpr double kUnmoved = 1e-12;

}  // namespace rounding

/// Which rows and forces are independent of those before them.
namespace dependence {

/// [of its diagonal entry of G] A row with a smaller part of its own counts as dependent: six
/// digits above rounding.
/// Test: none yet.
inline constexpr double kIndependentRow = 1e-10;

/// [of the least eigenvalue of G, rows of length one] Below it rows are independent by rounding of
/// the pose: forces have no more than half the digits.
/// Test: none yet.
inline constexpr double kHardlyIndependent = 1e-8;

/// [of what was subtracted] Rounding of the part that is left of a row: 8 ulps.
/// Test: none yet.
inline constexpr double kPivotRounding = 8.0 * std::numeric_limits<double>::epsilon();

/// [of its effect on the rows] A force with a smaller effect of its own is taken only where others
/// do not suffice: half the digits.
/// Test: none yet.
inline constexpr double kIndependentForce = 1e-8;

/// [of its effect on the rows] Masses of very different size make forces look dependent: then this
/// part decides, some hundred ulps.
/// Test: none yet.
inline constexpr double kLeastForce = 1e-13;

/// [of the larger part] Of two rows whose parts differ by less the first is taken, whatever
/// rounding says.
/// Test: none yet.
inline constexpr double kEqualParts = 1e-6;

/// [of the largest force] Of points that coincide the one that carries more stands for all: those
/// with less come behind, and in other places are independent anyway.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kSlightLoad = 1e-3;

/// [of the effect of a force, in rows of size one] What others of it leave is rounding: heavy
/// bodies on light ones leave 1e-8. Test:
/// tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kSameEffect = 1e-12;

/// [of what a friction force may range over] Nearer to a bound it is at it.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kAtBound = 1e-9;

/// [of the largest pivot] Newton's equations with smaller pivots are dependent: five digits above
/// rounding.
/// Test: none yet.
inline constexpr double kDependentEquation = 1e-11;

/// [of the largest pivot] Dependence shows as rounding, 1e-16 times the condition of the
/// independent rows.
/// Test: none yet.
inline constexpr double kRank = 1e-9;

/// [of the largest effect] What dependence does to the accelerations is seen above the noise of the
/// kernel, that over the rank tolerance.
/// Test: none yet.
inline constexpr double kKernelEffect = 1e-7;

/// [of the larger solution] Solutions closer together are one: residuals are 1e-9.
/// Test: none yet.
inline constexpr double kSameSolution = 1e-8;

}  // namespace dependence

/// All pieces of a contact problem, scaled.
namespace pieces {

/// [of the impulses of well-posed problems] A proof that there is no solution must rule out so
/// large ones: masses of very different size make large impulses, and rounding of G larger ones
/// still.
/// Test: none yet.
inline constexpr double kExcludedByProof = 1e14;

/// [of the largest pivot, of one at least] Smaller pivots: decided by nonnegative least squares.
/// Five digits above rounding.
/// Test: none yet.
inline constexpr double kSingularPiece = 1e-11;

/// [of the largest impulse, of one at least] A piece missed by less is not ruled out: its solution
/// is judged by the original data.
/// Test: none yet.
inline constexpr double kNarrowMiss = 1e-8;

/// [of the largest velocity, of one at least] Solutions of pieces are accepted to this where rows
/// are not judged one by one.
/// Test: none yet.
inline constexpr double kAcceptPiece = 1e-9;

/// [a number] So many, those of six planar contacts, cost some milliseconds, and are asked for only
/// where Lemke gave up.
/// Test: none yet.
inline constexpr double kMostPieces = 4096.0;

}  // namespace pieces

/// Problems on which Lemke's path gives up.
namespace without_pivots {

/// [of b] From a point that leaves less the pieces of the law are looked for: they are those of a
/// solution nearly always, and forces 1e8 times the usual ones leave little less.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kNear = 1e-6;

/// [of b] What a solution may leave: forces 1e10 times the usual ones are known to that. Behind it
/// every ray is one.
/// Test:
/// tests/contact_laws/test_spatial_acceleration.py::test_solutions_obey_the_law_contact_by_contact.
inline constexpr double kMost = 1e-6;

}  // namespace without_pivots

/// The law of accelerations.
namespace acceleration {

/// [of a diagonal entry of G] What dependent contacts in space give way by; taken back from their
/// accelerations. Ten digits above rounding, which a small one would raise to a force.
/// Test: none yet.
inline constexpr double kCompliance = 1e-5;

/// [of the largest rate] Steps go on until what contacts still give way by is less than this.
/// Test: none yet.
inline constexpr double kYielding = 1e-12;

}  // namespace acceleration

/// The laws of impacts.
namespace impact {

/// [of the largest velocity] An approach this slow is in the piece of none, or of a fast one, and
/// far above what a solver resolves.
/// Test: none yet.
inline constexpr double kSlowApproach = 1e-6;

/// [of the largest velocity] What two slow approaches, extrapolated to none, may leave.
/// Test: none yet.
inline constexpr double kExtrapolated = 1e-7;

/// [of the resolution of γ_N] Errors of γ_A count with 1 + ε <= 2 in two contacts that contradict
/// each other.
/// Test: none yet.
inline constexpr double kRelaxed = 4.0;

/// [of the sum either is] A force on the rim, a slip of zero: both at once are a corner of the law.
/// Test: none yet.
inline constexpr double kOnRim = 1e-6;

/// [of what contacts can change] Slip and separation so many times faster are decided before the
/// rest, which then is a problem of one size; that they are is checked.
/// Test: none yet.
inline constexpr double kFastSlip = 1e3;

/// [of the largest velocity] As solutions of the LCP are accepted where rows are not judged one by
/// one.
/// Test: none yet.
inline constexpr double kSlidingResidual = 1e-10;

}  // namespace impact

}  // namespace nsmb::tolerances
