// Complementarity. Most refer to equilibrated problems, whose data are of size one.
// How they are written and tested: CONTRIBUTING.md.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Pivots along a path, of Lemke's algorithm and of mixed problems.
namespace pivoting {

/// [of the largest entry of the column, of one at least] Smaller entries do not block and are no
/// pivots: long paths leave them ten digits.
/// Test: none yet.
inline constexpr double kPivot = 1e-10;

/// [of the values compared] Values closer together tie in the ratio test: the rounding of some
/// thousand operations.
/// Test: none yet.
inline constexpr double kTie = 1e-12;

/// [of data of size one] A start with less violated bounds is taken as it is: above rounding, below
/// any datum.
/// Test: none yet.
inline constexpr double kFeasible = 1e-12;

/// [of data of size one] Smaller pivots do not lead into a start basis: half the digits are left.
/// Test: none yet.
inline constexpr double kBasisPivot = 1e-8;

/// [of the largest pivot] Smaller ones are not preferred, however near their y is to zero: costs
/// three digits at most.
/// Test: none yet.
inline constexpr double kSoundPivot = 1e-3;

/// [of data of size one] Smaller pivots make a basis singular: five digits above rounding.
/// Test: none yet.
inline constexpr double kSingularBasis = 1e-11;

}  // namespace pivoting

/// Small problems without scaling.
namespace definite {

/// [of the diagonal entry] A pivot of LDLᵀ above it: A is positive definite beyond doubt, and ten
/// digits are left without scaling.
/// Test: tests/complementarity/test_definite_lcp.py::test_nearly_singular_problems_are_left_alone.
inline constexpr double kDefinitePivot = 1e-6;

}  // namespace definite

/// What a basic solution may leave of its equations, equilibrated.
namespace basic_points {

/// [of the largest variable] A smaller defect is as good as exact: some ulps.
/// Test: none yet.
inline constexpr double kExactPoint = 1e-14;

/// [of the largest variable] What stays above after corrections is solved anew by LU: the inverse
/// at hand has lost its digits.
/// Test: none yet.
inline constexpr double kRefinedPoint = 1e-11;

/// [of data of size one] What a finished path may violate, for the correction behind it to take
/// back: half the digits.
/// Test: none yet.
inline constexpr double kPathViolation = 1e-7;

/// [of the terms of a row] What summing may leave of them: 64 ulps.
/// Test: none yet.
inline constexpr double kRowTerms = 64.0 * std::numeric_limits<double>::epsilon();

/// [of the largest entry of its row] Smaller pivots do not determine a start: half the digits are
/// left.
/// Test: none yet.
inline constexpr double kStartPivot = 1e-8;

/// [of the terms of y_i] A y_i at the start below this part may become zero: neighbouring problems
/// move it little.
/// Test: none yet.
inline constexpr double kMayVanish = 0.2;

/// [of the terms of the row] Entries of the new point that are negative, or not zero, by less are
/// rounding.
/// Test: none yet.
inline constexpr double kStartAccepted = 1e-12;

}  // namespace basic_points

/// All cones or pieces, equilibrated.
namespace enumeration {

/// [of the largest variable, of one at least] A cone or piece missed by less is not ruled out: its
/// solution is judged by the original data.
/// Test: none yet.
inline constexpr double kCandidate = 1e-8;

/// [of data of size one] Residual of a direction along which x may move: far above rounding, below
/// what is seen.
/// Test: none yet.
inline constexpr double kContinuum = 1e-9;

/// [of the larger solution] Solutions closer together are one: those of neighbouring cones differ
/// by rounding times a condition.
/// Test: none yet.
inline constexpr double kSamePoint = 1e-7;

}  // namespace enumeration

/// Proofs that there is no solution.
namespace infeasibility {

/// [of the natural size of x] A feasible x must be so many times larger for a proof: what rounding
/// cannot rule out is far away.
/// Test: none yet.
inline constexpr double kExcluded = 1e10;

/// [of the terms of bᵀz] bᵀz nearer to zero is no proof: b may be the rounding of a feasible one.
/// Test: none yet.
inline constexpr double kNarrowDeficit = 1e-7;

/// [of a diagonal of ones, per row] Negative eigenvalues down to this are rounding.
/// Test: none yet.
inline constexpr double kSemidefinite = 1e-12;

/// [of data of size one] A smaller direction of descent is rounding.
/// Test: none yet.
inline constexpr double kDescent = 1e-12;

}  // namespace infeasibility

