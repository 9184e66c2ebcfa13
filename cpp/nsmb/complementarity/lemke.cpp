#include "nsmb/complementarity/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {
namespace internal {
namespace {

// Tolerances refer to the equilibrated problem, whose data are of size one.
constexpr double kPivot = 1e-10;      // smaller entries of a column do not block and are not pivots
constexpr double kStartPivot = 1e-8;  // the same for the transform into a start basis
constexpr double kTie = 1e-12;        // values closer than this tie in the ratio test
constexpr double kFeasible = 1e-12;   // a warm basis with less negative variables is taken as it is

enum class PathEnd { Complementary, Ray, PivotLimit };

/// Entry i of the k-th covering vector: ones, then points of the golden-ratio sequence spread
/// over [1/8, 8], which differ in every entry and from one vector to the next.
double covering_entry(int k, Index i) {
  if (k == 0) return 1.0;
  constexpr double kGolden = 0.6180339887498949;
  const double turn = kGolden * static_cast<double>(k) * static_cast<double>(i + k);
  return std::exp2(6.0 * (turn - std::floor(turn)) - 3.0);
}

}  // namespace

/// One call of solve_lemke. Variables are numbered y_i = i, x_i = n + i, z = 2 n.
class LemkeRun {
 public:
  LemkeRun(const ConstMatrixRef& A, const ConstVectorRef& b, const LemkeOptions& options,
           LemkeWorkspace& workspace, LcpResult& result)
      : A_(A), b_(b), options_(options), n_(b.size()), w_(workspace), result_(result) {}

  void run(const Vector* x_start);

 private:
  bool read_start(const Vector* x_start);
  void prepare();
  bool try_basis();
  bool offer(bool may_solve);
  void start_dictionary();
  bool exchange_into_basis();
  Index row_of_added_pair(Index column);
  void cover(int k);
  PathEnd follow_path();
  Index leaving_row_for_z() const;
  Index leaving_row(Index column);
  void keep_smallest_ratios(Index column, Index numerator);
  void exchange(Index row, Index column);
  bool attempt(int k);

  Index artificial() const { return 2 * n_; }
  Index complement(Index variable) const { return variable < n_ ? variable + n_ : variable - n_; }

