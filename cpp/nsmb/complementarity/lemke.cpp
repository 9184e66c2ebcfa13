#include "nsmb/complementarity/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/complementarity/covering_vector.hpp"
#include "nsmb/complementarity/definite_lcp.hpp"
#include "nsmb/complementarity/infeasibility.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {
namespace internal {
namespace {

using namespace tolerances;

using Variable = Dictionary::Variable;

enum class PathEnd { Complementary, Ray, Infeasible, PivotLimit };

/// Check without a branch for each entry. If it fails, check_finite finds the entry.
bool is_finite(const ConstMatrixRef& A) { return (0.0 * A).sum() == 0.0; }

}  // namespace

/// One call of solve_lemke. Variables are numbered y_i = i, x_i = n + i, z = 2 n.
class LemkeRun {
 public:
  LemkeRun(const ConstMatrixRef& A, const ConstVectorRef& b, const LemkeOptions& options,
           LemkeWorkspace& workspace, LcpResult& result)
      : A_(A),
        b_(b),
        options_(options),
        n_(b.size()),
        w_(workspace),
        d_(w_.dictionary),
        result_(result) {}

  void run(const Vector* x_start);

 private:
  void clear_result();
  void scale();
  bool start_from(const Vector& x_start, bool trivial);
  bool try_basis();
  bool try_basis_by_lu();
  void evaluate_point();
  bool offer(bool may_solve);
  void start_dictionary();
  bool exchange_into_basis();
  Index row_of_added_pair(Index pair);
  PathEnd follow_path(int k);
  Index leaving_row_for_z() const;
  Index leaving_row();
  template <class Value>
  void keep_smallest_ratios(const Value& value);
  bool attempt(int k);
  bool prove_by(const Vector& z);
  bool prove_by_ray(Variable entering);

  Variable artificial() const { return d_.artificial(); }
  Variable complement(Variable variable) const {
    const auto n = static_cast<Variable>(n_);
    return variable < n ? variable + n : variable - n;
  }

