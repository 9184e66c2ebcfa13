// Newton's method on the normal map: crash, path search, watchdog, restarts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/complementarity/mcp.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {
namespace internal {
namespace {

using namespace tolerances;

constexpr int kFreeSteps = 5;  // steps between checkpoints that may raise the merit
constexpr int kHalvings = 20;  // of the path before a step is given up

}  // namespace

/// One call of solve_mcp_nonlinear.
class McpNewton {
 public:
  McpNewton(const McpFunction& function, const ConstVectorRef& lower, const ConstVectorRef& upper,
            const McpOptions& options, McpWorkspace& workspace, McpResult& result)
      : function_(function),
        lower_(lower),
        upper_(upper),
        options_(options),
        n_(lower.size()),
        w_(workspace),
        path_(workspace.path),
        result_(result) {}

  void run(const ConstVectorRef& x_start);

 private:
  enum class Step { Taken, TakenFreely, None };

  void prepare();
  bool set_start(int attempt, const ConstVectorRef& x_start);
  bool iterate(bool with_watchdog, int max_iterations);
  void set_checkpoint();
  bool linearize();
  bool is_solved();
  void load_point(double proximal);
  double offer_path_point();
  bool crash_step();
  Step path_step(bool with_free_steps);
  McpPathEnd follow(double s_target, double proximal);
  bool evaluate(const Vector& x, Vector& F);
  void choose_y(const Vector& x, const Vector& F, Vector& y) const;
  double merit(const Vector& F, const Vector& y) const;
  void accept_trial(double value);
  int pivot_limit() const {
    return options_.max_pivots > 0 ? options_.max_pivots : 50 * static_cast<int>(n_ + 2);
  }

  const McpFunction& function_;
  const ConstVectorRef& lower_;
  const ConstVectorRef& upper_;
  const McpOptions& options_;
  const Index n_;
  McpWorkspace& w_;
  McpPath& path_;
  McpResult& result_;
  double merit_now_ = 0.0;
  double merit_check_ = 0.0;
  double reach_ = 1.0;  // longest step; shorter after a point without Jacobian
};

void McpNewton::run(const ConstVectorRef& x_start) {
  prepare();
  for (int attempt = 0; attempt <= options_.max_restarts; ++attempt) {
    const int left = options_.max_iterations - result_.iterations;
    if (left <= 0) break;
    if (attempt > 0) ++result_.restarts;
    if (!set_start(attempt, x_start)) continue;
    if (iterate(/*with_watchdog=*/attempt != 1,
                attempt < options_.max_restarts ? (left + 1) / 2 : left)) {
      result_.pivots += path_.pivots;
      return;
    }
  }
  result_.pivots += path_.pivots;
  result_.status = result_.iterations >= options_.max_iterations ? LcpStatus::IterationLimit
                                                                 : LcpStatus::Stalled;
}

void McpNewton::prepare() {
  path_.resize(n_);
  w_.J.resize(n_, n_);
  for (Vector* v : {&w_.row_scale, &w_.column_scale, &w_.x, &w_.F, &w_.y, &w_.b_original, &w_.x_now,
                    &w_.F_now, &w_.y_now, &w_.x_check, &w_.F_check, &w_.y_check, &w_.merit_scale,
                    &result_.x, &result_.F}) {
    v->resize(n_);
  }
  result_.status = LcpStatus::NotRun;
  result_.x.setConstant(std::numeric_limits<double>::quiet_NaN());
  result_.F.setConstant(std::numeric_limits<double>::quiet_NaN());
  result_.residual = kInfinity;
  result_.iterations = result_.pivots = result_.restarts = result_.evaluations = 0;
}

/// Set the start: first the given one, with and without watchdog, then others spread around it.
bool McpNewton::set_start(int attempt, const ConstVectorRef& x_start) {
  constexpr double kGolden = 0.6180339887498949;
  for (Index i = 0; i < n_; ++i) {
    const double start = std::clamp(x_start[i], lower_[i], upper_[i]);
    double x = start;
    if (attempt > 1) {
      const double turn = kGolden * static_cast<double>(attempt) * static_cast<double>(i + attempt);
      const double share = turn - std::floor(turn);
      const double reach = std::exp2(attempt - 2) * std::max(1.0, std::abs(start));
      const double low = std::max(lower_[i], start - reach);
      const double high = std::min(upper_[i], start + reach);
      x = std::clamp(low + share * (high - low), lower_[i], upper_[i]);
    }
    w_.x_now[i] = x;
  }
  const bool finite = evaluate(w_.x_now, w_.F_now);
  if (!finite && attempt == 0) {
    reject("F", "finite values at x_start", "inf or NaN. Choose another x_start.");
  }
  return finite;
}

/// Run major iterations from x_now. Return true if solved.
bool McpNewton::iterate(bool with_watchdog, int max_iterations) {
  choose_y(w_.x_now, w_.F_now, w_.y_now);
  bool is_crashing = with_watchdog;
  int crash_steps = 0;
  int free_steps = 0;
  reach_ = 1.0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    bool is_lost = false;  // return to the checkpoint
    if (!linearize()) {
      if (result_.iterations == 1) {
        reject("jacobian", "finite values at x_start", "inf or NaN. Choose another x_start.");
      }
      if (iteration == 0 || reach_ < mixed_tuning::kShortestPath) return false;
      reach_ *= 0.5;
      is_lost = true;
    } else {
      if (is_solved()) return true;
      if (iteration == 0) {
        w_.merit_scale = w_.row_scale;
        merit_now_ = merit(w_.F_now, w_.y_now);
      }
      if (iteration == 0 ||
          merit_now_ <= (1.0 - mixed_tuning::kSufficientDecrease * reach_) * merit_check_) {
        set_checkpoint();
        free_steps = 0;
        reach_ = std::min(1.0, 2.0 * reach_);
      }
      is_crashing = is_crashing && crash_steps++ < options_.max_crash_steps && crash_step();
      if (!is_crashing) {
        const bool may_rise = with_watchdog && free_steps < kFreeSteps;
        const Step step = path_step(may_rise);
        if (step == Step::None && free_steps == 0) return false;
        free_steps += step == Step::TakenFreely;
        is_lost = step == Step::None || (free_steps == kFreeSteps && merit_now_ >= merit_check_);
      }
    }
    if (is_lost) {
      w_.x_now = w_.x_check;
      w_.F_now = w_.F_check;
      w_.y_now = w_.y_check;
      merit_now_ = merit_check_;
      with_watchdog = is_crashing = false;
      free_steps = 0;
    }
  }
  return false;
}