  const ConstMatrixRef& A_;
  const ConstVectorRef& b_;
  const LemkeOptions& options_;
  const Index n_;
  LemkeWorkspace& w_;
  LcpResult& result_;
  bool saw_inaccurate_ = false;
  bool saw_limit_ = false;
};

void LemkeRun::run(const Vector* x_start) {
  const bool warm = read_start(x_start);
  const bool trivial = n_ == 0 || b_.minCoeff() >= 0.0;
  prepare();
  if (warm) {
    start_dictionary();
    if (exchange_into_basis()) {
      const bool feasible = w_.T.col(n_ + 1).minCoeff() >= -kFeasible;
      if (feasible && try_basis()) return;
      if (!feasible && !trivial && attempt(0)) return;
    }
  }
  if (trivial) {
    w_.x.setZero();
    offer(/*may_solve=*/true);  // residual zero
    return;
  }
  for (int k = 0; k < options_.max_covering_vectors; ++k) {
    start_dictionary();
    if (attempt(k)) return;
  }
  result_.status = saw_inaccurate_ ? LcpStatus::Inaccurate
                   : saw_limit_    ? LcpStatus::PivotLimit
                                   : LcpStatus::Ray;
}

/// Keep what is needed of x_start, which may be the x of the result about to be cleared.
bool LemkeRun::read_start(const Vector* x_start) {
  w_.x_is_basic.assign(static_cast<std::size_t>(n_), 0);
  w_.y_start.resize(n_);
  if (x_start == nullptr || !(x_start->array() > 0.0).any()) return false;
  for (Index i = 0; i < n_; ++i) w_.x_is_basic[i] = (*x_start)[i] > 0.0;
  evaluate_lcp(A_, b_, *x_start, w_.y_start);
  return true;
}

void LemkeRun::prepare() {
  const auto n = static_cast<std::size_t>(n_);
  w_.row_scale.resize(n_);
  w_.column_scale.resize(n_);
  equilibrate(A_, w_.row_scale, w_.column_scale);
  w_.A = A_;
  for (Index j = 0; j < n_; ++j) w_.A.col(j).array() *= w_.row_scale.array() * w_.column_scale[j];
  w_.b = b_;
  w_.b.array() *= w_.row_scale.array();
  w_.b_scale = n_ == 0 ? 1.0 : reciprocal_power_of_two(w_.b.lpNorm<Eigen::Infinity>());
  w_.b *= w_.b_scale;

  w_.T.resize(n_, n_ + 2);
  w_.basic.resize(n);
  w_.nonbasic.resize(n + 1);
  w_.row_of.resize(2 * n + 1);
  w_.column_of.resize(2 * n + 1);
  w_.reference.resize(n);
  w_.candidates.reserve(n);
  w_.pivot_column.resize(n_);
  w_.pivot_row.resize(n_ + 2);
  w_.C.resize(n_, n_);
  for (Vector* v : {&w_.z, &w_.correction, &w_.defect, &w_.x}) v->resize(n_);

  result_.status = LcpStatus::NotRun;
  result_.x.setConstant(n_, std::numeric_limits<double>::quiet_NaN());
  result_.y.setConstant(n_, std::numeric_limits<double>::quiet_NaN());
  result_.residual = std::numeric_limits<double>::infinity();
  result_.pivots = 0;
  result_.covering_vectors = 0;
}

/// Solve C z = b for the basis named by x_is_basic and offer the point.
bool LemkeRun::try_basis() {
  for (Index i = 0; i < n_; ++i) {
    if (w_.x_is_basic[i]) {
      w_.C.col(i) = -w_.A.col(i);
    } else {
      w_.C.col(i).setZero();
      w_.C(i, i) = 1.0;
    }
  }
  w_.lu.compute(w_.C);
  w_.z = w_.lu.solve(w_.b);
  w_.defect = w_.b;
  w_.defect.noalias() -= w_.C * w_.z;
  w_.correction = w_.lu.solve(w_.defect);
  w_.z += w_.correction;
  for (Index i = 0; i < n_; ++i) {
    w_.x[i] = w_.x_is_basic[i] ? std::max(w_.z[i], 0.0) * w_.column_scale[i] / w_.b_scale : 0.0;
  }
  return offer(/*may_solve=*/true);
}

/// Keep the point if it is the best so far; true: it solves the problem. A point on a ray never
/// does, even where a tiny b makes its residual small.
bool LemkeRun::offer(bool may_solve) {
  const double residual = natural_residual(A_, b_, w_.x);
  const bool solved = may_solve && residual <= options_.accept_residual;
  if (solved || residual < result_.residual) {
    result_.residual = residual;
    result_.x = w_.x;
    evaluate_lcp(A_, b_, w_.x, result_.y);
  }
  if (solved) result_.status = LcpStatus::Solved;
  return solved;
}

/// y = b + A x, with an empty column for z.
void LemkeRun::start_dictionary() {
  w_.T.leftCols(n_) = w_.A;
  w_.T.col(n_).setZero();
  w_.T.col(n_ + 1) = w_.b;
  for (Index i = 0; i < n_; ++i) {
    w_.basic[i] = i;
    w_.row_of[i] = i;
    w_.column_of[i] = -1;
    w_.nonbasic[i] = n_ + i;
    w_.row_of[n_ + i] = -1;
    w_.column_of[n_ + i] = i;
  }
  w_.nonbasic[n_] = artificial();
  w_.row_of[artificial()] = -1;
  w_.column_of[artificial()] = n_;
}

/// Principal pivot transform into the basis x_is_basic, largest pivots first; false: singular.
///
/// The positive x of a degenerate solution do not name a whole basis: an open contact of (6.35)
/// has z > 0, but the friction force that belongs to the basis is zero. Where the named pairs
/// offer no pivot, a pair with x = 0 is added.
bool LemkeRun::exchange_into_basis() {
  for (;;) {
    Index row = -1;
    Index column = -1;
    double largest = kStartPivot;
    bool done = true;
    for (Index i = 0; i < n_; ++i) {
      const Index c = w_.column_of[n_ + i];
      if (!w_.x_is_basic[i] || c < 0) continue;
      done = false;
      if (column < 0) column = c;
      for (Index j = 0; j < n_; ++j) {
        const Index r = w_.row_of[j];
        if (!w_.x_is_basic[j] || r < 0 || !(std::abs(w_.T(r, c)) > largest)) continue;
        largest = std::abs(w_.T(r, c));
        row = r;
        column = c;
      }
    }
    if (done) return true;
    if (row < 0) row = row_of_added_pair(column);
    if (row < 0) return false;
    exchange(row, column);
  }
}

/// Add the pair whose y is nearest to zero at x_start among those with a sound pivot; -1: none.
Index LemkeRun::row_of_added_pair(Index column) {
  constexpr double kSound = 1e-3;
  double largest = 0.0;
  for (Index j = 0; j < n_; ++j) {
    const Index r = w_.row_of[j];
    if (r >= 0 && !w_.x_is_basic[j]) largest = std::max(largest, std::abs(w_.T(r, column)));
  }
  if (largest <= kStartPivot) return -1;
  Index added = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index j = 0; j < n_; ++j) {
    const Index r = w_.row_of[j];
    if (r < 0 || w_.x_is_basic[j] || std::abs(w_.T(r, column)) < kSound * largest) continue;
    const double distance = std::abs(w_.y_start[j]) * w_.row_scale[j];
    if (distance >= nearest) continue;
    nearest = distance;
    added = j;
  }
  if (added < 0) return -1;
  w_.x_is_basic[added] = 1;
  return w_.row_of[added];
}

