// Thresholds of the contact laws. Problems are scaled so that the largest rate or velocity and the
// entries of G are of size one. CONTRIBUTING.md describes the form and the tests of thresholds.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Limits of rounding in a row.
namespace rounding {

/// [of the terms of a row] Rounding of a sum: 64 ulps, for rows of up to some dozen contacts.
/// Test: none yet.
inline constexpr double kRow = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the largest rate] Error of a law without a residual: 64 ulps.
/// Test: none yet.
inline constexpr double kLaw = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the terms of a rate] Smaller rates count as zero, so that sticking contacts do not start to
/// slip. Residuals of solvers are a few hundred ulps.
/// Test: none yet.
inline constexpr double kNoRate = 1e-13;

/// [of √(G_aa G_bb)] Smaller entries of G are rounded zeros. Their effect is below the rounding of
/// the row.
/// Test: none yet.
inline constexpr double kCoupling = 8.0 * std::numeric_limits<double>::epsilon();

/// [of the product of the norms] Vectors with a smaller scalar product are orthogonal up to
/// rounding: 8 ulps.
/// Test: none yet.
inline constexpr double kOrthogonal = 8.0 * std::numeric_limits<double>::epsilon();

/// [of G_aa without constraints] Rows for which bilateral constraints leave less cannot be moved:
/// ten thousand ulps, for the condition of the constraints.
/// Test:
/// tests/simulation/test_unmoved_contacts.py::test_constraints_that_hold_a_body_hold_it_whole.
inline constexpr double kUnmoved = 1e-12;

}  // namespace rounding

/// Independence of rows and forces from those before them.
namespace dependence {

/// [of its diagonal entry of G] Rows with a smaller independent part count as dependent: six digits
/// above rounding.
/// Test: none yet.
inline constexpr double kIndependentRow = 1e-10;

/// [of G with rows of length one] Smaller least eigenvalues may be rounding of the pose. Forces
/// then have at most half of their digits.
/// Test: none yet.
inline constexpr double kHardlyIndependent = 1e-8;

/// [of what was subtracted] Rounding of the independent part of a row: 8 ulps.
/// Test: none yet.
inline constexpr double kPivotRounding = 8.0 * std::numeric_limits<double>::epsilon();

/// [of its effect on the rows] A force with a smaller independent effect is used only if the others
/// do not suffice: half of the digits.
/// Test: none yet.
inline constexpr double kIndependentForce = 1e-8;

/// [of its effect on the rows] Lower limit of the independent effect for masses of very different
/// size, where forces appear dependent: some hundred ulps.
/// Test: none yet.
inline constexpr double kLeastForce = 1e-13;

/// [of the larger part] Of two rows whose parts differ by less, the first is chosen, regardless of
/// rounding.
/// Test: none yet.
inline constexpr double kEqualParts = 1e-6;

/// [of the largest force] Smaller normal forces count as slight loads. Of coincident points the one
/// with more load represents all, and slightly loaded points come later. Elsewhere they are
/// independent anyway.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kSlightLoad = 1e-3;

/// [of the effect of a force, in rows of size one] A smaller remainder after subtraction of other
/// forces is rounding. Heavy bodies on light ones leave 1e-8.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kSameEffect = 1e-12;

/// [of the range of a friction force] Forces closer to a bound are at the bound.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kAtBound = 1e-9;

/// [of the largest pivot] Equations of Newton's method with smaller pivots are dependent: five
/// digits above rounding.
/// Test: none yet.
inline constexpr double kDependentEquation = 1e-11;

/// [of the largest pivot] Smaller pivots indicate dependence. Their rounding is 1e-16 times the
/// condition number of the independent rows.
/// Test: none yet.
inline constexpr double kRank = 1e-9;

/// [of the largest effect] Smaller effects of dependence on accelerations are noise of the kernel,
/// which is the rounding over the rank tolerance.
/// Test: none yet.
inline constexpr double kKernelEffect = 1e-7;

/// [of the larger solution] Solutions closer to each other are equal: residuals are 1e-9.
/// Test: none yet.
inline constexpr double kSameSolution = 1e-8;

}  // namespace dependence

