// Thresholds of complementarity. Most refer to equilibrated problems, whose data are of size one.
// Format and tests: CONTRIBUTING.md.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Pivots along a path of Lemke's algorithm or of mixed problems.
namespace pivoting {

/// [of the largest entry of the column, of one at least] Smaller entries do not block and are not
/// pivots: long paths reduce their accuracy to ten digits.
/// Test: none yet.
inline constexpr double kPivot = 1e-10;

/// [of the values compared] Values closer together tie in the ratio test: rounding of some thousand
/// operations.
/// Test: none yet.
inline constexpr double kTie = 1e-12;

/// [of data of size one] A start whose bounds are violated by less is used unchanged: above
/// rounding, below any datum.
/// Test: none yet.
inline constexpr double kFeasible = 1e-12;

/// [of data of size one] Smaller pivots do not enter a start basis: half the digits remain.
/// Test: none yet.
inline constexpr double kBasisPivot = 1e-8;

/// [of the largest pivot] Smaller pivots are not preferred, however near their y is to zero: the
/// loss is three digits at most.
/// Test: none yet.
inline constexpr double kSoundPivot = 1e-3;

/// [of data of size one] Smaller pivots make a basis singular: five digits above rounding.
/// Test: none yet.
inline constexpr double kSingularBasis = 1e-11;

}  // namespace pivoting

/// Small problems without scaling.
namespace definite {

/// [of the diagonal entry] If all pivots of LDLᵀ are larger, A is certainly positive definite, and
/// ten digits remain without scaling.
/// Test: tests/complementarity/test_definite_lcp.py::test_nearly_singular_problems_are_left_alone.
inline constexpr double kDefinitePivot = 1e-6;

}  // namespace definite

/// Admissible residuals of basic solutions, equilibrated.
namespace basic_points {

/// [of the largest variable] A smaller residual counts as exact: some ulps.
/// Test: none yet.
inline constexpr double kExactPoint = 1e-14;

/// [of the largest variable] A residual that remains larger after corrections is removed by LU: the
/// available inverse has lost its digits.
/// Test: none yet.
inline constexpr double kRefinedPoint = 1e-11;

/// [of data of size one] Admissible violation at the end of a path, removed by the subsequent
/// correction: half the digits.
/// Test: none yet.
inline constexpr double kPathViolation = 1e-7;

/// [of the terms of a row] Rounding of their sum: 64 ulps.
/// Test: none yet.
inline constexpr double kRowTerms = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the largest entry of its row] Smaller pivots do not determine a start: half the digits
/// remain.
/// Test: none yet.
inline constexpr double kStartPivot = 1e-8;

/// [of the terms of y_i] A y_i that is smaller than this at the start may become zero: it changes
/// little between neighbouring problems.
/// Test: none yet.
inline constexpr double kMayVanish = 0.2;

/// [of the terms of the row] Entries of the new point that are negative, or not zero, by less are
/// rounding.
/// Test: none yet.
inline constexpr double kStartAccepted = 1e-12;

}  // namespace basic_points

/// Enumeration of all cones or pieces, equilibrated.
namespace enumeration {

/// [of the largest variable, of one at least] A cone or piece missed by less is not excluded: its
/// solution is checked with the original data.
/// Test: none yet.
inline constexpr double kCandidate = 1e-8;

/// [of data of size one] Residual of a direction along which x may move: far above rounding, below
/// visible changes.
/// Test: none yet.
inline constexpr double kContinuum = 1e-9;

/// [of the larger solution] Solutions closer together are merged: those of neighbouring cones
/// differ by rounding times a condition number.
/// Test: none yet.
inline constexpr double kSamePoint = 1e-7;

}  // namespace enumeration

/// Proofs that there is no solution.
namespace infeasibility {

/// [of the natural size of x] A feasible x must be this many times larger for a proof: the cases
/// that rounding cannot exclude are far away.
/// Test: none yet.
inline constexpr double kExcluded = 1e10;

/// [of the terms of bᵀz] bᵀz nearer to zero is no proof: b may differ by rounding from that of a
/// feasible problem.
/// Test: none yet.
inline constexpr double kNarrowDeficit = 1e-7;

/// [of a unit diagonal, per row] Negative eigenvalues of smaller magnitude are rounding.
/// Test: none yet.
inline constexpr double kSemidefinite = 1e-12;

/// [of data of size one] A smaller direction of descent is rounding.
/// Test: none yet.
inline constexpr double kDescent = 1e-12;

}  // namespace infeasibility

