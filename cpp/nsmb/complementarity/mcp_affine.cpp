// One major iteration for F = A x + b: crash, path, and the fallbacks when they fail.
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/covering_vector.hpp"
#include "nsmb/complementarity/mcp.hpp"
#include "nsmb/complementarity/mcp_enumeration.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {
namespace internal {
namespace {

using namespace tolerances;

constexpr int kLongPaths = 3;  // paths at the pivot limit after which no further corners are tried
constexpr int kPatience = 3;   // crash steps without a decrease of violations

}  // namespace

/// One call of solve_mcp.
class McpRun {
 public:
  McpRun(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& lower,
         const ConstVectorRef& upper, const McpOptions& options, McpWorkspace& workspace,
         McpResult& result)
      : A_(A),
        b_(b),
        lower_(lower),
        upper_(upper),
        options_(options),
        n_(b.size()),
        w_(workspace),
        path_(workspace.path),
        result_(result) {}

  void run(const Vector* x_start);

 private:
  void prepare();
  bool predict();
  bool solve_from_prediction();
  bool crash(bool& has_piece);
  bool follow_to_solution();
  bool try_piece();
  bool try_corner(int k);
  bool try_proximal();
  bool try_lemke();
  bool try_all_pieces();
  bool offer(bool is_piece);
  double scaled_residual() const;
  double terms(Index i) const;
  int pivot_limit() const {
    return options_.max_pivots > 0 ? options_.max_pivots : 50 * static_cast<int>(n_ + 2);
  }

  const ConstMatrixRef& A_;
  const ConstVectorRef& b_;
  const ConstVectorRef& lower_;
  const ConstVectorRef& upper_;
  const McpOptions& options_;
  const Index n_;
  McpWorkspace& w_;
  McpPath& path_;
  McpResult& result_;
  bool is_proximal_ = false;  // the path has A + ε I in place of A
  bool saw_inaccurate_ = false;
  bool saw_limit_ = false;
};

void McpRun::run(const Vector* x_start) {
  w_.x.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    w_.x[i] = std::clamp(x_start != nullptr ? (*x_start)[i] : 0.0, lower_[i], upper_[i]);
  }
  prepare();
  const bool is_good_start = predict();
  bool solved = solve_from_prediction() || is_good_start;
  for (int k = 0; !solved && k < options_.max_restarts; ++k) {
    if (path_.pivots > kLongPaths * pivot_limit()) break;
    solved = try_corner(k);
  }
  solved = solved || try_proximal();
  if (!solved && options_.fall_back) solved = try_lemke() || try_all_pieces();
  result_.pivots += path_.pivots;
  if (solved) return;
  result_.status = saw_inaccurate_ ? LcpStatus::Inaccurate
                   : saw_limit_    ? LcpStatus::PivotLimit
                                   : LcpStatus::Ray;
}

void McpRun::prepare() {
  w_.row_scale.resize(n_);
  w_.column_scale.resize(n_);
  path_.resize(n_);
  equilibrate(A_, w_.equilibration, w_.row_scale, w_.column_scale);
  for (Index j = 0; j < n_; ++j) {
    path_.A.col(j).array() = A_.col(j).array() * w_.row_scale.array() * w_.column_scale[j];
  }
  path_.b.array() = b_.array() * w_.row_scale.array();
  w_.b_scale = n_ == 0 ? 1.0 : reciprocal_power_of_two(path_.b.lpNorm<Eigen::Infinity>());
  path_.b *= w_.b_scale;
  for (Index i = 0; i < n_; ++i) {
    path_.lower[i] = lower_[i] / w_.column_scale[i] * w_.b_scale;
    path_.upper[i] = upper_[i] / w_.column_scale[i] * w_.b_scale;
  }
  const auto size = static_cast<std::size_t>(n_);
  w_.best.resize(size);
  w_.earlier.resize(size);
  for (Vector* v : {&w_.F, &w_.y, &w_.x_center, &w_.b_original, &w_.lower, &w_.upper}) {
    v->resize(n_);
  }
  w_.lower = path_.lower;
  w_.upper = path_.upper;

  result_.status = LcpStatus::NotRun;
  result_.x.setConstant(n_, std::numeric_limits<double>::quiet_NaN());
  result_.F.setConstant(n_, std::numeric_limits<double>::quiet_NaN());
  result_.residual = std::numeric_limits<double>::infinity();
  result_.iterations = result_.pivots = result_.restarts = result_.evaluations = 0;
}