void McpNewton::set_checkpoint() {
  w_.x_check = w_.x_now;
  w_.F_check = w_.F_now;
  w_.y_check = w_.y_now;
  merit_check_ = merit_now_;
}

/// Compute F ≈ J x + b_original at x_now and its equilibration. Return false if not finite.
bool McpNewton::linearize() {
  ++result_.iterations;
  function_.jacobian(w_.x_now, w_.J);
  if (!w_.J.allFinite()) return false;
  w_.b_original = w_.F_now;
  w_.b_original.noalias() -= w_.J * w_.x_now;
  equilibrate(w_.J, w_.row_scale, w_.column_scale);
  for (Index i = 0; i < n_; ++i) {
    path_.lower[i] = lower_[i] / w_.column_scale[i];
    path_.upper[i] = upper_[i] / w_.column_scale[i];
  }
  return true;
}

bool McpNewton::is_solved() {
  w_.y = kMcpNonlinearScale * w_.b_original;
  const double residual = mcp_residual(w_.F_now, w_.y, lower_, upper_, w_.x_now);
  const bool solved = residual <= options_.accept_residual;
  if (solved || !(residual >= result_.residual)) {
    result_.residual = residual;
    result_.x = w_.x_now;
    result_.F = w_.F_now;
  }
  if (solved) result_.status = LcpStatus::Solved;
  return solved;
}

/// Load the linearization with proximal term, point and piece of x_now.
void McpNewton::load_point(double proximal) {
  for (Index j = 0; j < n_; ++j) {
    path_.A.col(j).array() = w_.J.col(j).array() * w_.row_scale.array() * w_.column_scale[j];
  }
  path_.x = w_.x_now.cwiseQuotient(w_.column_scale);
  path_.y = w_.y_now.cwiseProduct(w_.row_scale);
  path_.b = w_.b_original.cwiseProduct(w_.row_scale) - proximal * path_.x;
  path_.A.diagonal().array() += proximal;
  for (Index i = 0; i < n_; ++i) {
    path_.state[i] = w_.x_now[i] == lower_[i]   ? McpState::Lower
                     : w_.x_now[i] == upper_[i] ? McpState::Upper
                                                : McpState::Inside;
  }
}