/// Give z the k-th covering vector, for the dictionary at hand.
void LemkeRun::cover(int k) {
  w_.reference = w_.basic;
  for (Index i = 0; i < n_; ++i) w_.T(i, n_) = covering_entry(k, i);
  ++result_.covering_vectors;
}

PathEnd LemkeRun::follow_path() {
  const int limit = options_.max_pivots > 0 ? options_.max_pivots : 50 * static_cast<int>(n_ + 2);
  Index column = n_;
  Index row = leaving_row_for_z();
  for (int pivots = 0; pivots < limit; ++pivots) {
    const Index left = w_.basic[row];
    exchange(row, column);
    ++result_.pivots;
    if (left == artificial()) return PathEnd::Complementary;
    column = w_.column_of[complement(left)];
    row = leaving_row(column);
    if (row < 0) return PathEnd::Ray;
  }
  return PathEnd::PivotLimit;
}

/// Smallest z that keeps all basic variables nonnegative: min over i of q_i / e_i. Among equals
/// the lexicographic rule takes the last row, because each row's perturbation comes after those
/// of the rows above it.
Index LemkeRun::leaving_row_for_z() const {
  Index row = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n_; ++i) {
    const double ratio = w_.T(i, n_ + 1) / w_.T(i, n_);
    if (ratio > smallest) continue;
    smallest = ratio;
    row = i;
  }
  return row;
}

/// Row that first blocks the entering variable, lexicographically; -1: none, a ray.
Index LemkeRun::leaving_row(Index column) {
  const double threshold = kPivot * std::max(1.0, w_.T.col(column).lpNorm<Eigen::Infinity>());
  w_.candidates.clear();
  for (Index i = 0; i < n_; ++i) {
    if (w_.T(i, column) < -threshold) w_.candidates.push_back(i);
  }
  if (w_.candidates.empty()) return -1;
  keep_smallest_ratios(column, n_ + 1);
  // A tie that includes z ends the path, with the least loss of accuracy.
  const Index z_row = w_.row_of[artificial()];
  for (const Index row : w_.candidates) {
    if (row == z_row) return row;
  }
  // The perturbation ε_k of the k-th reference variable v_k enters the dictionary through
  // v_k - ε_k: minus the column of a nonbasic v_k, the unit vector of a basic one.
  for (Index k = 0; k < n_ && w_.candidates.size() > 1; ++k) {
    const Index v = w_.reference[k];
    if (w_.row_of[v] >= 0) {
      const auto own = std::find(w_.candidates.begin(), w_.candidates.end(), w_.row_of[v]);
      if (own != w_.candidates.end()) w_.candidates.erase(own);
    } else {
      keep_smallest_ratios(column, w_.column_of[v]);
    }
  }
  return w_.candidates.front();
}

