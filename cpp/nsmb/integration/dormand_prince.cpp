#include "nsmb/integration/dormand_prince.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/integration/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

namespace dp = dormand_prince;

constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();

/// Return Σ_j table[row][j] k_j for one component. Slope j is stored n numbers after slope j - 1.
/// The zeros of the table vanish at compile time.
template <const auto& table, int row, std::size_t... j>
double weighted_sum(const double* k, Index n, std::index_sequence<j...>) {
  double sum = 0.0;
  const auto add = [&]<std::size_t column>() {
    if constexpr (table[row][column] != 0.0) {
      sum += table[row][column] * k[static_cast<Index>(column) * n];
    }
  };
  (add.template operator()<j>(), ...);
  return sum;
}

template <const auto& table, int row>
double weighted_sum(const Matrix& slopes, Index i) {
  return weighted_sum<table, row>(slopes.data() + i, slopes.rows(),
                                  std::make_index_sequence<dp::kSlopes>());
}

}  // namespace

DormandPrince853::DormandPrince853(OdeProblem& problem, const IntegratorOptions& options)
    : problem_(problem),
      n_(problem.dimension()),
      rtol_(options.rtol),
      atol_(options.atol),
      max_step_(options.max_step),
      y_old_(Vector::Zero(n_)),
      y_(Vector::Zero(n_)),
      f_(Vector::Zero(n_)),
      control_{.h = options.initial_step},
      slopes_(Matrix::Zero(n_, dp::kSlopes)),
      y_stage_(Vector::Zero(n_)),
      y_new_(Vector::Zero(n_)) {
  dense_.y_old = dense_.f_old = Vector::Zero(n_);
  dense_.coefficients = Matrix::Zero(n_, dp::kDenseDegree);
  dense_.bend = Vector::Zero(n_);
}

void DormandPrince853::restart(double t, const ConstVectorRef& y) {
  check_finite("t", t);
  check_size("y", y, n_);
  check_finite("y", y);
  if (started_) ++statistics_.restarts;
  started_ = true;
  control_.longest = std::max(control_.longest, t_ - t_old_);
  t_ = t_old_ = t_reached_ = t;
  y_ = y;
  have_f_ = false;
}

void DormandPrince853::expect_as(const Integrator& other) {
  const auto& from = static_cast<const DormandPrince853&>(other);
  control_ = from.control_;
  control_.longest = std::max(control_.longest, from.t_ - from.t_old_);
}

void DormandPrince853::set_atol(const ConstVectorRef& atol) {
  check_size("atol", atol, n_);
  for (Index i = 0; i < n_; ++i) check_positive("atol", atol[i]);
  atol_ = atol;
}

StepStatus DormandPrince853::step(double t_stop) {
  if (!started_) reject("step", "a call after restart()", "a call before restart()");
  if (!(t_stop > t_)) reject("t_stop", "a time after t = " + to_text(t_), to_text(t_stop));
  begin_step();
  const bool starts = !have_f_;
  if (starts) {
    evaluate(t_, y_, f_);
    have_f_ = true;
    slopes_.col(0) = f_;
  }
  if (!f_.allFinite()) return fail(StepStatus::RhsNotFinite, 0.0);
  if (control_.h == 0.0) {
    control_.h = first_step(t_stop - t_);
  } else if (starts && control_.longest > 0.0) {
    // Events may have cut every step so far, so the error test has not seen a step of this length.
    const double seen = step_control::kBeyondSeen * control_.longest;
    if (control_.h > seen)
      control_.h = std::min(control_.h, std::max(seen, first_step(t_stop - t_)));
  }
  const StepStatus status = advance(t_stop, control_);
  t_reached_ = t_;
  return status;
}

/// Start a new step where the last one ended. Until it is accepted, t_old() == t().
void DormandPrince853::begin_step() {
  t_old_ = t_;
  y_old_ = y_;
  slopes_.col(0) = f_;
  dense_.ready = false;
  failure_ = StepStatus::Ok;
}

/// Return a first step size [HNW II.4, algorithm at the end of the section]. An explicit Euler step
/// moves y by about 1 %, and the error term of order 8 is small, with y'' from one trial Euler
/// step.
double DormandPrince853::first_step(double room) {
  double size = 0.0, slope = 0.0;
  for (Index i = 0; i < n_; ++i) {
    const double s = scale(i, std::abs(y_[i]));
    size += std::pow(y_[i] / s, 2);
    slope += std::pow(f_[i] / s, 2);
  }
  size = std::sqrt(size / static_cast<double>(n_));
  slope = std::sqrt(slope / static_cast<double>(n_));
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  h = std::min({h, max_step_, room});

  y_stage_ = y_ + h * f_;
  if (!evaluate(t_ + h, y_stage_, y_new_)) return h;
  double curvature = 0.0;
  for (Index i = 0; i < n_; ++i) {
    curvature += std::pow((y_new_[i] - f_[i]) / scale(i, std::abs(y_[i])), 2);
  }
  curvature = std::sqrt(curvature / static_cast<double>(n_)) / h;
  const double steepest = std::max(slope, curvature);
  const double h_order =
      steepest <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / steepest, 1.0 / 8.0);
  return std::min({100.0 * h, h_order, max_step_});
}

