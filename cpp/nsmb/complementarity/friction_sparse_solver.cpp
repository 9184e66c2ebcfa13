#include "nsmb/complementarity/friction_sparse_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/complementarity/friction_dense.hpp"
#include "nsmb/complementarity/friction_interior.hpp"
#include "nsmb/complementarity/friction_proximal.hpp"
#include "nsmb/complementarity/friction_sparse_newton.hpp"
#include "nsmb/complementarity/friction_splitting.hpp"
#include "nsmb/complementarity/friction_sweeps.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {

std::string_view to_text(SparseFrictionMethod method) {
  switch (method) {
    case SparseFrictionMethod::Auto:
      return "auto";
    case SparseFrictionMethod::GaussSeidel:
      return "gauss-seidel";
    case SparseFrictionMethod::ProjectedGradient:
      return "projected gradient";
    case SparseFrictionMethod::Admm:
      return "admm";
    case SparseFrictionMethod::Newton:
      return "newton";
    case SparseFrictionMethod::Dense:
      return "dense";
    case SparseFrictionMethod::InteriorPoint:
      return "interior point";
  }
  return "unknown";
}

std::string_view to_text(SparseFrictionStatus status) {
  switch (status) {
    case SparseFrictionStatus::Solved:
      return "solved";
    case SparseFrictionStatus::TimeLimit:
      return "time limit";
    case SparseFrictionStatus::IterationLimit:
      return "iteration limit";
    case SparseFrictionStatus::Inaccurate:
      return "inaccurate";
    case SparseFrictionStatus::Interrupted:
      return "interrupted";
  }
  return "unknown";
}

namespace internal {

struct SparseFrictionScratch {
  OriginalFriction original;
  ContactSystem system;
  SweepScratch sweeps;
  ContactFactors factors;
  ProximalScratch proximal;
  InteriorScratch interior;
  SplittingScratch splitting;
  DenseScratch dense;
  Vector x, given, start, zero;
};

namespace {

/// One call of solve_sparse_friction.
class SparseFrictionRun {
 public:
  SparseFrictionRun(const SparseFrictionOptions& options, SparseFrictionScratch& scratch,
                    SparseFrictionResult& result)
      : options_(options), s_(scratch), judge_(s_.original, s_.system, options, result) {}

  void run(const Vector* x_start);

 private:
  long limit(long fallback) const {
    return options_.max_iterations > 0 ? options_.max_iterations : fallback;
  }
  bool gauss_seidel(long max_sweeps, bool foresees = false);
  void analyse();
  bool automatic_sweeps();
  long sweeps_worth_newton() const;
  bool dense(int max_iterations);
  bool newton(const Vector& start, int max_steps);
  bool proximal(const Vector& start, double rho);
  bool interior();
  bool admm(long max_steps);
  bool automatic();
  bool automatic_by_bodies();
  bool ends() const { return judge_.is_solved() || judge_.was_stopped(); }
  /// Most problems take fewer than twenty; the number grows slowly with the size.
  int newton_steps() const { return 40 + static_cast<int>(std::sqrt(s_.system.rows())) * 4; }

  /// Return the Newton steps after which, by bodies, the proximal method is preferable.
  int sure_steps() const {
    return suits_velocities(s_.system) ? tolerances::automatic_tuning::kSureSteps : newton_steps();
  }