  const ConstMatrixRef& A_;
  const ConstVectorRef& b_;
  const LemkeOptions& options_;
  const Index n_;
  LemkeWorkspace& w_;
  Dictionary& d_;
  LcpResult& result_;
  Index count_ = 0;  // of the candidates
  bool scaled_ = false;
  bool saw_inaccurate_ = false;
  bool saw_limit_ = false;
};

void LemkeRun::run(const Vector* x_start) {
  const bool trivial = n_ == 0 || b_.minCoeff() >= 0.0;
  const bool warm = x_start != nullptr && (x_start->array() > 0.0).any();
  if (!warm && !trivial) {
    scale();
  } else if (!is_finite(A_)) {
    check_finite("A", A_);
  }
  w_.x.resize(n_);
  w_.y.resize(n_);
  if (warm) w_.x_start = *x_start;  // it may be the x of the result, which is now cleared
  clear_result();
  if (warm && start_from(w_.x_start, trivial)) return;
  if (trivial) {
    w_.x.setZero();
    w_.y = b_;
    offer(/*may_solve=*/true);  // residual zero
    return;
  }
  for (int k = 0; k < options_.max_covering_vectors; ++k) {
    start_dictionary();
    if (attempt(k)) return;
  }
  w_.x.setZero();  // the best point if all paths ended far away
  w_.y = b_;
  offer(/*may_solve=*/false);
  result_.status = saw_inaccurate_ ? LcpStatus::Inaccurate
                   : saw_limit_    ? LcpStatus::PivotLimit
                                   : LcpStatus::Ray;
  if (options_.prove_infeasibility && result_.status == LcpStatus::Ray) {
    Vector z(n_);
    if (find_infeasibility_certificate(A_, b_, z)) prove_by(z);
  }
}

void LemkeRun::clear_result() {
  result_.status = LcpStatus::NotRun;
  result_.x.setConstant(n_, std::numeric_limits<double>::quiet_NaN());
  result_.y.setConstant(n_, std::numeric_limits<double>::quiet_NaN());
  result_.residual = std::numeric_limits<double>::infinity();
  result_.pivots = 0;
  result_.covering_vectors = 0;
  result_.certificate.resize(0);
}

void LemkeRun::scale() {
  if (scaled_) return;
  scaled_ = true;
  w_.row_scale.resize(n_);
  w_.column_scale.resize(n_);
  if (!equilibrate(A_, w_.equilibration, w_.row_scale, w_.column_scale)) check_finite("A", A_);
  w_.b.resize(n_);
  w_.b = b_.cwiseProduct(w_.row_scale);
  w_.b_scale = n_ == 0 ? 1.0 : reciprocal_power_of_two(w_.b.lpNorm<Eigen::Infinity>());
  w_.b *= w_.b_scale;
}

/// Warm start: try the point defined by x_start, then a path from its basis.
bool LemkeRun::start_from(const Vector& x_start, bool trivial) {
  if (solve_start_point(A_, b_, x_start, w_.start, w_.x, w_.y) && offer(/*may_solve=*/true)) {
    return true;
  }
  scale();
  w_.x_is_basic.assign(static_cast<std::size_t>(n_), 0);
  w_.y_start.resize(n_);
  for (Index i = 0; i < n_; ++i) w_.x_is_basic[i] = x_start[i] > 0.0;
  evaluate_lcp(A_, b_, x_start, w_.y_start);
  start_dictionary();
  if (!exchange_into_basis()) return false;
  const double* const q = d_.q();
  const bool feasible = n_ == 0 || *std::min_element(q, q + n_) >= -pivoting::kFeasible;
  return feasible ? try_basis() : !trivial && attempt(0);
}

/// Offer the point of a complementary basis. Its x are corrected, from the original data, until the
/// y that must vanish do: the inverse held by the dictionary maps y to the correction. The first
/// correction is always made, for the sake of unknowns much smaller than others.
bool LemkeRun::try_basis() {
  std::copy(d_.q(), d_.q() + d_.stride(), w_.point.data());
  double before = std::numeric_limits<double>::infinity();
  for (int correction = 0;; ++correction) {
    evaluate_point();
    double defect = 0.0;
    double size = 1.0;
    for (Index i = 0; i < n_; ++i) {
      const Variable row = d_.row_of(n_ + i);
      if (row < 0) continue;
      w_.y_start[i] = w_.y[i] * w_.row_scale[i] * w_.b_scale;
      defect = std::max(defect, std::abs(w_.y_start[i]));
      size = std::max(size, std::abs(w_.point[row]));
    }
    if (correction > 0 && defect <= basic_points::kExactPoint * size) break;
    if (!(correction < 2 || (correction < 5 && defect < 0.5 * before))) {
      if (!(defect <= basic_points::kRefinedPoint * size)) return try_basis_by_lu();
      break;
    }
    before = defect;
    d_.correct(w_.y_start, w_.point.data());
  }
  bool negative = false;
  for (Index i = 0; i < n_; ++i) {
    if (w_.x[i] >= 0.0) continue;
    w_.x[i] = 0.0;
    negative = true;
  }
  if (negative) evaluate_lcp(A_, b_, w_.x, w_.y);
  return offer(/*may_solve=*/true) || try_basis_by_lu();
}

/// Compute x and y of the basic variables in `point`.
void LemkeRun::evaluate_point() {
  for (Index i = 0; i < n_; ++i) {
    const Variable row = d_.row_of(n_ + i);
    w_.x[i] = row < 0 ? 0.0 : w_.point[row] * w_.column_scale[i] / w_.b_scale;
  }
  evaluate_lcp(A_, b_, w_.x, w_.y);
}

/// Solve C z = b for the basis of the dictionary, with one refinement step.
bool LemkeRun::try_basis_by_lu() {
  w_.C.resize(n_, n_);
  for (Index i = 0; i < n_; ++i) {
    if (d_.is_basic(n_ + i)) {
      w_.C.col(i) = -w_.column_scale[i] * A_.col(i).cwiseProduct(w_.row_scale);
    } else {
      w_.C.col(i).setZero();
      w_.C(i, i) = 1.0;
    }
  }
  w_.lu.compute(w_.C);
  Vector z(n_), correction(n_);
  w_.lu.solve_to(w_.b, z);
  w_.lu.solve_to(Vector(w_.b - w_.C * z), correction);
  z += correction;
  for (Index i = 0; i < n_; ++i) {
    w_.x[i] = d_.is_basic(n_ + i) ? std::max(z[i], 0.0) * w_.column_scale[i] / w_.b_scale : 0.0;
  }
  evaluate_lcp(A_, b_, w_.x, w_.y);
  return offer(/*may_solve=*/true);
}

/// Keep the point if it is the best so far. Return true if it solves the problem. A point on a ray
/// never does, even where a tiny b makes its residual small.
bool LemkeRun::offer(bool may_solve) {
  const double residual = natural_residual_of(b_, w_.x, w_.y);
  const bool solved = may_solve && residual <= options_.accept_residual;
  if (solved || residual < result_.residual) {
    result_.residual = residual;
    result_.x = w_.x;
    result_.y = w_.y;
  }
  if (solved) result_.status = LcpStatus::Solved;
  return solved;
}

/// Start with y = b + A x.
void LemkeRun::start_dictionary() {
  d_.start(A_, w_.row_scale, w_.column_scale, w_.b);
  w_.column.resize(d_.stride());
  w_.tie_column.resize(d_.stride());
  w_.point.resize(d_.stride());
  w_.y_start.resize(n_);
  w_.candidates.resize(static_cast<std::size_t>(n_));
  w_.reference.resize(static_cast<std::size_t>(n_));
}

/// Transform into the basis x_is_basic by principal pivots, largest first. Return false if it is
/// singular.
///
/// The positive x of a degenerate solution do not define a complete basis: an open contact of
/// (6.35) has z > 0, but the friction force that belongs to the basis is zero. Where the pairs of
/// the basis offer no pivot, a pair with x = 0 is added.
bool LemkeRun::exchange_into_basis() {
  for (Index i = 0; i < n_; ++i) {
    if (w_.x_is_basic[i]) d_.keep(static_cast<Variable>(n_ + i));
  }
  for (;;) {
    Index row = -1;
    Index pair = -1;
    double largest = pivoting::kBasisPivot;
    bool done = true;
    for (Index i = 0; i < n_; ++i) {
      if (!w_.x_is_basic[i] || d_.is_basic(n_ + i)) continue;
      done = false;
      if (pair < 0) pair = i;
      const double* const column = d_.kept_column(static_cast<Variable>(n_ + i));
      for (Index j = 0; j < n_; ++j) {
        const Variable r = d_.row_of(j);
        if (!w_.x_is_basic[j] || r < 0 || !(std::abs(column[r]) > largest)) continue;
        largest = std::abs(column[r]);
        row = r;
        pair = i;
      }
    }
    if (done) return true;
    if (row < 0) row = row_of_added_pair(pair);
    if (row < 0) return false;
    const auto entering = static_cast<Variable>(n_ + pair);
    d_.evaluate_column(entering, w_.column.data());
    d_.exchange(row, entering, w_.column.data());
  }
}

/// Add the pair whose y is nearest to zero at x_start among those with a sound pivot in the column
/// of x_pair. Return its row, or -1 if there is none.
Index LemkeRun::row_of_added_pair(Index pair) {
  const double* const column = d_.kept_column(static_cast<Variable>(n_ + pair));
  double largest = 0.0;
  for (Index j = 0; j < n_; ++j) {
    const Variable r = d_.row_of(j);
    if (r >= 0 && !w_.x_is_basic[j]) largest = std::max(largest, std::abs(column[r]));
  }
  if (largest <= pivoting::kBasisPivot) return -1;
  Index added = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (Index j = 0; j < n_; ++j) {
    const Variable r = d_.row_of(j);
    if (r < 0 || w_.x_is_basic[j] || std::abs(column[r]) < pivoting::kSoundPivot * largest)
      continue;
    const double distance = std::abs(w_.y_start[j]) * w_.row_scale[j];
    if (distance >= nearest) continue;
    nearest = distance;
    added = j;
  }
  if (added < 0) return -1;
  w_.x_is_basic[added] = 1;
  d_.keep(static_cast<Variable>(n_ + added));
  return d_.row_of(added);
}

/// Follow the path of the k-th covering vector from the current dictionary. On a ray w.column and
/// the artificial row describe it.
PathEnd LemkeRun::follow_path(int k) {
  const int limit = options_.max_pivots > 0 ? options_.max_pivots : 50 * static_cast<int>(n_ + 2);
  ++result_.covering_vectors;
  w_.column.setZero();
  for (Index i = 0; i < n_; ++i) {
    w_.reference[i] = d_.basic(i);
    w_.column[i] = covering_entry(k, i);
  }
  Variable entering = artificial();
  Index row = leaving_row_for_z();
  for (int pivots = 0; pivots < limit; ++pivots) {
    const Variable left = d_.basic(row);
    d_.exchange(row, entering, w_.column.data());
    ++result_.pivots;
    if (left == artificial()) return PathEnd::Complementary;
    entering = complement(left);
    d_.evaluate_column(entering, w_.column.data());
    row = leaving_row();
    if (row >= 0) continue;
    return options_.prove_infeasibility && prove_by_ray(entering) ? PathEnd::Infeasible
                                                                  : PathEnd::Ray;
  }
  return PathEnd::PivotLimit;
}

/// Return the row of the smallest z that keeps all basic variables nonnegative: min over
/// i of q_i / e_i. Among equal ratios the lexicographic rule takes the last row, because each row's
/// perturbation comes after those of the rows above it.
Index LemkeRun::leaving_row_for_z() const {
  Index row = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n_; ++i) {
    const double ratio = d_.q()[i] / w_.column[i];
    if (ratio > smallest) continue;
    smallest = ratio;
    row = i;
  }
  return row;
}

