// Integration and root location.
// How they are written and tested: CONTRIBUTING.md.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// What steps resolve and what ends one.
namespace steps {

/// [of] t| + the last step | SUNDIALS takes |t - t_stop| < 100 ulp(|t| + |h|) for an arrival and
/// makes no step: twice that.
/// Test: none yet.
inline constexpr double kArrival = 200.0 * std::numeric_limits<double>::epsilon();

/// [of what is left until the stop] A longer proposal has been cut by the stop: 1 but for rounding.
/// Test: none yet.
inline constexpr double kNearlyAll = 1.0 - 1e-12;

/// [of t] Stages of a step of 10 ulp(t) lie several ulp apart; below that t + c_i h is noise.
/// Test: none yet.
inline constexpr double kStepResolution = 10.0 * std::numeric_limits<double>::epsilon();

/// [of what the error test allows] A projection onto invariants takes back the error of the step;
/// more than this is another motion.
/// Test: none yet.
inline constexpr double kMostShift = 10.0;

}  // namespace steps

/// Sizes of steps, PI control [HNW II.4, eq. (4.13), and IV.2, eq. (2.43c)]: their number, while
/// the error test decides which are accepted.
namespace step_control {

/// [of the step that just passes] So few steps are rejected that larger ones do not pay.
/// Test: tuning.
inline constexpr double kSafety = 0.9;

/// [of a rejected step] The least factor.
/// Test: tuning.
inline constexpr double kShrink = 1.0 / 3.0;

/// [of an accepted step] The largest factor.
/// Test: tuning.
inline constexpr double kGrow = 6.0;

/// [of an accepted step] The same while all slopes vanish, where an error of zero says nothing.
/// Test: tuning.
inline constexpr double kGrowAtRest = 2.0;

/// [exponent of the last error] On the woodpecker's free flight 0.04 rejects a third as many steps
/// as 0 and leaves 3/4 of the error at the same number of slopes.
/// Test: tuning.
inline constexpr double kBeta = 0.04;

/// [exponent of the error] 1/8 of the order, but for what the PI control takes.
/// Test: tuning.
inline constexpr double kExponent = 1.0 / 8.0 - 0.2 * kBeta;

/// [of what the error test allows] A smaller last error counts as this one.
/// Test: tuning.
inline constexpr double kLeastLastError = 1e-4;

/// [of the longest step before a restart, as far as the motion went] The first step afterwards is
/// no longer, unless the slopes at its start allow it. Few runs have steps so different in length.
/// Test: tuning,
/// tests/simulation/test_trial_steps.py::test_a_first_step_is_bounded_by_the_motion_so_far.
inline constexpr double kBeyondSeen = 1000.0;

/// [of the step] A step that would stop just short of its limit is stretched onto it.
/// Test: tuning.
inline constexpr double kStretch = 1.01;

/// [of the step] After a rhs that is not finite: 16 tries, down to the resolution of t.
/// Test: tuning.
inline constexpr double kShrinkNotFinite = 0.1;

/// [of what the error test allowed] A solver goes on from the length of its last step: when the
/// stop time cut that one to less than this, it is better told to begin again with that length.
/// Test: tuning.
inline constexpr double kCut = 0.5;

}  // namespace step_control

/// Differences for Jacobians.
namespace jacobians {

/// [of the component] ε^½, where rounding ε/h and error h are alike.
/// Test: tests/integration/test_sparse_newton.py::test_coloured_differences_are_the_jacobian.
inline constexpr double kIncrement = 1.5e-8;

/// [of the weighted change of y in the step, ε and n] Least increment, as CVODE has it.
/// Test: none yet.
inline constexpr double kLeastIncrement = 1000.0;

}  // namespace jacobians

/// When sparse matrices are, and how they are eliminated.
namespace sparse_tuning {

/// [equations] From so many on it pays: below, dense factors take less than the rest of a step.
/// Test: tuning.
inline constexpr double kLarge = 64.0;

/// [of all entries] Patterns with more fill in as dense ones.
/// Test: tuning.
inline constexpr double kThin = 0.2;

/// [of the largest entry of the column] The diagonal stays the pivot while it is larger: fill grows
/// by other pivots, rounding by smaller ones.
/// Test: tuning.
inline constexpr double kDiagonal = 0.1;

}  // namespace sparse_tuning

/// Roots of polynomials on a step.
namespace roots {

/// [of the coefficients that go in] Rounding of the conversion to Bernstein form: 8 ulps.
/// Test: none yet.
inline constexpr double kConversion = 8.0 * std::numeric_limits<double>::epsilon();

/// [of a root, as a part of the step] Newton ends with a step of 2 ulps.
/// Test: none yet.
inline constexpr double kPolished = 2.0 * std::numeric_limits<double>::epsilon();

/// [of the size of a component on the step] The last terms of a series are below rounding: a
/// quarter of an ulp.
/// Test: none yet.
inline constexpr double kLastTerms = 0.25 * std::numeric_limits<double>::epsilon();

}  // namespace roots

}  // namespace nsmb::tolerances