/// Reduce the candidates to those whose ratio of numerator to pivot entry is smallest. The
/// numerators are q for the column n + 1 of T, minus the column otherwise.
void LemkeRun::keep_smallest_ratios(Index column, Index numerator) {
  const bool is_q = numerator == n_ + 1;
  const auto value = [&](Index i) {
    return is_q ? std::max(w_.T(i, numerator), 0.0) : -w_.T(i, numerator);
  };
  double smallest = std::numeric_limits<double>::infinity();
  for (const Index i : w_.candidates) smallest = std::min(smallest, value(i) / -w_.T(i, column));
  // Compared by what the variable of the row would still have after the step, which is free of
  // the amplification of rounding by small pivot entries.
  const auto is_larger = [&](Index i) {
    const double step = smallest * -w_.T(i, column);
    return value(i) - step > kTie * std::max(1.0, std::abs(step));
  };
  w_.candidates.erase(std::remove_if(w_.candidates.begin(), w_.candidates.end(), is_larger),
                      w_.candidates.end());
}

/// Exchange the basic variable of `row` with the nonbasic one of `column`: one rank-one update.
void LemkeRun::exchange(Index row, Index column) {
  const double pivot = w_.T(row, column);
  w_.pivot_column = w_.T.col(column);
  w_.pivot_column[row] = 1.0;
  w_.pivot_row = w_.T.row(row).transpose() / -pivot;
  w_.pivot_row[column] = 1.0 / pivot;
  w_.T.col(column).setZero();
  w_.T.row(row).setZero();
  for (Index j = 0; j < n_ + 2; ++j) {
    if (w_.pivot_row[j] != 0.0) w_.T.col(j) += w_.pivot_row[j] * w_.pivot_column;
  }
  const Index leaving = w_.basic[row];
  const Index entering = w_.nonbasic[column];
  w_.basic[row] = entering;
  w_.row_of[entering] = row;
  w_.column_of[entering] = -1;
  w_.nonbasic[column] = leaving;
  w_.row_of[leaving] = -1;
  w_.column_of[leaving] = column;
}

/// Follow the path of the k-th covering vector from the dictionary at hand.
bool LemkeRun::attempt(int k) {
  cover(k);
  const PathEnd end = follow_path();
  for (Index i = 0; i < n_; ++i) w_.x_is_basic[i] = w_.row_of[n_ + i] >= 0;
  if (end == PathEnd::Complementary) {
    if (try_basis()) return true;
    saw_inaccurate_ = true;
    return false;
  }
  saw_limit_ = saw_limit_ || end == PathEnd::PivotLimit;
  for (Index i = 0; i < n_; ++i) {
    const Index row = w_.row_of[n_ + i];
    const double value = row >= 0 ? std::max(w_.T(row, n_ + 1), 0.0) : 0.0;
    w_.x[i] = value * w_.column_scale[i] / w_.b_scale;
  }
  return offer(/*may_solve=*/false);
}

}  // namespace internal

void solve_lemke(const ConstMatrixRef& A, const ConstVectorRef& b, const LemkeOptions& options,
                 LemkeWorkspace& workspace, LcpResult& result, const Vector* x_start) {
  check_lcp(A, b);
  if (x_start != nullptr) {
    check_size("x_start", *x_start, b.size());
    check_finite("x_start", *x_start);
  }
  if (options.max_pivots < 0) {
    reject("max_pivots", "a number >= 0", std::to_string(options.max_pivots));
  }
  if (options.max_covering_vectors < 1) {
    reject("max_covering_vectors", "a number >= 1", std::to_string(options.max_covering_vectors));
  }
  check_positive("accept_residual", options.accept_residual);
  internal::LemkeRun(A, b, options, workspace, result).run(x_start);
}

}  // namespace nsmb