/// Take one accepted step from (t_old, y_old) with its first slope in column 0, not beyond t_limit.
StepStatus DormandPrince853::advance(double t_limit, StepControl& control) {
  double h = std::min(control.h, max_step_);
  bool rejected = false;
  int not_finite = 0;
  for (;;) {
    const double room = t_limit - t_old_;
    const bool reaches_limit = step_control::kStretch * h >= room;
    const double used = reaches_limit ? room : h;
    const double t_end = reaches_limit ? t_limit : t_old_ + h;
    // A limit may be arbitrarily close, but a step requested by the error test may not.
    if (!reaches_limit && used <= steps::kStepResolution * std::abs(t_old_)) {
      return fail(not_finite > 0 ? StepStatus::RhsNotFinite : StepStatus::StepTooSmall, used);
    }

    double error = attempt(used, t_end);
    if (error <= 1.0) {
      y_stage_ = y_new_;
      if (problem_.project(t_end, y_new_)) error = std::max(error, shift() / steps::kMostShift);
      if (!evaluate(t_end, y_new_, slopes_.col(dp::kStages))) error = kNotFinite;
    }
    if (!std::isfinite(error)) {
      ++statistics_.rejected;
      if (++not_finite == kTriesNotFinite) return fail(StepStatus::RhsNotFinite, used);
      h = step_control::kShrinkNotFinite * used;
      rejected = true;
      continue;
    }

    const double by_error = step_control::kSafety * std::pow(error, -step_control::kExponent);
    if (error > 1.0) {
      ++statistics_.rejected;
      h = used * std::max(by_error, step_control::kShrink);
      rejected = true;
      continue;
    }

    const double factor = std::clamp(by_error * std::pow(control.last_error, step_control::kBeta),
                                     step_control::kShrink, step_control::kGrow);
    // If all slopes vanish, the error says nothing about the next steps.
    const double most = rejected                                    ? 1.0
                        : slopes_.leftCols(dp::kStages).isZero(0.0) ? step_control::kGrowAtRest
                                                                    : step_control::kGrow;
    const double proposal = used * std::min(factor, most);
    if (used < h) {
      // The step was cut by t_limit, which says little about longer steps. Keep the size found
      // before.
      control.h = factor == step_control::kGrow ? std::max(proposal, h) : proposal;
    } else {
      control.h = proposal;
      control.last_error = std::max(error, step_control::kLeastLastError);
    }
    control.h = std::min(control.h, max_step_);
    t_ = t_end;
    y_.swap(y_new_);
    f_ = slopes_.col(dp::kStages);
    ++statistics_.steps;
    dense_.ready = false;
    return StepStatus::Ok;
  }
}

/// Compute the slopes and the end of a step of length h. Return the norm of its error, or NaN as
/// soon as a slope is not finite.
double DormandPrince853::attempt(double h, double t_end) {
  const bool finite = [&]<int... stage>(std::integer_sequence<int, stage...>) {
    return (evaluate_stage<stage + 1>(t_end, h) && ...);
  }(std::make_integer_sequence<int, dp::kStages - 1>());
  if (!finite) return kNotFinite;

  double sum5 = 0.0, sum3 = 0.0;
  for (Index i = 0; i < n_; ++i) {
    y_new_[i] = y_old_[i] + h * weighted_sum<dp::kStage, dp::kStages>(slopes_, i);
    const double s = scale(i, std::max(std::abs(y_old_[i]), std::abs(y_new_[i])));
    sum5 += std::pow(weighted_sum<dp::kError, 0>(slopes_, i) / s, 2);
    sum3 += std::pow(weighted_sum<dp::kError, 1>(slopes_, i) / s, 2);
  }
  // err = err5 · err5 / sqrt(err5² + 0.01 err3²) behaves like h^8 [HNW II.10, eq. (10.17)].
  const double mixed = sum5 + 0.01 * sum3;
  if (mixed == 0.0) return 0.0;
  return h * sum5 / std::sqrt(mixed * static_cast<double>(n_));
}

// The formula of order 5 is used, whose contribution is larger where steps get short.
Index DormandPrince853::worst_component() const {
  Index worst = -1;
  double largest = 0.0;
  for (Index i = 0; i < n_; ++i) {
    const double s = scale(i, std::max(std::abs(y_old_[i]), std::abs(y_[i])));
    const double part = std::abs(weighted_sum<dp::kError, 0>(slopes_, i)) / s;
    if (!std::isfinite(part)) return i;
    if (part > largest) {
      largest = part;
      worst = i;
    }
  }
  return worst;
}

template <int stage>
bool DormandPrince853::evaluate_stage(double t_end, double h) const {
  for (Index i = 0; i < n_; ++i) {
    y_stage_[i] = y_old_[i] + h * weighted_sum<dp::kStage, stage>(slopes_, i);
  }
  const double t = dp::kNode[stage] == 1.0 ? t_end : t_old_ + dp::kNode[stage] * h;
  return evaluate(t, y_stage_, slopes_.col(stage));
}

