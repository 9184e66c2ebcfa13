#include "nsmb/complementarity/mcp_path.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

/// Return the size of the i-th infinitesimal: golden-ratio sequence in [1, 2], no two equal.
double nudge_size(Index i) {
  constexpr double kGolden = 0.6180339887498949;
  const double turn = kGolden * static_cast<double>(i + 1);
  return 1.0 + turn - std::floor(turn);
}

}  // namespace

void McpPath::resize(Index n) {
  const auto size = static_cast<std::size_t>(n);
  A.resize(n, n);
  for (Vector* v :
       {&b, &lower, &upper, &x, &y, &value_, &nudge_, &nudge_rhs_, &d_, &delta_, &g_, &work_}) {
    v->resize(n);
  }
  state.resize(size);
  columns_.resize(size);
  first_state_.resize(size);
  basic_.resize(size);
  x_nonbasic_.resize(size);
  candidates_.reserve(size);
  basis_.resize(n);
  pivots = 0;
}

void McpPath::predict_state() {
  for (Index i = 0; i < n(); ++i) {
    const double z = x[i] - y[i];
    state[i] = is_fixed(i) || z <= lower[i] ? McpState::Lower
               : z >= upper[i]              ? McpState::Upper
                                            : McpState::Inside;
  }
}

bool McpPath::factorize() {
  for (Index i = 0; i < n(); ++i) {
    columns_[i] = state[i] == McpState::Inside ? McpColumn::Matrix : McpColumn::Unit;
  }
  return basis_.factorize(A, g_, columns_);
}

bool McpPath::solve_piece() {
  if (!factorize()) return false;
  const auto separate = [this] {  // y = A x + b for the moving parts of value_
    for (Index i = 0; i < n(); ++i) {
      const bool inside = state[i] == McpState::Inside;
      x[i] = inside ? value_[i] : bound_value(i);
      y[i] = inside ? 0.0 : value_[i];
    }
  };
  value_.setZero();
  for (int pass = 0; pass < 2; ++pass) {
    separate();
    work_ = b - y;
    for (Index j = 0; j < n(); ++j) {
      if (x[j] != 0.0) work_ += x[j] * A.col(j);
    }
    basis_.solve(work_);
    value_ += work_;
  }
  separate();
  return x.allFinite() && y.allFinite();
}

Index McpPath::violations(double tolerance) const {
  Index count = 0;
  for (Index i = 0; i < n(); ++i) {
    if (is_fixed(i)) continue;
    const bool inside = state[i] == McpState::Inside;
    const double slack = inside                        ? std::min(x[i] - lower[i], upper[i] - x[i])
                         : state[i] == McpState::Lower ? y[i]
                                                       : -y[i];
    if (slack < -tolerance * std::max(1.0, std::abs(inside ? x[i] : y[i]))) ++count;
  }
  return count;
}

Index McpPath::repair_state(double tolerance) {
  Index changed = 0;
  for (Index i = 0; i < n(); ++i) {
    if (is_fixed(i)) continue;
    const McpState before = state[i];
    const double slack =
        tolerance * std::max(1.0, std::abs(before == McpState::Inside ? x[i] : y[i]));
    if (before == McpState::Inside) {
      if (x[i] < lower[i] - slack) state[i] = McpState::Lower;
      if (x[i] > upper[i] + slack) state[i] = McpState::Upper;
    } else if ((before == McpState::Lower ? y[i] : -y[i]) < -slack) {
      state[i] = McpState::Inside;
    }
    changed += state[i] != before;
  }
  return changed;
}

void McpPath::clip() {
  for (Index i = 0; i < n(); ++i) {
    x[i] = std::clamp(x[i], lower[i], upper[i]);
    if (is_fixed(i)) continue;
    if (state[i] == McpState::Lower) y[i] = std::max(y[i], 0.0);
    if (state[i] == McpState::Upper) y[i] = std::min(y[i], 0.0);
    if (state[i] == McpState::Inside) y[i] = 0.0;
  }
}