/// Friction discs, in variables in which diagonal blocks and b are of size one.
namespace friction {

/// [of the largest force, of one at least] Newton and the outer iteration stop here: some hundred
/// ulps.
/// Test: none yet.
inline constexpr double kTarget = 1e-13;

/// [of the largest force, of one at least] Sweeps stop here: they converge linearly, and one digit
/// costs many.
/// Test: none yet.
inline constexpr double kSweepTarget = 1e-12;

/// [of the largest force, of one at least] From here on y is computed and not carried along: half
/// the digits of the updates are left.
/// Test: none yet.
inline constexpr double kNearSolution = 1e-7;

/// [of the largest force, of one at least] From here on a step that does not help is rounding:
/// dependent contacts cost five digits.
/// Test: none yet.
inline constexpr double kNewtonRounding = 1e-11;

/// [of the largest entry around it] A smaller diagonal block gives no scale of its own: it may be
/// the rounding of a zero.
/// Test: none yet.
inline constexpr double kVanishingBlock = 1e-10;

/// [of the force] One contact alone is solved to some ulps: sweeps need no better, and stop there.
/// Test: none yet.
inline constexpr double kExactRim = 1e-14;

/// [of diagonal blocks of one] A matrix of contacts that differs by less from its transpose is
/// symmetric but for rounding, and has a Cholesky factor.
/// Test: none yet.
inline constexpr double kAsymmetric = 1e-11;

}  // namespace friction