/// Set the piece of the start point, which is in w_.x. Return true if that point is already a
/// solution.
bool McpRun::predict() {
  evaluate_lcp(A_, b_, w_.x, w_.F);
  path_.x.array() = w_.x.array() / w_.column_scale.array() * w_.b_scale;
  path_.y.array() = w_.F.array() * w_.row_scale.array() * w_.b_scale;
  path_.predict_state();
  return offer(/*is_piece=*/false);
}

/// Crash from the current piece. If that fails, follow the path from its best piece.
bool McpRun::solve_from_prediction() {
  bool has_piece = false;
  if (crash(has_piece)) return true;
  if (!has_piece) return false;
  path_.state = w_.best;
  path_.solve_piece();
  ++result_.iterations;
  path_.clip();
  return follow_to_solution();
}

/// Make Newton steps on the pieces: every pair that violates a bound is exchanged, as long as the
/// number of violations decreases occasionally. Leaves the best piece in w_.best.
bool McpRun::crash(bool& has_piece) {
  Index fewest = n_ + 1;
  int patience = kPatience;
  for (int step = 0; step <= options_.max_crash_steps; ++step) {
    ++result_.iterations;
    if (!path_.solve_piece()) return false;
    const Index violations = path_.violations(pivoting::kFeasible);
    if (violations == 0 && try_piece()) return true;
    if (violations < fewest) {
      fewest = violations;
      w_.best = path_.state;
      has_piece = true;
      patience = kPatience;
    } else if (--patience == 0) {
      return false;
    }
    // A piece without violations is a solution, but it was not accurate enough.
    if (violations == 0 || step == options_.max_crash_steps) return false;
    w_.earlier = path_.state;
    path_.repair_state(pivoting::kFeasible);
    for (Index i = 0; i < n_; ++i) result_.pivots += path_.state[i] != w_.earlier[i];
  }
  return false;
}

bool McpRun::follow_to_solution() {
  const McpPathEnd end = path_.follow(0.0, pivot_limit());
  saw_limit_ = saw_limit_ || end == McpPathEnd::PivotLimit;
  if (end != McpPathEnd::Complete) {
    if (end != McpPathEnd::Singular) {
      path_.x = path_.x.cwiseMax(w_.lower).cwiseMin(w_.upper);
      offer(/*is_piece=*/false);
    }
    return false;
  }
  for (Index i = 0; i < n_; ++i) {  // an artificial bound is not a bound
    if ((path_.state[i] == McpState::Lower && !std::isfinite(w_.lower[i])) ||
        (path_.state[i] == McpState::Upper && !std::isfinite(w_.upper[i]))) {
      return false;
    }
  }
  path_.lower = w_.lower;
  path_.upper = w_.upper;
  ++result_.iterations;
  if (path_.solve_piece()) {
    const bool holds = path_.violations(basic_points::kPathViolation) == 0;
    if (holds && try_piece()) return true;
    path_.clip();
    if (!holds && offer(/*is_piece=*/false)) return true;
  }
  saw_inaccurate_ = saw_inaccurate_ || !is_proximal_;
  return false;
}

/// Offer the point of a solved piece without violations. In a proximal step every such point is
/// accepted.
bool McpRun::try_piece() {
  path_.clip();
  const bool solved = offer(/*is_piece=*/!is_proximal_);
  return solved || is_proximal_;
}

/// Keep path_.x if it is the best so far. Return true if it solves the problem. A point that is not
/// the solution of a piece must also have a small residual in the equilibrated problem: where b is
/// tiny, every point has a small one in the original.
bool McpRun::offer(bool is_piece) {
  for (Index i = 0; i < n_; ++i) {
    const bool at_lower = path_.x[i] == w_.lower[i];
    const bool at_upper = path_.x[i] == w_.upper[i];
    w_.x[i] = at_lower ? lower_[i]
              : at_upper
                  ? upper_[i]
                  : std::clamp(path_.x[i] * w_.column_scale[i] / w_.b_scale, lower_[i], upper_[i]);
  }
  evaluate_lcp(A_, b_, w_.x, w_.F);
  const double residual = mcp_residual(w_.F, b_, lower_, upper_, w_.x);
  const bool solved = residual <= options_.accept_residual &&
                      (is_piece || scaled_residual() <= options_.accept_residual);
  if (solved || residual < result_.residual) {
    result_.residual = residual;
    result_.x = w_.x;
    result_.F = w_.F;
  }
  if (solved) result_.status = LcpStatus::Solved;
  return solved;
}