void McpPath::bounds(Index variable, double& low, double& high) const {
  if (variable == 2 * n()) {
    low = s_target_;
    high = kInfinity;
  } else if (variable >= n()) {
    low = lower[variable - n()];
    high = upper[variable - n()];
  } else {
    low = !is_fixed(variable) && state[variable] == McpState::Lower ? 0.0 : -kInfinity;
    high = !is_fixed(variable) && state[variable] == McpState::Upper ? 0.0 : kInfinity;
  }
}

McpPathEnd McpPath::follow(double s_target, int max_pivots) {
  s_target_ = s_target;
  g_ = y - b;
  for (Index j = 0; j < n(); ++j) {
    if (x[j] != 0.0) g_ -= x[j] * A.col(j);
  }
  s = 1.0;
  if (!factorize()) return McpPathEnd::Singular;
  start();
  McpPathEnd end = McpPathEnd::PivotLimit;
  for (int count = 0; count < max_pivots; ++count) {
    load_column(entering_);
    basis_.solve(d_);
    delta_ = -direction_ * d_;
    Block block;
    if (!find_block(block)) {
      end = McpPathEnd::Ray;
      break;
    }
    value_ += block.theta * delta_;
    nudge_ += block.phi * delta_;
    if (block.slot < 0) {
      if (entering_ == 2 * n()) {  // s moved straight to its target
        s = s_target;
        read_point();
        return McpPathEnd::Complete;
      }
      const Index i = entering_ - n();
      const bool up = direction_ > 0.0;
      set_state(i, up ? McpState::Upper : McpState::Lower);
      entering_ = i;
      direction_ = up ? -1.0 : 1.0;
      entering_value_ = 0.0;
      entering_range_ = kInfinity;
      ++pivots;
    } else {
      const Index leaving = basic_[block.slot];
      const bool at_low = delta_[block.slot] < 0.0;
      basic_[block.slot] = entering_;
      value_[block.slot] = entering_value_ + direction_ * block.theta;
      nudge_[block.slot] = direction_ * block.phi;
      if (entering_ >= n() && entering_ < 2 * n()) x_nonbasic_[entering_ - n()] = 0;
      basis_.update(block.slot, d_);
      ++pivots;
      if (leaving == 2 * n()) {
        s = s_target;
        read_point();
        return McpPathEnd::Complete;
      }
      if (leaving < n()) {  // y reached zero, x moves away from its bound
        direction_ = state[leaving] == McpState::Lower ? 1.0 : -1.0;
        entering_value_ = bound_value(leaving);
        entering_range_ = upper[leaving] - lower[leaving];
        entering_ = leaving + n();
        set_state(leaving, McpState::Inside);
      } else {  // x reached a bound, y moves away from zero
        entering_ = leaving - n();
        direction_ = at_low ? 1.0 : -1.0;
        entering_value_ = 0.0;
        entering_range_ = kInfinity;
        x_nonbasic_[entering_] = 1;
        set_state(entering_, at_low ? McpState::Lower : McpState::Upper);
      }
    }
    if (mismatches_ == 0) {
      end = McpPathEnd::Ray;
      break;
    }
    if (basis_.updates() == McpBasis::kMaxUpdates && !refactorize()) {
      end = McpPathEnd::Ray;
      break;
    }
  }
  read_point();
  return end;
}

/// Set basic variables, their values and infinitesimals at s = 1; s enters and decreases.
void McpPath::start() {
  first_state_ = state;
  mismatches_ = 0;
  nudge_rhs_.setZero();
  for (Index i = 0; i < n(); ++i) {
    const bool inside = state[i] == McpState::Inside;
    basic_[i] = inside ? n() + i : i;
    x_nonbasic_[i] = !inside;
    value_[i] = inside ? x[i] : y[i];
    const bool from_above = inside ? x[i] >= upper[i] : state[i] == McpState::Upper;
    nudge_[i] = from_above ? -nudge_size(i) : nudge_size(i);
    if (inside) {
      nudge_rhs_ -= nudge_[i] * A.col(i);
    } else {
      nudge_rhs_[i] += nudge_[i];
    }
  }
  entering_ = 2 * n();
  direction_ = -1.0;
  entering_value_ = 1.0;
  entering_range_ = 1.0 - s_target_;
}