/// Friction discs, in variables in which diagonal blocks and b are of size one.
namespace friction {

/// [of the largest force, of one at least] Target of Newton's method and of the outer iteration:
/// some hundred ulps.
/// Test: none yet.
inline constexpr double kTarget = 1e-13;

/// [of the largest force, of one at least] Target of sweeps: they converge linearly, and each
/// further digit needs many.
/// Test: none yet.
inline constexpr double kSweepTarget = 1e-12;

/// [of the largest force, of one at least] Below this, y is recomputed instead of updated: half the
/// digits of the updates remain.
/// Test: none yet.
inline constexpr double kNearSolution = 1e-7;

/// [of the largest force, of one at least] Below this, a step without decrease is attributed to
/// rounding: dependent contacts lose five digits.
/// Test: none yet.
inline constexpr double kNewtonRounding = 1e-11;

/// [of the largest entry around it] A smaller diagonal block defines no scale: it may be the
/// rounding of a zero.
/// Test: none yet.
inline constexpr double kVanishingBlock = 1e-10;

/// [of the force] Accuracy of the solution of a single contact, some ulps: sweeps need no better.
/// Test: none yet.
inline constexpr double kExactRim = 1e-14;

/// [of diagonal blocks of one] A matrix of contacts that differs by less from its transpose is
/// symmetric except for rounding, and has a Cholesky factor.
/// Test: none yet.
inline constexpr double kAsymmetric = 1e-11;

}  // namespace friction

/// Iteration of friction discs. These numbers determine the speed and which starts lead to a
/// solution, but not which solution is accepted.
namespace friction_tuning {

/// [of ‖F‖] Levenberg term. It vanishes fast enough for quadratic convergence and makes Newton's
/// method converge from distant starts, see the README.
/// Test: tuning.
inline constexpr double kLevenbergShare = 0.02;

/// [of diagonal blocks of one] Largest Levenberg term. A larger one would turn Newton's method into
/// a gradient method.
/// Test: tuning.
inline constexpr double kLevenbergLargest = 0.1;

/// [of diagonal blocks of one] Smallest Levenberg term. It makes dependent contacts solvable.
/// Test: tuning.
inline constexpr double kLevenbergSmallest = 1e-10;

/// [of diagonal blocks of one] Smallest eigenvalue for step sizes: a part with little effect on
/// itself takes short steps.
/// Test: tuning.
inline constexpr double kLeastEigenvalue = 1e-3;

/// [of diagonal blocks of one] 1 / r at the start of the augmented Lagrangian.
/// Test: tuning.
inline constexpr double kFirstWeight = 0.01;

/// [of diagonal blocks of one] 1 / r after many successes.
/// Test: tuning.
inline constexpr double kSmallestWeight = 1e-4;

/// [of diagonal blocks of one] 1 / r after many failures.
/// Test: tuning.
inline constexpr double kLargestWeight = 1.0;

}  // namespace friction_tuning

/// The proximal point method by velocities, in variables in which diagonal blocks and b are of size
/// one: speed only.
namespace proximal_tuning {

/// [1 / diagonal blocks of one] ρ at the start from zero impulses. For smaller ρ and usual friction
/// the solution is unique.
/// Test: tuning.
inline constexpr double kCold = 10.0;

/// [1 / diagonal blocks of one] ρ at the start from swept impulses.
/// Test: tuning.
inline constexpr double kWarm = 100.0;

/// [per easy step] Growth of ρ until a step fails.
/// Test: tuning.
inline constexpr double kGrowth = 3.0;

/// [per easy step] Smallest growth, after failures.
/// Test: tuning.
inline constexpr double kSlowGrowth = 1.3;

/// [per step] Growth if Newton needs very few steps.
/// Test: tuning.
inline constexpr double kSteep = 10.0;

/// [1 / diagonal blocks of one] Largest ρ. Above it rounding changes velocities by more than 1/ρ.
/// Test: tuning.
inline constexpr double kLargest = 1e9;

/// [steps of Newton] Largest number of steps for steep growth.
/// Test: tuning.
inline constexpr int kFewSteps = 3;

/// [steps of Newton] Largest number of steps at which ρ grows.
/// Test: tuning.
inline constexpr int kEasySteps = 8;

/// [steps of Newton] With more steps ρ is reduced.
/// Test: tuning.
inline constexpr int kManySteps = 16;

/// [of the residual of the last point] Target of the inner Newton method.
/// Test: tuning.
inline constexpr double kInner = 0.1;

/// [of b] Smallest target.
/// Test: tuning.
inline constexpr double kFinest = 1e-12;

/// [of b] Largest target.
/// Test: tuning.
inline constexpr double kCoarsest = 1e-3;

/// [of the impulses, and of ρ v] Lower bound of the rounding error of F.
/// Test: tuning.
inline constexpr double kRounding = 4e-15;

/// [halvings] Largest number of halvings of a Newton step.
/// Test: tuning.
inline constexpr int kHalvings = 12;

/// [of ‖F‖] A smaller value is progress of Newton's method.
/// Test: tuning.
inline constexpr double kDecrease = 0.9;

/// [steps of Newton] After this many steps without progress it cycles between contact states.
/// Test: tuning.
inline constexpr int kIdleSteps = 3;

/// [of the residual] A smaller value is progress.
/// Test: tuning.
inline constexpr double kProgress = 0.67;

/// [of the residual] If a step leaves less, the next step uses the same ρ.
/// Test: tuning.
inline constexpr double kFast = 0.03;

/// [steps] After this many steps without progress the method stops.
/// Test: tuning.
inline constexpr int kIdle = 12;

/// [steps] Additional steps after a solution.
/// Test: tuning.
inline constexpr int kPolish = 3;

/// [of tol] No additional steps are made at a smaller residual.
/// Test: tuning.
inline constexpr double kPolished = 1e-4;

}  // namespace proximal_tuning

