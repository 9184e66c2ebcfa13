#include "nsmb/complementarity/friction_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/complementarity/enumeration.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {

std::string_view to_text(FrictionMethod method) {
  switch (method) {
    case FrictionMethod::Auto:
      return "auto";
    case FrictionMethod::Newton:
      return "newton";
    case FrictionMethod::AugmentedLagrangian:
      return "augmented lagrangian";
    case FrictionMethod::GaussSeidel:
      return "gauss-seidel";
    case FrictionMethod::Lcp:
      return "lcp";
  }
  return "unknown";
}

namespace internal {
namespace {

using namespace tolerances;

/// One call of solve_friction.
class FrictionRun {
 public:
  FrictionRun(const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
              const FrictionOptions& options, FrictionWorkspace& workspace, FrictionResult& result)
      : A_(A), b_(b), rows_(rows), options_(options), w_(workspace), result_(result) {}

  void run(const Vector* x_start);

 private:
  void prepare(const Vector* x_start);
  bool offer(FrictionMethod method);
  int limit(int fallback) const {
    return options_.max_iterations > 0 ? options_.max_iterations : fallback;
  }
  /// Return true if Auto has used up its iterations.
  bool is_exhausted() const {
    return options_.max_iterations > 0 && result_.iterations >= options_.max_iterations;
  }
  bool newton(int max_iterations, FrictionMethod method);
  bool augmented_lagrangian(int max_outer);
  bool gauss_seidel(int max_sweeps);
  bool gauss_seidel_and_newton(int max_sweeps);
  bool polygons();
  bool exact_lcp();
  bool scattered_starts();
  bool automatic();