/// Return the natural residual of w_.x in the equilibrated problem, whose b is of size one.
/// Rounding of terms far larger than b, as within very large bounds, is not counted.
double McpRun::scaled_residual() const {
  double worst = 0.0;
  for (Index i = 0; i < n_; ++i) {
    const double x = w_.x[i] / w_.column_scale[i] * w_.b_scale;
    const double F = w_.F[i] * w_.row_scale[i] * w_.b_scale;
    const double miss = std::max(std::min(F, x - w_.lower[i]), x - w_.upper[i]);
    if (!std::isfinite(miss)) return std::numeric_limits<double>::infinity();
    if (std::abs(miss) > basic_points::kRowTerms * terms(i))
      worst = std::max(worst, std::abs(miss));
  }
  return worst;
}

/// Return the sum of the absolute values of the terms of F_i, in the equilibrated problem.
double McpRun::terms(Index i) const {
  const double sum = A_.row(i).cwiseAbs().dot(w_.x.cwiseAbs());
  return (std::abs(b_[i]) + sum) * w_.row_scale[i] * w_.b_scale;
}

/// Follow a path that arrives along a ray from a corner of the bounds, as in Lemke's algorithm.
/// Infinite bounds of free variables are replaced by finite ones, from the third corner on all
/// infinite bounds. Within finite bounds the path ends at a solution, which may however lie on an
/// artificial bound.
bool McpRun::try_corner(int k) {
  ++result_.restarts;
  const double far = std::pow(10.0, 2 + 2 * (k % 4));
  const bool box_all = k >= 2;
  for (Index i = 0; i < n_; ++i) {
    const bool has_lower = std::isfinite(w_.lower[i]);
    const bool has_upper = std::isfinite(w_.upper[i]);
    const bool free = !has_lower && !has_upper;
    double& low = path_.lower[i] = w_.lower[i];
    double& high = path_.upper[i] = w_.upper[i];
    if (free || (box_all && !has_lower)) low = (has_upper ? high : 0.0) - far;
    if (free || (box_all && !has_upper)) high = (has_lower ? low : 0.0) + far;
    const bool both = low < high && has_lower == has_upper;
    const bool from_upper = both ? (k % 2 == 1) != (k >= 4 && i % 2 == 1) : has_upper && !has_lower;
    path_.state[i] = from_upper && low < high ? McpState::Upper : McpState::Lower;
    path_.x[i] = path_.state[i] == McpState::Upper ? high : low;
  }
  path_.y = path_.b;
  path_.y.noalias() += path_.A * path_.x;
  double size = 0.0;
  const auto sign = [this](Index i) { return path_.state[i] == McpState::Upper ? -1.0 : 1.0; };
  for (Index i = 0; i < n_; ++i) {
    if (path_.lower[i] == path_.upper[i]) continue;
    size = std::max(size, -sign(i) * path_.y[i] / covering_entry(k, i));
  }
  if (size == 0.0) size = 1.0;
  for (Index i = 0; i < n_; ++i) path_.y[i] += 2.0 * size * sign(i) * covering_entry(k, i);
  const bool solved = follow_to_solution();
  path_.lower = w_.lower;
  path_.upper = w_.upper;
  return solved;
}

/// Iterate x <- solution for A + ε I, b - ε x. Where A is monotone but its pieces are singular,
/// these x converge to a solution. Points are checked with the original data, so that ε cannot
/// falsify a solution.
bool McpRun::try_proximal() {
  if (options_.max_proximal_steps == 0 || n_ == 0) return false;
  w_.b_original = path_.b;
  is_proximal_ = true;
  for (const double epsilon : mixed_tuning::kAffineProximal) {
    path_.A.diagonal().array() += epsilon;
    for (Index i = 0; i < n_; ++i) w_.x_center[i] = std::clamp(0.0, w_.lower[i], w_.upper[i]);
    for (int step = 0; step < options_.max_proximal_steps; ++step) {
      path_.b = w_.b_original - epsilon * w_.x_center;
      path_.x = w_.x_center;
      path_.y = path_.b;
      path_.y.noalias() += path_.A * path_.x;
      path_.predict_state();
      if (!solve_from_prediction() || result_.status == LcpStatus::Solved) break;
      if (path_.x == w_.x_center) break;
      w_.x_center = path_.x;
    }
    path_.A.diagonal().array() -= epsilon;
    if (result_.status == LcpStatus::Solved) break;
  }
  is_proximal_ = false;
  path_.b = w_.b_original;
  return result_.status == LcpStatus::Solved;
}