/// How friction discs are iterated: speed, and which starts lead to a solution, but not which one
/// is accepted.
namespace friction_tuning {

/// [of ‖F‖] Levenberg term, which vanishes fast enough for quadratic convergence and carries Newton
/// through far starts; see the README.
/// Test: tuning.
inline constexpr double kLevenbergShare = 0.02;

/// [of diagonal blocks of one] More would be a gradient method.
/// Test: tuning.
inline constexpr double kLevenbergLargest = 0.1;

/// [of diagonal blocks of one] Makes dependent contacts solvable.
/// Test: tuning.
inline constexpr double kLevenbergSmallest = 1e-10;

/// [of diagonal blocks of one] A part that hardly moves itself takes short steps.
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
/// one: speed alone.
namespace proximal_tuning {

/// [1 / diagonal blocks of one] ρ at the start from no impulses: there is one solution with less,
/// for usual friction.
/// Test: tuning.
inline constexpr double kCold = 10.0;

/// [1 / diagonal blocks of one] ρ at the start from swept impulses.
/// Test: tuning.
inline constexpr double kWarm = 100.0;

/// [per easy step] Growth of ρ, until a step fails.
/// Test: tuning.
inline constexpr double kGrowth = 3.0;

/// [per easy step] The least one, after failures.
/// Test: tuning.
inline constexpr double kSlowGrowth = 1.3;

/// [per step] Growth where Newton has next to nothing to do.
/// Test: tuning.
inline constexpr double kSteep = 10.0;

/// [1 / diagonal blocks of one] Above, rounding leaves more of velocities than 1/ρ.
/// Test: tuning.
inline constexpr double kLargest = 1e9;

/// [steps of Newton] With so few there is next to nothing to do.
/// Test: tuning.
inline constexpr int kFewSteps = 3;

/// [steps of Newton] With so few ρ grows.
/// Test: tuning.
inline constexpr int kEasySteps = 8;

/// [steps of Newton] With more ρ falls.
/// Test: tuning.
inline constexpr int kManySteps = 16;

/// [of the residual of the last point] What Newton's method may leave of its equations.
/// Test: tuning.
inline constexpr double kInner = 0.1;

/// [of b] The least of that.
/// Test: tuning.
inline constexpr double kFinest = 1e-12;

/// [of b] The most of that.
/// Test: tuning.
inline constexpr double kCoarsest = 1e-3;

/// [of the impulses, and of ρ v] What rounding leaves of F at least.
/// Test: tuning.
inline constexpr double kRounding = 4e-15;

/// [halvings] Of a step of Newton.
/// Test: tuning.
inline constexpr int kHalvings = 12;

/// [of ‖F‖] Less is progress of Newton's method.
/// Test: tuning.
inline constexpr double kDecrease = 0.9;

/// [steps of Newton] After so many without progress it goes round between contact states.
/// Test: tuning.
inline constexpr int kIdleSteps = 3;

/// [of the residual] Less is progress.
/// Test: tuning.
inline constexpr double kProgress = 0.67;

/// [of the residual] A step that leaves less is followed by others with its ρ.
/// Test: tuning.
inline constexpr double kFast = 0.03;

/// [steps] After so many without progress there is none to come.
/// Test: tuning.
inline constexpr int kIdle = 12;

/// [steps] After a solution.
/// Test: tuning.
inline constexpr int kPolish = 3;

/// [of tol] A residual that needs none of these.
/// Test: tuning.
inline constexpr double kPolished = 1e-4;

}  // namespace proximal_tuning

/// First-order methods, in variables in which diagonal blocks and b are of size one: speed alone.
namespace splitting_tuning {

/// [per step] The step of the gradient may grow again after a steep place.
/// Test: tuning.
inline constexpr double kStepGrowth = 1.05;

/// [of the square of the way of the sweep before] Accelerated sweeps that go further begin anew
/// from where they are: without that they run away, with less than one they are hardly faster than
/// plain ones.
/// Test: tuning.
inline constexpr double kSweepGrowth = 1.05;

/// [of diagonal blocks of one] Penalty of ADMM at the start: what sticks is found in a few steps;
/// over-relaxation, tried from 1 to 1.8, costs more steps than it saves.
/// Test: tuning.
inline constexpr double kFirstPenalty = 1e-3;

/// [of the smaller residual] Residuals that differ by more make the penalty jump.
/// Test: tuning.
inline constexpr double kJump = 5.0;

/// [steps] A factorization pays after some.
/// Test: tuning.
inline constexpr long kStepsBetweenJumps = 10;

/// [factorizations] Then the penalty stays, and the method converges as it is known to.
/// Test: tuning.
inline constexpr int kMostJumps = 12;

}  // namespace splitting_tuning

/// The interior point method, in variables in which diagonal blocks and b are of size one: speed,
/// and where Newton takes over.
namespace interior_tuning {

/// [of the gap over the impulses of the start] Slips below it have a rounded corner: contacts at
/// rest have no direction of slip, and sharp corners make steps short.
/// Test: tuning.
inline constexpr double kSmoothing = 0.01;

/// [per attempt] Of the smoothing: of 400 steps of a falling arch nine tenths end with the first,
/// all with four.
/// Test: tuning.
inline constexpr double kSmoothingGrowth = 10.0;

/// [of the way to the boundary] The usual part of it.
/// Test: tuning.
inline constexpr double kOfTheWay = 0.99;

/// [of a step] What gets no further than that does not come to an end.
/// Test: tuning.
inline constexpr double kShortestStep = 1e-3;

/// [per solution] Of linear equations: one gives back the digits that fronts have lost.
/// Test: tuning.
inline constexpr int kCorrections = 1;

/// [of the first gap] Newton is tried from there on.
/// Test: tuning.
inline constexpr double kFirstFinish = 1e-6;

/// [of the gap] Before Newton is tried again.
/// Test: tuning.
inline constexpr double kBetweenFinishes = 1e-2;

}  // namespace interior_tuning

/// The order of methods for contacts in any number, measured on real problems: speed, and which of
/// them find a solution.
namespace automatic_tuning {

/// [sweeps] Enough to find most contact states.
/// Test: tuning.
inline constexpr long kFirstSweeps = 20;

/// [sweeps] No more before Newton is tried, however large its factors.
/// Test: tuning.
inline constexpr long kMostFirstSweeps = 2000;

/// [rows per sweep] Sweeps before factors are looked at: what is small is soon factorized.
/// Test: tuning.
inline constexpr long kRowsPerSweep = 4;

/// [sweeps] No more before factors are looked at.
/// Test: tuning.
inline constexpr long kMostUnanalysed = 200;

/// [of the limit] Sweeps that would need more at their pace make way for Newton.
/// Test: tuning.
inline constexpr double kForesight = 2.0;

/// [steps of Newton] Worth spending on sweeps first: so many it takes in piles.
/// Test: tuning.
inline constexpr double kSweepShare = 8.0;

/// [products per entry of A or H] What a sweep costs, in products of a factorization.
/// Test: tuning.
inline constexpr double kSweepWork = 10.0;

/// [products per entry of the factors] What a step of Newton costs beside the factorization.
/// Test: tuning.
inline constexpr double kEntryWork = 30.0;

/// [rounds] Of sweeps and Newton, with more sweeps each.
/// Test: tuning.
inline constexpr int kSweepRounds = 3;

/// [steps] Newton that does not converge by then from swept impulses does better from none.
/// Test: tuning.
inline constexpr int kFirstNewtonSteps = 25;

/// [steps] Newton behind sweeps that have found the contact states takes no more.
/// Test: tuning.
inline constexpr int kSureSteps = 8;

/// [sweeps] Between two attempts of the proximal method.
/// Test: tuning.
inline constexpr long kSweepsBetween = 300;

/// [entries per row] Factors with more make a step of Newton cost many of ADMM.
/// Test: tuning.
inline constexpr double kHeavyFill = 100.0;

/// [steps] ADMM that is going to converge soon has done so by then.
/// Test: tuning.
inline constexpr long kFirstAdmmSteps = 100;

/// [rows] Up to here the interior point method comes before more sweeps; larger problems that it
/// solves are mostly solved by these, too, for less.
/// Test: tuning.
inline constexpr long kInteriorRows = 1000;

/// [rows] Up to here the dense solver with its polygons and enumeration is asked before giving up.
/// Test: tuning.
inline constexpr long kDenseRows = 150;

/// [steps] Of all its attempts.
/// Test: tuning.
inline constexpr int kDenseIterations = 2000;

/// [rounds] Of the last rows of the table, each longer than the one before.
/// Test: tuning.
inline constexpr long kShares = 6;

/// [of the tolerance] What is left of a small problem when one share more may still solve it though
/// the last one has not halved it: stacks with masses a million apart. Test: tuning.
inline constexpr double kNear = 4.0;

}  // namespace automatic_tuning

/// How fronts of sparse factorizations are put together: speed alone.
namespace factorization_tuning {

/// [rows] Fronts with fewer pivots cost more to look after than to eliminate.
/// Test: tuning.
inline constexpr long kSmallFront = 16;

/// [of the entries] Zeros that such fronts may store.
/// Test: tuning.
inline constexpr double kZerosOfSmallFronts = 0.4;

/// [of the entries] Zeros that others may store.
/// Test: tuning.
inline constexpr double kZerosOfFronts = 0.1;

}  // namespace factorization_tuning

/// Globalization of mixed problems: speed, and which starts lead to a solution, but not which one
/// is accepted.
namespace mixed_tuning {

/// [of the merit, per unit of the step] Decrease asked of a step (Armijo): the usual small share,
/// which takes any step that helps.
/// Test: tuning.
inline constexpr double kSufficientDecrease = 1e-4;

/// [of the merit] The same for crash steps, which are not repeated.
/// Test: tuning.
inline constexpr double kCrashDecrease = 0.1;

/// [of the merit at the checkpoint] Steps between checkpoints may raise it by this factor.
/// Test: tuning.
inline constexpr double kFreeGrowth = 10.0;

/// [of the path] A path that ends on a ray earlier is no step.
/// Test: tuning.
inline constexpr double kShortestPath = 1e-3;

/// [of diagonals of one] Tried where the piece of the current point is singular or no step helps:
/// none, one that vanishes with the merit, so that convergence stays fast, then these.
/// Test: tuning.
inline constexpr double kProximalTerms[] = {0.0, 1e-2, 1e-4, 1e-6, 1.0, 100.0};

/// [of diagonals of one] The one that vanishes with the merit is no smaller: rounding of half the
/// digits.
/// Test: tuning.
inline constexpr double kSmallestProximal = 1e-8;

/// [of diagonals of one] Tried in turn where pieces are singular; points are judged by the original
/// data.
/// Test: tuning.
inline constexpr double kAffineProximal[] = {1e-6, 1e-3, 1e-1};

}  // namespace mixed_tuning

}  // namespace nsmb::tolerances