void McpPath::load_column(Index variable) {
  if (variable == 2 * n()) {
    d_ = -g_;
  } else if (variable >= n()) {
    d_ = -A.col(variable - n());
  } else {
    d_.setZero();
    d_[variable] = 1.0;
  }
}

/// Find where the motion of the entering variable ends. Return false if it is unlimited.
bool McpPath::find_block(Block& block) {
  const double threshold = pivoting::kPivot * std::max(1.0, delta_.lpNorm<Eigen::Infinity>());
  const auto gap = [this](Index slot) {  // the remaining range of the variable of the slot
    double low = 0.0;
    double high = 0.0;
    bounds(basic_[slot], low, high);
    return std::max(delta_[slot] < 0.0 ? value_[slot] - low : high - value_[slot], 0.0);
  };
  double smallest = entering_range_;
  candidates_.clear();
  for (Index slot = 0; slot < n(); ++slot) {
    if (!(std::abs(delta_[slot]) > threshold)) continue;
    const double ratio = gap(slot) / std::abs(delta_[slot]);
    if (!(ratio < kInfinity)) continue;
    candidates_.push_back(slot);
    smallest = std::min(smallest, ratio);
  }
  if (!(smallest < kInfinity)) return false;
  // Compared by the value that the variable would have after the step. This is free of the
  // amplification of rounding by small pivot entries.
  const auto ties = [smallest](double left, double rate) {
    return left - smallest * rate <= pivoting::kTie * std::max(1.0, smallest * rate);
  };
  const bool own = ties(entering_range_, 1.0);
  block = {-1, entering_range_, own ? 0.0 : kInfinity};
  if (own && entering_ == 2 * n()) return true;
  for (const Index slot : candidates_) {
    const double left = gap(slot);
    const double rate = std::abs(delta_[slot]);
    if (!ties(left, rate)) continue;
    const double phi = -nudge_[slot] / delta_[slot];
    // A tie that includes s ends the path, with the least loss of accuracy.
    const bool is_s = basic_[slot] == 2 * n();
    if (is_s || phi < block.phi) block = {slot, left / rate, phi};
    if (is_s) return true;
  }
  return true;
}

void McpPath::set_state(Index i, McpState value) {
  mismatches_ += (value != first_state_[i]) - (state[i] != first_state_[i]);
  state[i] = value;
}

void McpPath::read_point() {
  for (Index i = 0; i < n(); ++i) {
    x[i] = x_nonbasic_[i] ? resting_value(i) : 0.0;
    y[i] = 0.0;
  }
  for (Index slot = 0; slot < n(); ++slot) {
    const Index variable = basic_[slot];
    if (variable == 2 * n()) {
      s = value_[slot];
    } else if (variable >= n()) {
      x[variable - n()] = value_[slot];
    } else {
      y[variable] = value_[slot];
    }
  }
}

/// Assign to slot i the basic variable of pair i, and s to that of the pair without one.
bool McpPath::refactorize() {
  work_ = b;
  for (Index i = 0; i < n(); ++i) {
    columns_[i] = !x_nonbasic_[i] ? McpColumn::Matrix : McpColumn::Unit;
    basic_[i] = !x_nonbasic_[i] ? n() + i : i;
    const double rest = x_nonbasic_[i] ? resting_value(i) : 0.0;
    if (rest != 0.0) work_ += rest * A.col(i);
  }
  const Index pair = entering_ < n() ? entering_ : entering_ - n();
  columns_[pair] = McpColumn::Cover;
  basic_[pair] = 2 * n();
  if (!basis_.factorize(A, g_, columns_)) return false;
  value_ = work_;
  basis_.solve(value_);
  nudge_ = nudge_rhs_;
  basis_.solve(nudge_);
  return true;
}

}  // namespace nsmb::internal