/// First-order methods, in variables in which diagonal blocks and b are of size one: speed only.
namespace splitting_tuning {

/// [per step] Growth of the step size of the gradient method after it was reduced.
/// Test: tuning.
inline constexpr double kStepGrowth = 1.05;

/// [of the squared displacement of the last sweep] Accelerated sweeps that move further are
/// restarted from the current point. Without the restart they diverge. With a limit below one they
/// are hardly faster than plain sweeps.
/// Test: tuning.
inline constexpr double kSweepGrowth = 1.05;

/// [of diagonal blocks of one] Penalty of ADMM at the start, which finds sticking contacts in a few
/// steps. Over-relaxation, tried from 1 to 1.8, costs more steps than it saves.
/// Test: tuning.
inline constexpr double kFirstPenalty = 1e-3;

/// [of the smaller residual] The penalty is changed if the residuals differ by more.
/// Test: tuning.
inline constexpr double kJump = 5.0;

/// [steps] Number of steps that justify a factorization.
/// Test: tuning.
inline constexpr long kStepsBetweenJumps = 10;

/// [factorizations] After these the penalty is constant, for which convergence is known.
/// Test: tuning.
inline constexpr int kMostJumps = 12;

}  // namespace splitting_tuning

/// The interior point method, in variables in which diagonal blocks and b are of size one: speed,
/// and when Newton's method takes over.
namespace interior_tuning {

/// [of the gap over the impulses of the start] Corners are rounded for smaller slips: contacts at
/// rest have no direction of slip, and sharp corners shorten the steps.
/// Test: tuning.
inline constexpr double kSmoothing = 0.01;

/// [per attempt] Growth of the smoothing. Of 400 steps of a falling arch nine tenths are solved in
/// the first attempt, all in four.
/// Test: tuning.
inline constexpr double kSmoothingGrowth = 10.0;

/// [of the distance to the boundary] Usual fraction of it.
/// Test: tuning.
inline constexpr double kOfTheWay = 0.99;

/// [of a step] An attempt whose steps are shorter is abandoned.
/// Test: tuning.
inline constexpr double kShortestStep = 1e-3;

/// [per solution] Corrections of the linear equations: one recovers the digits lost in the fronts.
/// Test: tuning.
inline constexpr int kCorrections = 1;

/// [of the first gap] Newton's method is tried below this gap.
/// Test: tuning.
inline constexpr double kFirstFinish = 1e-6;

/// [of the gap] Reduction of the gap before Newton's method is tried again.
/// Test: tuning.
inline constexpr double kBetweenFinishes = 1e-2;

}  // namespace interior_tuning

