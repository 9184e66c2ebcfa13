// Thresholds of integration and root location.
// CONTRIBUTING.md describes how they are written and tested.
#pragma once

#include <limits>

namespace nsmb::tolerances {

/// Resolution of steps, and what ends a step.
namespace steps {

/// [of |t| + the last step] SUNDIALS takes |t - t_stop| < 100 ulp(|t| + |h|) for an arrival and
/// makes no step. This is twice that.
/// Test: none yet.
inline constexpr double kArrival = 200.0 * std::numeric_limits<double>::epsilon();

/// [of the time left until the stop] A longer proposal has been cut by the stop: 1 up to rounding.
/// Test: none yet.
inline constexpr double kNearlyAll = 1.0 - 1e-12;

/// [of t] Stages of a step of 10 ulp(t) are several ulp apart. In a shorter step t + c_i h is
/// noise.
/// Test: none yet.
inline constexpr double kStepResolution = 10.0 * std::numeric_limits<double>::epsilon();

/// [of the admissible error] A projection onto invariants removes the error of the step. A larger
/// projection leads to another motion.
/// Test: none yet.
inline constexpr double kMostShift = 10.0;

}  // namespace steps

/// Step sizes, PI control [HNW II.4, eq. (4.13), and IV.2, eq. (2.43c)]. They affect the number of
/// steps, while the error test decides which steps are accepted.
namespace step_control {

/// [of the longest step that passes] So few steps are rejected that longer ones do not pay.
/// Test: tuning.
inline constexpr double kSafety = 0.9;

/// [of a rejected step] Smallest factor for the next step.
/// Test: tuning.
inline constexpr double kShrink = 1.0 / 3.0;

/// [of an accepted step] Largest factor for the next step.
/// Test: tuning.
inline constexpr double kGrow = 6.0;

/// [of an accepted step] The same while all slopes vanish, where a zero error is not informative.
/// Test: tuning.
inline constexpr double kGrowAtRest = 2.0;

/// [exponent of the last error] On the woodpecker's free flight 0.04 rejects a third as many steps
/// as 0. It leaves 3/4 of the error at the same number of slopes.
/// Test: tuning.
inline constexpr double kBeta = 0.04;

/// [exponent of the error] 1/8 for the order, less the part of the PI control.
/// Test: tuning.
inline constexpr double kExponent = 1.0 / 8.0 - 0.2 * kBeta;

/// [of the admissible error] A smaller last error counts as this.
/// Test: tuning.
inline constexpr double kLeastLastError = 1e-4;

/// [of the longest step before a restart, as far as the motion went] The first step afterwards is
/// not longer, unless the slopes at its start allow it. Few runs have steps of such different
/// lengths.
/// Test: tuning,
/// tests/simulation/test_trial_steps.py::test_a_first_step_is_bounded_by_the_motion_so_far.
inline constexpr double kBeyondSeen = 1000.0;

/// [of the step] A step that would stop just short of its limit is stretched onto it.
/// Test: tuning.
inline constexpr double kStretch = 1.01;

/// [of the step] Factor after a rhs that is not finite: 16 tries reach the resolution of t.
/// Test: tuning.
inline constexpr double kShrinkNotFinite = 0.1;

/// [of the step allowed by the error test] A solver continues with the length of its last step. If
/// the stop time has cut that step to less than this, it is started anew with the allowed length.
/// Test: tuning.
inline constexpr double kCut = 0.5;

}  // namespace step_control

/// Differences for Jacobians.
namespace jacobians {

/// [of the component] ε^½, where rounding ε/h and error h are of equal size.
/// Test: tests/integration/test_sparse_newton.py::test_coloured_differences_are_the_jacobian.
inline constexpr double kIncrement = 1.5e-8;

/// [of the weighted change of y in the step, ε and n] Smallest increment, as in CVODE.
/// Test: none yet.
inline constexpr double kLeastIncrement = 1000.0;

}  // namespace jacobians

/// Use of sparse matrices, and their elimination.
namespace sparse_tuning {

/// [equations] Sparse factors pay from this size on. Below it, dense factors take less time than
/// the rest of a step.
/// Test: tuning.
inline constexpr double kLarge = 64.0;

/// [of all entries] Denser patterns fill in like dense matrices.
/// Test: tuning.
inline constexpr double kThin = 0.2;

/// [of the largest entry of the column] A larger diagonal entry stays the pivot. Other pivots
/// increase fill, smaller ones increase rounding.
/// Test: tuning.
inline constexpr double kDiagonal = 0.1;

}  // namespace sparse_tuning

/// Roots of polynomials on a step.
namespace roots {

/// [of the coefficients that are converted] Rounding of the conversion to Bernstein form: 8 ulps.
/// Test: none yet.
inline constexpr double kConversion = 8.0 * std::numeric_limits<double>::epsilon();

/// [of a root, as a part of the step] Newton's method ends with a step of 2 ulps.
/// Test: none yet.
inline constexpr double kPolished = 2.0 * std::numeric_limits<double>::epsilon();

/// [of the size of a component on the step] The last terms of a series are below rounding: a
/// quarter of an ulp.
/// Test: none yet.
inline constexpr double kLastTerms = 0.25 * std::numeric_limits<double>::epsilon();

}  // namespace roots

}  // namespace nsmb::tolerances