/// Return the shift of the end of the step by projection, in the norm of the error.
double DormandPrince853::shift() const {
  double sum = 0.0;
  for (Index i = 0; i < n_; ++i) {
    const double s = scale(i, std::max(std::abs(y_old_[i]), std::abs(y_new_[i])));
    sum += std::pow((y_new_[i] - y_stage_[i]) / s, 2);
  }
  return std::sqrt(sum / static_cast<double>(n_));
}

bool DormandPrince853::evaluate(double t, const ConstVectorRef& y, VectorRef ydot) const {
  ++statistics_.rhs_evaluations;
  problem_.rhs(t, y, ydot);
  return ydot.allFinite();
}

StepStatus DormandPrince853::redo(double t_end) {
  if (!(t_end > t_old_ && t_end <= t_reached_)) {
    reject("t_end", "a time in (" + to_text(t_old_) + ", " + to_text(t_reached_) + "]",
           to_text(t_end));
  }
  if (t_end == t_) return StepStatus::Ok;
  failure_ = StepStatus::Ok;
  const double t_start = t_old_;
  // Keep the polynomial of the step that passed its test, in case the shorter step does not pass.
  // It then still describes [t_old, t_end], bent by less than the tolerance to meet the new y.
  bool stands_by = true;
  try {
    prepare_dense_output();
  } catch (const std::domain_error&) {  // no value between the ends
    stands_by = false;
  }
  StepControl control{.h = t_end - t_old_};  // the state of control_ is kept for the next step
  StepStatus status = advance(t_end, control);
  if (status != StepStatus::Ok || t_ == t_end) return status;
  if (!stands_by) return fail(StepStatus::RhsNotFinite, t_end - t_start);
  while (t_ < t_end) {
    begin_step();
    status = advance(t_end, control);
    if (status != StepStatus::Ok) return status;
  }
  t_old_ = t_start;
  y_old_ = dense_.y_old;
  slopes_.col(0) = dense_.f_old;
  evaluate_dense_output(t_end, y_stage_);
  dense_.bend += (y_ - y_stage_) / (t_end - t_start);
  dense_.ready = true;
  return StepStatus::Ok;
}

void DormandPrince853::interpolate(double t, VectorRef y) const {
  check_size("y", y, n_);
  check_range("t", t, t_old_, t_);
  if (t == t_) {
    y = y_;
  } else if (t == t_old_) {
    y = y_old_;
  } else {
    prepare_dense_output();
    evaluate_dense_output(t, y);
  }
}

void DormandPrince853::prepare_dense_output() const {
  if (dense_.ready) return;
  const double h = t_ - t_old_;
  if (!evaluate_stage<13>(t_, h) || !evaluate_stage<14>(t_, h) || !evaluate_stage<15>(t_, h)) {
    throw std::domain_error("the right-hand side is not finite between t = " + to_text(t_old_) +
                            " and " + to_text(t_));
  }

  auto F = dense_.coefficients.array();
  const auto dy = (y_ - y_old_).array();
  F.col(0) = dy;
  F.col(1) = h * slopes_.col(0).array() - dy;
  F.col(2) = 2.0 * dy - h * (f_ + slopes_.col(0)).array();
  for (Index i = 0; i < n_; ++i) {
    F(i, 3) = h * weighted_sum<dp::kDense, 0>(slopes_, i);
    F(i, 4) = h * weighted_sum<dp::kDense, 1>(slopes_, i);
    F(i, 5) = h * weighted_sum<dp::kDense, 2>(slopes_, i);
    F(i, 6) = h * weighted_sum<dp::kDense, 3>(slopes_, i);
  }
  dense_.y_old = y_old_;
  dense_.f_old = slopes_.col(0);
  dense_.h = h;
  dense_.bend.setZero();
  dense_.ready = true;
}

/// Evaluate y_old + θ (F0 + (1-θ) (F1 + θ (F2 + (1-θ) (F3 + ...)))).
void DormandPrince853::evaluate_dense_output(double t, VectorRef y) const {
  const double theta = (t - t_old_) / dense_.h;
  y = dense_.coefficients.col(dp::kDenseDegree - 1);
  for (int j = dp::kDenseDegree - 1; j-- > 0;) {
    y = (j % 2 == 0 ? 1.0 - theta : theta) * y + dense_.coefficients.col(j);
  }
  y = dense_.y_old + theta * y + (t - t_old_) * dense_.bend;
}

StepStatus DormandPrince853::fail(StepStatus status, double h) {
  failure_ = status;
  failure_h_ = h;
  return status;
}

std::string DormandPrince853::message() const {
  switch (failure_) {
    case StepStatus::StepTooSmall:
      return "dp853: at t = " + to_text(t_) + " the error test asks for a step of " +
             to_text(failure_h_) +
             ", below the resolution of t; the motion is not smooth there, "
             "or too stiff for an explicit method, or the tolerance is below rounding";
    case StepStatus::RhsNotFinite:
      return "dp853: the right-hand side is not finite at t = " + to_text(t_) +
             (failure_h_ > 0.0 ? " or within " + to_text(failure_h_) + " after it" : "");
    default:
      return {};
  }
}

}  // namespace nsmb