/// Enumeration of the pieces of a scaled contact problem.
namespace pieces {

/// [of the impulses of well-posed problems] A proof that no solution exists must exclude impulses
/// up to this size. Masses of very different size cause large impulses, and rounding of G even
/// larger ones.
/// Test: none yet.
inline constexpr double kExcludedByProof = 1e14;

/// [of the largest pivot, of one at least] Pieces with smaller pivots are decided by nonnegative
/// least squares: five digits above rounding.
/// Test: none yet.
inline constexpr double kSingularPiece = 1e-11;

/// [of the largest impulse, of one at least] A piece missed by less is not excluded. Its solution
/// is judged with the original data.
/// Test: none yet.
inline constexpr double kNarrowMiss = 1e-8;

/// [of the largest velocity, of one at least] Accepted residual of a piece if rows are not judged
/// one by one.
/// Test: none yet.
inline constexpr double kAcceptPiece = 1e-9;

/// [a number] Largest number of pieces to be enumerated, that of six planar contacts. Enumeration
/// takes some milliseconds and is used only if Lemke's method has failed.
/// Test: none yet.
inline constexpr double kMostPieces = 4096.0;

}  // namespace pieces

/// Problems on which Lemke's method fails.
namespace without_pivots {

/// [of b] The pieces of the law are taken from a point with a smaller residual. They nearly always
/// are those of a solution, even if forces 1e8 times the usual ones leave a residual of this order.
/// Test: tests/simulation/test_heavy_on_light.py::test_a_stack_at_rest_stays_at_rest.
inline constexpr double kNear = 1e-6;

/// [of b] Allowed residual of a solution: forces 1e10 times the usual ones are known to this
/// accuracy. With more, every ray would pass.
/// Test:
/// tests/contact_laws/test_spatial_acceleration.py::test_solutions_obey_the_law_contact_by_contact.
inline constexpr double kMost = 1e-6;

}  // namespace without_pivots

/// The acceleration law.
namespace acceleration {

/// [of a diagonal entry of G] Compliance of dependent contacts in spatial systems, removed from
/// their accelerations afterwards. It is ten digits above rounding, which a smaller one would
/// amplify to a force.
/// Test: none yet.
inline constexpr double kCompliance = 1e-5;

/// [of the largest rate] Iterations end when the compliance of contacts causes less than this.
/// Test: none yet.
inline constexpr double kYielding = 1e-12;

}  // namespace acceleration

/// The impact laws.
namespace impact {

/// [of the largest velocity] An approach this slow lies in the piece of no approach, or of a fast
/// one. A solver still resolves it well.
/// Test: none yet.
inline constexpr double kSlowApproach = 1e-6;

/// [of the largest velocity] Allowed residual after extrapolation of two slow approaches to zero.
/// Test: none yet.
inline constexpr double kExtrapolated = 1e-7;

/// [of the resolution of γ_N] Relaxation of the Newton law. Errors of γ_A enter with a factor 1 + ε
/// <= 2 in each of two contradictory contacts.
/// Test: none yet.
inline constexpr double kRelaxed = 4.0;

/// [of the sum of its terms] A force this close to the rim with slip this close to zero is at a
/// corner of the law.
/// Test: none yet.
inline constexpr double kOnRim = 1e-6;

/// [of the change that contacts can cause] Slip and separation faster by this factor are decided
/// first. The rest is then a problem of one size. The decision is checked.
/// Test: none yet.
inline constexpr double kFastSlip = 1e3;

/// [of the largest velocity] Accepted residual, as for solutions of the LCP, if rows are not judged
/// one by one.
/// Test: none yet.
inline constexpr double kSlidingResidual = 1e-10;

}  // namespace impact

}  // namespace nsmb::tolerances