  const ConstMatrixRef& A_;
  const ConstVectorRef& b_;
  const FrictionRows& rows_;
  const FrictionOptions& options_;
  FrictionWorkspace& w_;
  FrictionResult& result_;
  bool is_warm_ = false;
  bool reached_target_ = false;
};

void FrictionRun::prepare(const Vector* x_start) {
  const Index n = b_.size();
  w_.problem.assign(A_, b_, rows_, w_.row_is_used);
  w_.iterate.resize(n, static_cast<Index>(w_.problem.parts.size()));
  w_.newton.resize(w_.problem);
  for (Vector* v : {&w_.x, &w_.y, &w_.center, &w_.sweep_x}) v->resize(n);
  w_.x_start.setZero(n);
  is_warm_ = x_start != nullptr;
  if (is_warm_) w_.problem.to_scaled(*x_start, w_.x_start);
  w_.iterate.x = w_.x_start;

  result_.status = LcpStatus::NotRun;
  result_.x.setZero(n);
  result_.y.setZero(n);
  result_.residual = std::numeric_limits<double>::infinity();
  result_.iterations = 0;
  result_.outer_iterations = 0;
  result_.used = FrictionMethod::Auto;
}

/// Keep the iterate if it is the best so far. Return true if it solves the problem.
bool FrictionRun::offer(FrictionMethod method) {
  w_.problem.to_original(w_.iterate.x, w_.x);
  evaluate_lcp(A_, b_, w_.x, w_.y);
  const double residual =
      friction_residual_at(A_, b_, rows_, w_.x, w_.y, w_.row_is_used, options_.scale);
  if (residual < result_.residual) {
    result_.residual = residual;
    result_.x = w_.x;
    result_.y = w_.y;
    result_.used = method;
  }
  if (residual > options_.accept_residual) return false;
  result_.status = LcpStatus::Solved;
  return true;
}

/// Run Newton's method from the current iterate.
bool FrictionRun::newton(int max_iterations, FrictionMethod method) {
  NewtonOptions options{.max_iterations = max_iterations, .target = friction::kTarget};
  bool done = run_newton(w_.problem, {}, options, w_.newton, w_.iterate, result_.iterations);
  if (offer(method)) return true;
  if (!done) return false;
  // With parts of very different size the original data require a higher accuracy than the scaled
  // ones.
  reached_target_ = true;
  options.target = 0.0;
  options.max_iterations = std::min(max_iterations, 4);
  run_newton(w_.problem, {}, options, w_.newton, w_.iterate, result_.iterations);
  return offer(method);
}

/// Run (40)-(42) from the current iterate. Unless r is given, it is adapted to the inner iteration:
/// it is reduced when Newton fails and grows again when it succeeds.
bool FrictionRun::augmented_lagrangian(int max_outer) {
  const NewtonOptions options{.max_iterations = 40, .target = 0.1 * friction::kTarget};
  const Proximal proximal{&w_.newton.weight, &w_.center};
  const bool given = options_.r > 0.0;
  if (given) w_.newton.weight = w_.problem.d.array().square() / options_.r;
  double weight = friction_tuning::kFirstWeight;
  for (int outer = 0; outer < max_outer; ++outer) {
    evaluate_y(w_.problem, {}, w_.iterate);
    evaluate_projection(w_.problem.parts, w_.iterate);
    const double size = std::max(1.0, w_.iterate.x.lpNorm<Eigen::Infinity>());
    if (w_.iterate.largest <= friction::kTarget * size) break;
    w_.center = w_.iterate.x;
    if (!given) w_.newton.weight.setConstant(weight);
    ++result_.outer_iterations;
    const int before = result_.iterations;
    const bool done =
        run_newton(w_.problem, proximal, options, w_.newton, w_.iterate, result_.iterations);
    if (!w_.iterate.x.allFinite() || result_.iterations == before) break;
    if (!done) w_.iterate.x = w_.center;
    if (!done && (given || weight >= friction_tuning::kLargestWeight)) break;
    weight = done ? std::max(weight / 3.0, friction_tuning::kSmallestWeight)
                  : std::min(10.0 * weight, friction_tuning::kLargestWeight);
  }
  return offer(FrictionMethod::AugmentedLagrangian);
}

bool FrictionRun::gauss_seidel(int max_sweeps) {
  run_gauss_seidel(w_.problem, max_sweeps, friction::kSweepTarget, w_.iterate, result_.iterations);
  return offer(FrictionMethod::GaussSeidel);
}

/// Sweep on from sweep_x, then run Newton from there; sweep_x is kept for the next attempt.
bool FrictionRun::gauss_seidel_and_newton(int max_sweeps) {
  w_.iterate.x = w_.sweep_x;
  if (gauss_seidel(max_sweeps)) return true;
  if (!w_.iterate.x.allFinite()) return false;
  w_.sweep_x = w_.iterate.x;
  return newton(30, FrictionMethod::Newton);
}

/// Set the iterate to the solution of the LCP. Return true if there is one.
bool FrictionRun::polygons() {
  w_.polygons.assign(w_.problem, options_.facets);
  solve_lemke(w_.polygons.A, w_.polygons.b, {}, w_.lemke, w_.lcp);
  result_.iterations += w_.lcp.pivots;
  if (w_.lcp.status != LcpStatus::Solved) return false;
  w_.polygons.to_scaled(w_.lcp.x, w_.iterate.x);
  return true;
}

/// Try Lemke, then enumeration if the problem is small enough, which decides problems of intervals.
bool FrictionRun::exact_lcp() {
  constexpr std::size_t kLargest = 60;  // parts; larger problems only on request
  const bool asked = options_.method == FrictionMethod::Lcp;
  if (!asked && w_.problem.parts.size() > kLargest) return false;
  if (polygons() && offer(FrictionMethod::Lcp)) return true;
  const bool polish = !asked || w_.polygons.exact;
  if (polish && w_.lcp.status == LcpStatus::Solved && newton(20, FrictionMethod::Lcp)) return true;
  if (!w_.polygons.exact || w_.polygons.b.size() > options_.max_enumeration) return false;
  const EnumerationResult every =
      solve_enumeration(w_.polygons.A, w_.polygons.b, {options_.max_enumeration});
  if (every.first.status == LcpStatus::NoSolution) result_.status = LcpStatus::NoSolution;
  for (const Vector& z : every.solutions) {
    w_.polygons.to_scaled(z, w_.iterate.x);
    if (offer(FrictionMethod::Lcp) || newton(20, FrictionMethod::Lcp)) return true;
  }
  return false;
}

/// Start from deterministic points spread over several sizes of force. With large friction the
/// branches of a solution may not be reached from any start above.
bool FrictionRun::scattered_starts() {
  constexpr int kStarts = 48;
  constexpr double kGolden = 0.6180339887498949;
  double turn = 0.0;
  for (int k = 0; k < kStarts && !is_exhausted(); ++k) {
    const double size = std::exp2(k % 8 - 2);
    for (Index i = 0; i < w_.iterate.x.size(); ++i) {
      turn += kGolden;
      turn -= std::floor(turn);
      w_.iterate.x[i] = size * (2.0 * turn - 1.0);
    }
    turn += 0.1;
    if (newton(30, FrictionMethod::Newton)) return true;
  }
  return false;
}

bool FrictionRun::automatic() {
  // Most problems take fewer than ten steps; the number grows slowly with the size.
  const int steps = 30 + static_cast<int>(b_.size()) / 8;
  if (newton(steps, FrictionMethod::Newton)) return true;
  if (is_warm_ && !is_exhausted()) {
    w_.iterate.x.setZero();
    if (newton(steps, FrictionMethod::Newton)) return true;
  }
  w_.iterate.x.setZero();
  if (!is_exhausted() && augmented_lagrangian(40)) return true;
  w_.sweep_x.setZero();
  for (const int sweeps : {10, 30, 100}) {
    if (!is_exhausted() && gauss_seidel_and_newton(sweeps)) return true;
  }
  if (!is_exhausted() && exact_lcp()) return true;
  if (result_.status == LcpStatus::NoSolution) return false;
  if (scattered_starts()) return true;
  for (int k = 0; k < 4 && !is_exhausted(); ++k) {
    if (gauss_seidel_and_newton(500)) return true;
  }
  return false;
}

void FrictionRun::run(const Vector* x_start) {
  prepare(x_start);
  w_.sweep_x = w_.x_start;
  if (is_warm_ && options_.method != FrictionMethod::Lcp && offer(FrictionMethod::Auto)) return;
  bool solved = false;
  switch (options_.method) {
    case FrictionMethod::Auto:
      solved = automatic();
      break;
    case FrictionMethod::Newton:
      solved = newton(limit(100), FrictionMethod::Newton);
      break;
    case FrictionMethod::AugmentedLagrangian:
      solved = augmented_lagrangian(limit(1000));
      break;
    case FrictionMethod::GaussSeidel:
      solved = gauss_seidel(limit(5000));
      break;
    case FrictionMethod::Lcp:
      solved = exact_lcp();
      reached_target_ = w_.lcp.status == LcpStatus::Solved;
      break;
  }
  if (solved || result_.status == LcpStatus::NoSolution) return;
  result_.status = reached_target_ ? LcpStatus::Inaccurate : LcpStatus::IterationLimit;
}

}  // namespace
}  // namespace internal

void solve_friction(const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
                    const FrictionOptions& options, FrictionWorkspace& workspace,
                    FrictionResult& result, const Vector* x_start) {
  check_friction_problem(A, b, rows, workspace.row_is_used);
  if (x_start != nullptr) {
    check_size("x_start", *x_start, b.size());
    check_finite("x_start", *x_start);
  }
  if (options.max_iterations < 0) {
    reject("max_iterations", "a number >= 0", std::to_string(options.max_iterations));
  }
  if (options.facets < 4 || options.facets % 2 != 0) {
    reject("facets", "an even number >= 4", std::to_string(options.facets));
  }
  constexpr int kLargestEnumeration = 24;
  if (options.max_enumeration < 0 || options.max_enumeration > kLargestEnumeration) {
    reject("max_enumeration", "a number in [0, 24]", std::to_string(options.max_enumeration));
  }
  check_positive("accept_residual", options.accept_residual);
  constexpr double kLargest = std::numeric_limits<double>::max();
  check_range("scale", options.scale, 0.0, kLargest);
  check_range("r", options.r, 0.0, kLargest);
  internal::FrictionRun(A, b, rows, options, workspace, result).run(x_start);
}

}  // namespace nsmb