/// Apply Lemke's algorithm to the equivalent LCP: x = l + p, or x = u - p, or x = p - p'. Where
/// both bounds are finite a multiplier v with 0 <= v ⟂ u - x >= 0 is added to F.
bool McpRun::try_lemke() {
  w_.lcp_variable.clear();
  w_.lcp_sign.clear();
  const auto add = [this](Index i, int sign) {
    w_.lcp_variable.push_back(i);
    w_.lcp_sign.push_back(sign);
  };
  for (Index i = 0; i < n_; ++i) {
    const bool has_lower = std::isfinite(w_.lower[i]);
    const bool has_upper = std::isfinite(w_.upper[i]);
    w_.y[i] = has_lower ? w_.lower[i] : has_upper ? w_.upper[i] : 0.0;  // x at p = 0
    if (has_lower && w_.lower[i] == w_.upper[i]) continue;
    if (has_lower || !has_upper) add(i, 1);
    if (!has_lower) add(i, -1);
    if (has_lower && has_upper) add(i, 0);
  }
  const auto size = static_cast<Index>(w_.lcp_variable.size());
  if (size == 0) return false;
  path_.y = path_.b;
  path_.y.noalias() += path_.A * w_.y;
  w_.lcp_A.setZero(size, size);
  w_.lcp_b.resize(size);
  for (Index r = 0; r < size; ++r) {
    const Index i = w_.lcp_variable[r];
    const int sign = w_.lcp_sign[r];
    w_.lcp_b[r] = sign == 0 ? w_.upper[i] - w_.lower[i] : sign * path_.y[i];
    for (Index c = 0; c < size; ++c) {
      const Index j = w_.lcp_variable[c];
      if (sign != 0 && w_.lcp_sign[c] != 0) {
        w_.lcp_A(r, c) = sign * w_.lcp_sign[c] * path_.A(i, j);
      } else if (i == j && sign != w_.lcp_sign[c]) {
        w_.lcp_A(r, c) = sign == 0 ? -1.0 : 1.0;
      }
    }
  }
  ++result_.restarts;
  LemkeOptions lemke;
  lemke.max_pivots = options_.max_pivots;
  lemke.accept_residual = options_.accept_residual;
  solve_lemke(w_.lcp_A, w_.lcp_b, lemke, w_.lemke, w_.lcp);
  result_.pivots += w_.lcp.pivots;
  if (!w_.lcp.x.allFinite()) return false;
  path_.x = w_.y;
  for (Index r = 0; r < size; ++r) {
    path_.x[w_.lcp_variable[r]] += w_.lcp_sign[r] * w_.lcp.x[r];
  }
  return offer(/*is_piece=*/false);
}

/// Enumerate the pieces if all bounds are finite and the pieces are few. Then there is a solution,
/// and one of them contains it. Allocates.
bool McpRun::try_all_pieces() {
  if (!w_.lower.allFinite() || !w_.upper.allFinite()) return false;
  const McpEnumerationResult all = solve_mcp_enumeration(A_, b_, lower_, upper_);
  if (all.first.status != LcpStatus::Solved) return false;
  path_.x.array() = all.first.x.array() / w_.column_scale.array() * w_.b_scale;
  return offer(/*is_piece=*/false);
}

}  // namespace internal

void solve_mcp(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& lower,
               const ConstVectorRef& upper, const McpOptions& options, McpWorkspace& workspace,
               McpResult& result, const Vector* x_start) {
  check_lcp(A, b);
  check_mcp_bounds(b.size(), lower, upper);
  check_mcp_options(options);
  if (x_start != nullptr) {
    check_size("x_start", *x_start, b.size());
    check_finite("x_start", *x_start);
  }
  internal::McpRun(A, b, lower, upper, options, workspace, result).run(x_start);
}

}  // namespace nsmb