/// The order of methods for any number of contacts, measured on real problems: speed, and which of
/// them find a solution.
namespace automatic_tuning {

/// [sweeps] Enough to find most contact states.
/// Test: tuning.
inline constexpr long kFirstSweeps = 20;

/// [sweeps] Largest number before Newton's method is tried, however large its factors.
/// Test: tuning.
inline constexpr long kMostFirstSweeps = 2000;

/// [rows per sweep] Sweeps before factors are analysed: small problems are factorized quickly.
/// Test: tuning.
inline constexpr long kRowsPerSweep = 4;

/// [sweeps] Largest number before factors are analysed.
/// Test: tuning.
inline constexpr long kMostUnanalysed = 200;

/// [of the limit] Sweeps that at their current rate would need more are abandoned in favour of
/// Newton's method.
/// Test: tuning.
inline constexpr double kForesight = 2.0;

/// [steps of Newton] Cost to spend on sweeps first: the usual number of Newton steps in piles.
/// Test: tuning.
inline constexpr double kSweepShare = 8.0;

/// [products per entry of A or H] Cost of a sweep, in products of a factorization.
/// Test: tuning.
inline constexpr double kSweepWork = 10.0;

/// [products per entry of the factors] Cost of a Newton step in addition to the factorization.
/// Test: tuning.
inline constexpr double kEntryWork = 30.0;

/// [rounds] Rounds of sweeps and Newton's method, with more sweeps each.
/// Test: tuning.
inline constexpr int kSweepRounds = 3;

/// [steps] If Newton's method has not converged from swept impulses by then, a start from zero is
/// better.
/// Test: tuning.
inline constexpr int kFirstNewtonSteps = 25;

/// [steps] Newton's method needs no more after sweeps that have found the contact states.
/// Test: tuning.
inline constexpr int kSureSteps = 8;

/// [sweeps] Sweeps between two attempts of the proximal method.
/// Test: tuning.
inline constexpr long kSweepsBetween = 300;

/// [entries per row] With more entries in the factors, a Newton step costs as much as many steps of
/// ADMM.
/// Test: tuning.
inline constexpr double kHeavyFill = 100.0;

/// [steps] If ADMM converges quickly, it has done so by then.
/// Test: tuning.
inline constexpr long kFirstAdmmSteps = 100;

/// [rows] Up to this size the interior point method precedes further sweeps. Larger problems that
/// it solves are mostly also solved by sweeps, at lower cost.
/// Test: tuning.
inline constexpr long kInteriorRows = 1000;

/// [rows] Up to this size the dense solver with its polygons and enumeration is tried as a last
/// resort.
/// Test: tuning.
inline constexpr long kDenseRows = 150;

/// [steps] Limit for all its attempts together.
/// Test: tuning.
inline constexpr int kDenseIterations = 2000;

/// [rounds] Rounds of the last entries of the sequence, each longer than the previous one.
/// Test: tuning.
inline constexpr long kShares = 6;

/// [of the tolerance] A small problem with a residual below this gets one further round, even if
/// the last round has not halved it: stacks with masses a million apart.
/// Test: tuning.
inline constexpr double kNear = 4.0;

}  // namespace automatic_tuning

/// Assembly of the fronts of sparse factorizations: speed only.
namespace factorization_tuning {

/// [rows] Fronts with fewer pivots cost more in management than in elimination.
/// Test: tuning.
inline constexpr long kSmallFront = 16;

/// [of the entries] Zeros that such fronts may store.
/// Test: tuning.
inline constexpr double kZerosOfSmallFronts = 0.4;

/// [of the entries] Zeros that other fronts may store.
/// Test: tuning.
inline constexpr double kZerosOfFronts = 0.1;

}  // namespace factorization_tuning

/// Globalization of mixed problems. These numbers determine the speed and which starts lead to a
/// solution, but not which solution is accepted.
namespace mixed_tuning {

/// [of the merit, per unit of the step] Required decrease (Armijo): the usual small fraction, which
/// accepts any step that helps.
/// Test: tuning.
inline constexpr double kSufficientDecrease = 1e-4;

/// [of the merit] The same for crash steps, which are not repeated.
/// Test: tuning.
inline constexpr double kCrashDecrease = 0.1;

/// [of the merit at the checkpoint] Steps between checkpoints may increase it by this factor.
/// Test: tuning.
inline constexpr double kFreeGrowth = 10.0;

/// [of the path] A path that ends on a ray earlier is not accepted as a step.
/// Test: tuning.
inline constexpr double kShortestPath = 1e-3;

/// [of diagonals of one] Terms tried in turn where the piece of the current point is singular or no
/// step helps. The first is zero. The second vanishes with the merit, so that convergence stays
/// fast.
/// Test: tuning.
inline constexpr double kProximalTerms[] = {0.0, 1e-2, 1e-4, 1e-6, 1.0, 100.0};

/// [of diagonals of one] Lower limit of the term that vanishes with the merit: rounding of half the
/// digits.
/// Test: tuning.
inline constexpr double kSmallestProximal = 1e-8;

/// [of diagonals of one] Terms tried in turn where pieces are singular. Points are checked with the
/// original data.
/// Test: tuning.
inline constexpr double kAffineProximal[] = {1e-6, 1e-3, 1e-1};

}  // namespace mixed_tuning

}  // namespace nsmb::tolerances