/// Return the row that first blocks the entering variable, lexicographically, or -1 on a ray.
Index LemkeRun::leaving_row() {
  const double threshold = pivoting::kPivot * std::max(1.0, w_.column.lpNorm<Eigen::Infinity>());
  Variable* const rows = w_.candidates.data();
  const double* const column = w_.column.data();
  count_ = 0;
  for (Index i = 0; i < n_; ++i) {  // branchless, because branches would be mispredicted
    rows[count_] = static_cast<Variable>(i);
    count_ += column[i] < -threshold ? 1 : 0;
  }
  if (count_ == 0) return -1;
  if (count_ == 1) return rows[0];
  const double* const q = d_.q();
  keep_smallest_ratios([q](Index i) { return q[i] > 0.0 ? q[i] : 0.0; });
  if (count_ == 1) return rows[0];
  // A tie that includes z ends the path, with the least loss of accuracy.
  const Variable z_row = d_.row_of(artificial());
  if (std::find(rows, rows + count_, z_row) != rows + count_) return z_row;
  // The perturbation ε_k of the k-th reference variable v_k enters the dictionary through
  // v_k - ε_k: minus the column of a nonbasic v_k, the unit vector of a basic one.
  for (Index k = 0; k < n_ && count_ > 1; ++k) {
    const Variable v = w_.reference[k];
    if (d_.is_basic(v)) {
      count_ = std::remove(rows, rows + count_, d_.row_of(v)) - rows;
      continue;
    }
    const double* t = d_.kept_column(v);
    if (t == nullptr) {
      d_.evaluate_column(v, w_.tie_column.data());
      t = w_.tie_column.data();
    }
    keep_smallest_ratios([t](Index i) { return -t[i]; });
  }
  return rows[0];
}

