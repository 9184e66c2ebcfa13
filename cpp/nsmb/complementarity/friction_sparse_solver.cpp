#include "nsmb/complementarity/friction_sparse_solver.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "nsmb/complementarity/friction_sparse_newton.hpp"
#include "nsmb/complementarity/friction_splitting.hpp"
#include "nsmb/complementarity/friction_sweeps.hpp"
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
  SparseNewtonScratch newton;
  SplittingScratch splitting;
  Vector x;
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
  bool gauss_seidel(long max_sweeps, double stall);
  bool newton(int max_steps);
  bool automatic();
  /// Most problems take fewer than twenty; the number grows slowly with the size.
  int newton_steps() const { return 40 + static_cast<int>(std::sqrt(s_.system.rows())) * 4; }

  const SparseFrictionOptions& options_;
  SparseFrictionScratch& s_;
  FrictionJudge judge_;
  bool newton_is_ready_ = false;
};

bool SparseFrictionRun::gauss_seidel(long max_sweeps, double stall) {
  color_units(s_.system, s_.sweeps);
  const SweepOptions options{
      .max_sweeps = max_sweeps, .stall = stall, .threads = options_.threads};
  return run_sweeps(s_.system, options, judge_, s_.sweeps, s_.x);
}

bool SparseFrictionRun::newton(int max_steps) {
  const MethodClock clock(judge_.result(), SparseFrictionMethod::Newton);
  if (!newton_is_ready_) prepare_newton(s_.system, s_.newton);
  newton_is_ready_ = true;
  s_.newton.it.x = s_.x;
  if (run_sparse_newton(s_.system, {.max_steps = max_steps}, judge_, s_.newton)) {
    if (judge_.is_solved()) return true;
  }
  if (judge_.was_stopped()) return false;
  s_.newton.it.x = s_.x;
  return run_proximal_newton(s_.system, 40, judge_, s_.newton);
}

bool SparseFrictionRun::automatic() {
  if (gauss_seidel(20, 0.0) || judge_.was_stopped()) return judge_.is_solved();
  if (newton(newton_steps()) || judge_.was_stopped()) return judge_.is_solved();
  if (run_admm(s_.system, 1000, judge_, s_.splitting, s_.x) || judge_.was_stopped()) {
    return judge_.is_solved();
  }
  if (newton(newton_steps()) || judge_.was_stopped()) return judge_.is_solved();
  return gauss_seidel(20000, 0.0);
}

void SparseFrictionRun::run(const Vector* x_start) {
  s_.x.setZero(s_.system.rows());
  if (x_start != nullptr) s_.system.to_scaled(*x_start, s_.x);
  if (judge_.offer(s_.x, SparseFrictionMethod::Auto)) return;
  switch (options_.method) {
    case SparseFrictionMethod::Newton:
      newton(newton_steps());
      break;
    case SparseFrictionMethod::GaussSeidel:
      gauss_seidel(limit(10000), 0.0);
      break;
    case SparseFrictionMethod::ProjectedGradient:
      run_projected_gradient(s_.system, limit(10000), judge_, s_.splitting, s_.x);
      break;
    case SparseFrictionMethod::Admm:
      run_admm(s_.system, limit(5000), judge_, s_.splitting, s_.x);
      break;
    case SparseFrictionMethod::Dense:
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
  const Vector start = x_start != nullptr ? *x_start : Vector();  // it may be result.x
  scratch.original.assign(problem, options.measure);
  scratch.system.assign(scratch.original);
  internal::SparseFrictionRun(options, scratch, result).run(x_start != nullptr ? &start : nullptr);
}

}  // namespace nsmb