  const SparseFrictionOptions& options_;
  SparseFrictionScratch& s_;
  FrictionJudge judge_;
  bool is_analysed_ = false;
  bool is_planned_ = false;
};

bool SparseFrictionRun::gauss_seidel(long max_sweeps, bool foresees) {
  if (!is_planned_) s_.sweeps.plan.assign(s_.system);
  is_planned_ = true;
  const SweepOptions options{
      .max_sweeps = max_sweeps, .foresees = foresees, .threads = options_.threads};
  run_sweeps(s_.system, options, judge_, s_.sweeps, s_.x);
  return ends();
}

void SparseFrictionRun::analyse() {
  if (!is_analysed_) s_.factors.analyse(s_.system);
  is_analysed_ = true;
}

bool SparseFrictionRun::newton(const Vector& start, int max_steps) {
  const MethodClock clock(judge_.result(), SparseFrictionMethod::Newton);
  analyse();
  SparseNewtonScratch& scratch = s_.proximal.newton;
  scratch.it.x = start;
  run_sparse_newton(s_.system, {.max_steps = max_steps}, judge_, s_.factors, scratch);
  return ends();
}

bool SparseFrictionRun::proximal(const Vector& start, double rho) {
  const MethodClock clock(judge_.result(), SparseFrictionMethod::Newton);
  analyse();
  run_proximal(s_.system, {.rho = rho}, start, judge_, s_.factors, s_.proximal);
  return ends();
}

/// Return false also if the method does not support the laws of the problem.
bool SparseFrictionRun::interior() {
  if (!suits_interior(s_.system)) return false;
  analyse();
  run_interior(s_.system, {}, judge_, s_.factors, s_.proximal, s_.interior);
  return ends();
}

bool SparseFrictionRun::admm(long max_steps) {
  analyse();
  run_admm(s_.system, max_steps, judge_, s_.factors, s_.splitting, s_.x);
  return ends();
}

bool SparseFrictionRun::dense(int max_iterations) {
  run_dense(s_.system, max_iterations, judge_, s_.dense, s_.x);
  return ends();
}

/// Return the number of sweeps that cost about as much as Newton's method until convergence.
long SparseFrictionRun::sweeps_worth_newton() const {
  namespace automatic_tuning = tolerances::automatic_tuning;
  const BlockMatrix& entries = s_.system.split ? s_.system.H : s_.system.A;
  const double sweep = automatic_tuning::kSweepWork * static_cast<double>(entries.values.size());
  const FrontalLu::Expected& factors = s_.factors.lu.expected();
  const double step =
      factors.work + automatic_tuning::kEntryWork * static_cast<double>(factors.entries);
  const double share = automatic_tuning::kSweepShare * step / std::max(sweep, 1.0);
  return std::clamp(static_cast<long>(std::min(share, 1e6)), automatic_tuning::kFirstSweeps,
                    automatic_tuning::kMostFirstSweeps);
}

/// Sweep, first a few times before factors are analysed, which costs about as much. Then sweep as
/// long as this is cheaper than Newton.
bool SparseFrictionRun::automatic_sweeps() {
  namespace automatic_tuning = tolerances::automatic_tuning;
  const long few = std::clamp(static_cast<long>(s_.system.rows()) / automatic_tuning::kRowsPerSweep,
                              automatic_tuning::kFirstSweeps, automatic_tuning::kMostUnanalysed);
  if (gauss_seidel(few, true)) return true;
  analyse();
  return gauss_seidel(sweeps_worth_newton(), true);
}

/// Continue after the first sweeps. Newton's method finishes quickly if contact states are known,
/// the proximal method if some are not. If neither makes progress there is seldom a solution.
bool SparseFrictionRun::automatic_by_bodies() {
  namespace automatic_tuning = tolerances::automatic_tuning;
  namespace proximal_tuning = tolerances::proximal_tuning;
  if (newton(s_.x, automatic_tuning::kSureSteps)) return true;
  if (proximal(s_.x, proximal_tuning::kWarm)) return true;
  for (int round = 1; round < automatic_tuning::kSweepRounds; ++round) {
    const double before = judge_.best();
    s_.system.to_scaled(judge_.result().x, s_.x);
    if (gauss_seidel(automatic_tuning::kSweepsBetween)) return true;
    if (proximal(s_.x, proximal_tuning::kCold)) return true;
    if (!(judge_.best() < proximal_tuning::kProgress * before)) break;
  }
  if (proximal(s_.zero, proximal_tuning::kCold)) return true;
  if (s_.system.rows() <= automatic_tuning::kInteriorRows && interior()) return true;
  if (s_.system.rows() > automatic_tuning::kDenseRows) return false;
  s_.x = s_.start;
  return dense(automatic_tuning::kDenseIterations);
}

/// Run the sequence of methods, with their starts and shares. Few problems get past the third
/// entry.
bool SparseFrictionRun::automatic() {
  namespace automatic_tuning = tolerances::automatic_tuning;
  s_.start = s_.x;
  const Vector& zero = s_.zero;
  s_.zero.setZero(s_.x.size());
  // Where factors of W fill, a factorization that serves many steps comes first.
  if (!s_.system.split) {
    analyse();
    const double fill = static_cast<double>(s_.factors.lu.expected().entries);
    const auto rows = static_cast<double>(s_.factors.lu.expected().rows);
    if (fill > automatic_tuning::kHeavyFill * rows) {
      if (admm(automatic_tuning::kFirstAdmmSteps)) return true;
      if (newton(s_.x, automatic_tuning::kFirstNewtonSteps)) return true;
    }
  }
  if (automatic_sweeps()) return true;
  if (suits_velocities(s_.system)) return automatic_by_bodies();
  long sweeps = sweeps_worth_newton();
  const bool dear = sweeps == automatic_tuning::kMostFirstSweeps;  // factorizations are expensive
  const int steps = automatic_tuning::kFirstNewtonSteps / (dear ? 2 : 1);
  if (newton(s_.x, steps)) return true;
  const bool is_small = s_.system.rows() <= automatic_tuning::kInteriorRows;
  if (is_small && interior()) return true;
  for (int round = 1; round < automatic_tuning::kSweepRounds; ++round, sweeps *= 2) {
    if (gauss_seidel(sweeps) || newton(s_.x, steps)) return true;
  }
  if (newton(zero, newton_steps())) return true;
  if (!is_small && interior()) return true;
  if (proximal(zero, tolerances::proximal_tuning::kCold)) return true;
  const bool is_dense = s_.system.rows() <= automatic_tuning::kDenseRows;
  if (is_dense) {
    s_.x = s_.start;
    if (dense(automatic_tuning::kDenseIterations)) return true;
  }
  for (long share = 1; share <= automatic_tuning::kShares; ++share) {
    const double before = judge_.result().residual;
    if (admm(500 * share) || newton(s_.x, newton_steps())) return true;
    s_.x = s_.start;
    if (gauss_seidel(500 * share) || newton(s_.x, newton_steps())) return true;
    if (proximal(s_.x, tolerances::proximal_tuning::kWarm)) return true;
    // Small problems on which everything has been tried are seldom solved by further rounds.
    const double residual = judge_.result().residual;
    const bool is_near = residual <= automatic_tuning::kNear * options_.tol;
    if (is_dense && !is_near && residual > 0.5 * before) return false;
  }
  return false;
}

void SparseFrictionRun::run(const Vector* x_start) {
  s_.x.setZero(s_.system.rows());
  if (x_start != nullptr) s_.system.to_scaled(*x_start, s_.x);
  if (judge_.offer(s_.x, SparseFrictionMethod::Auto)) return;
  switch (options_.method) {
    case SparseFrictionMethod::Newton:
      if (!newton(s_.x, sure_steps())) proximal(s_.x, tolerances::proximal_tuning::kCold);
      break;
    case SparseFrictionMethod::GaussSeidel:
      gauss_seidel(limit(10000));
      break;
    case SparseFrictionMethod::ProjectedGradient:
      run_projected_gradient(s_.system, limit(10000), judge_, s_.splitting, s_.x);
      break;
    case SparseFrictionMethod::Admm:
      admm(limit(5000));
      break;
    case SparseFrictionMethod::Dense:
      dense(static_cast<int>(std::min(options_.max_iterations, 1000000L)));
      break;
    case SparseFrictionMethod::InteriorPoint:
      interior();
      break;
    case SparseFrictionMethod::Auto:
      automatic();
      break;
  }
  if (judge_.is_solved() || judge_.was_stopped()) return;
  judge_.result().status = SparseFrictionStatus::IterationLimit;
}

}  // namespace
}  // namespace internal