/// Reduce the candidates to those whose ratio of value to pivot entry is smallest.
template <class Value>
void LemkeRun::keep_smallest_ratios(const Value& value) {
  const double* const column = w_.column.data();
  Variable* const rows = w_.candidates.data();
  double smallest = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < count_; ++k) {
    const double ratio = value(rows[k]) / -column[rows[k]];
    smallest = ratio < smallest ? ratio : smallest;
  }
  // Compared by the value that the variable of the row would have after the step. This is free of
  // the amplification of rounding by small pivot entries.
  Index kept = 0;
  for (Index k = 0; k < count_; ++k) {
    const Variable row = rows[k];
    const double step = smallest * -column[row];
    const double rest = value(row) - step;
    rows[kept] = row;
    kept += static_cast<Index>(rest <= pivoting::kTie) |
            static_cast<Index>(rest <= pivoting::kTie * std::abs(step));
  }
  count_ = kept;
}

/// Follow the path of the k-th covering vector from the current dictionary. Return true if the
/// result is final.
bool LemkeRun::attempt(int k) {
  const PathEnd end = follow_path(k);
  if (end == PathEnd::Complementary) {
    if (try_basis()) return true;
    saw_inaccurate_ = true;
    return false;
  }
  saw_limit_ = saw_limit_ || end == PathEnd::PivotLimit;
  for (Index i = 0; i < d_.stride(); ++i) w_.point[i] = std::max(d_.q()[i], 0.0);
  evaluate_point();
  offer(/*may_solve=*/false);
  return end == PathEnd::Infeasible;
}

/// Along a ray x grows by the entries of the entering column. For A with positive semidefinite
/// symmetric part (and for copositive plus A) they are a certificate.
bool LemkeRun::prove_by_ray(Variable entering) {
  for (Index i = 0; i < n_; ++i) {
    const Variable row = d_.row_of(n_ + i);
    const double rate = row >= 0 ? std::max(w_.column[row], 0.0) : n_ + i == entering ? 1.0 : 0.0;
    w_.x[i] = rate * w_.column_scale[i];
  }
  return prove_by(w_.x);
}

bool LemkeRun::prove_by(const Vector& z) {
  if (!is_infeasibility_certificate(A_, b_, w_.column_scale, w_.b_scale, z)) return false;
  const double largest = z.maxCoeff();
  result_.certificate = z / largest;
  result_.status = LcpStatus::NoSolution;
  return true;
}

}  // namespace internal

void solve_lemke(const ConstMatrixRef& A, const ConstVectorRef& b, const LemkeOptions& options,
                 LemkeWorkspace& workspace, LcpResult& result, const Vector* x_start) {
  if (A.rows() != A.cols()) {
    reject("A", "a square matrix", "shape " + shape_text(A.rows(), A.cols()));
  }
  check_size("b", b, A.rows());
  check_finite("b", b);
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
  const bool small = x_start == nullptr && options.max_pivots == 0 && b.size() > 0 &&
                     b.size() <= internal::kLargestDefinite && b.minCoeff() < 0.0;
  if (small && internal::solve_definite_lcp(A, b, options.accept_residual, result)) return;
  internal::LemkeRun(A, b, options, workspace, result).run(x_start);
}

}  // namespace nsmb