/// Take path_.x as the trial point and return its merit; inf where F is not finite.
double McpNewton::offer_path_point() {
  for (Index i = 0; i < n_; ++i) {
    const bool at_lower = path_.x[i] == path_.lower[i];
    const bool at_upper = path_.x[i] == path_.upper[i];
    w_.x[i] = at_lower   ? lower_[i]
              : at_upper ? upper_[i]
                         : std::clamp(path_.x[i] * w_.column_scale[i], lower_[i], upper_[i]);
  }
  if (!w_.x.allFinite() || !evaluate(w_.x, w_.F)) return kInfinity;
  choose_y(w_.x, w_.F, w_.y);
  return merit(w_.F, w_.y);
}

/// Make a projected Newton step on the piece that x - F(x) predicts. Return false if the decrease
/// is insufficient.
bool McpNewton::crash_step() {
  load_point(0.0);
  path_.y = w_.F_now.cwiseProduct(w_.row_scale);
  path_.predict_state();
  if (!path_.solve_piece()) return false;
  path_.clip();
  const double value = offer_path_point();
  if (!(value <= (1.0 - mixed_tuning::kCrashDecrease) * merit_now_)) return false;
  accept_trial(value);
  return true;
}

McpPathEnd McpNewton::follow(double s_target, double proximal) {
  load_point(proximal);
  return path_.follow(s_target, pivot_limit());
}

/// Move to the Newton point, or to the point along the path towards it that lowers the merit.
McpNewton::Step McpNewton::path_step(bool with_free_steps) {
  for (double proximal : mixed_tuning::kProximalTerms) {
    if (proximal == mixed_tuning::kProximalTerms[1]) {
      proximal = std::clamp(proximal * merit_now_, mixed_tuning::kSmallestProximal, proximal);
    }
    const McpPathEnd end = follow(1.0 - reach_, proximal);
    if (end == McpPathEnd::Singular) continue;
    double t = end == McpPathEnd::Complete ? reach_ : 1.0 - path_.s;
    if (t < std::min(mixed_tuning::kShortestPath, reach_)) continue;
    const double value = offer_path_point();
    if (value <= (1.0 - mixed_tuning::kSufficientDecrease * t) * merit_now_) {
      accept_trial(value);
      return Step::Taken;
    }
    if (with_free_steps && value <= mixed_tuning::kFreeGrowth * merit_check_) {
      accept_trial(value);
      return Step::TakenFreely;
    }
    for (int halving = 0; halving < kHalvings; ++halving) {
      t *= 0.5;
      if (follow(1.0 - t, proximal) != McpPathEnd::Complete) break;
      const double part = offer_path_point();
      if (part <= (1.0 - mixed_tuning::kSufficientDecrease * t) * merit_now_) {
        accept_trial(part);
        return Step::Taken;
      }
    }
  }
  return Step::None;
}

bool McpNewton::evaluate(const Vector& x, Vector& F) {
  ++result_.evaluations;
  function_.value(x, F);
  return F.allFinite();
}

/// Set y to the point that is complementary to x and nearest to F.
void McpNewton::choose_y(const Vector& x, const Vector& F, Vector& y) const {
  for (Index i = 0; i < n_; ++i) {
    const double low = x[i] == upper_[i] ? -kInfinity : 0.0;
    const double high = x[i] == lower_[i] ? kInfinity : 0.0;
    y[i] = std::clamp(F[i], low, high);
  }
}

double McpNewton::merit(const Vector& F, const Vector& y) const {
  return ((F - y).array() * w_.merit_scale.array()).matrix().norm();
}

void McpNewton::accept_trial(double value) {
  w_.x_now = w_.x;
  w_.F_now = w_.F;
  w_.y_now = w_.y;
  merit_now_ = value;
}

}  // namespace internal

void solve_mcp_nonlinear(const McpFunction& function, const ConstVectorRef& lower,
                         const ConstVectorRef& upper, const ConstVectorRef& x_start,
                         const McpOptions& options, McpWorkspace& workspace, McpResult& result) {
  if (!function.value) reject("F", "a function of x", "none");
  if (!function.jacobian) reject("jacobian", "a function of x", "none");
  check_mcp_bounds(x_start.size(), lower, upper);
  check_finite("x_start", x_start);
  check_mcp_options(options);
  internal::McpNewton(function, lower, upper, options, workspace, result).run(x_start);
}

}  // namespace nsmb