SparseFrictionWorkspace::SparseFrictionWorkspace()
    : scratch_(std::make_unique<internal::SparseFrictionScratch>()) {}
SparseFrictionWorkspace::~SparseFrictionWorkspace() = default;
SparseFrictionWorkspace::SparseFrictionWorkspace(SparseFrictionWorkspace&&) noexcept = default;
SparseFrictionWorkspace& SparseFrictionWorkspace::operator=(SparseFrictionWorkspace&&) noexcept =
    default;

void solve_sparse_friction(const SparseFrictionProblem& problem,
                           const SparseFrictionOptions& options, SparseFrictionWorkspace& workspace,
                           SparseFrictionResult& result, const Vector* x_start) {
  check_sparse_friction(problem);
  check_measure(options.measure);
  check_positive("tol", options.tol);
  check_range("max_time", options.max_time, 0.0, std::numeric_limits<double>::max());
  if (options.max_iterations < 0) {
    reject("max_iterations", "a number >= 0", std::to_string(options.max_iterations));
  }
  if (options.threads < 1) reject("threads", "a number >= 1", std::to_string(options.threads));
  if (x_start != nullptr) {
    check_size("x_start", *x_start, problem.rows());
    check_finite("x_start", *x_start);
  }
  internal::SparseFrictionScratch& scratch = workspace.scratch();
  if (x_start != nullptr) scratch.given = *x_start;  // it may be result.x
  scratch.original.assign(problem, options.measure);
  scratch.system.assign(scratch.original);
  internal::SparseFrictionRun(options, scratch, result)
      .run(x_start != nullptr ? &scratch.given : nullptr);
}

}  // namespace nsmb
