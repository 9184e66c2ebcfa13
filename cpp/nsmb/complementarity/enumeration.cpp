#include "nsmb/complementarity/enumeration.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "nsmb/complementarity/nnls.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/core/dense_lu.hpp"
#include "nsmb/core/dense_qr.hpp"

namespace nsmb {
namespace {

using namespace tolerances;

constexpr int kLargestMaxSize = 24;  // 16.8 million cones

class ConeSearch {
 public:
  ConeSearch(const ConstMatrixRef& A, const ConstVectorRef& b, const EnumerationOptions& options,
             EnumerationResult& result);
  void run();

 private:
  void visit_current_cone();
  void visit_degenerate_cone();
  bool moves_within_cone(const Matrix& C, const Vector& z) const;
  void offer(const Vector& x_scaled, bool continuum);

  const ConstMatrixRef& A_original_;
  const ConstVectorRef& b_original_;
  const EnumerationOptions& options_;
  EnumerationResult& result_;
  const Index n_;
  Matrix A_;  // equilibrated
  Vector b_;
  Vector row_, column_;
  double b_scale_ = 1.0;
  std::vector<Index> active_, passive_;  // indices of the x and of the y that span the cone
  bool has_continuum_ = false;
  bool missed_narrowly_ = false;
};

ConeSearch::ConeSearch(const ConstMatrixRef& A, const ConstVectorRef& b,
                       const EnumerationOptions& options, EnumerationResult& result)
    : A_original_(A),
      b_original_(b),
      options_(options),
      result_(result),
      n_(b.size()),
      row_(n_),
      column_(n_) {
  equilibrate(A, row_, column_);
  A_ = row_.asDiagonal() * A * column_.asDiagonal();
  b_ = row_.asDiagonal() * b;
  if (n_ > 0) b_scale_ = reciprocal_power_of_two(b_.lpNorm<Eigen::Infinity>());
  b_ *= b_scale_;
}

void ConeSearch::run() {
  const auto cones = std::uint32_t{1} << n_;
  for (std::uint32_t cone = 0; cone < cones; ++cone) {
    active_.clear();
    passive_.clear();
    for (Index i = 0; i < n_; ++i) ((cone >> i) & 1u ? active_ : passive_).push_back(i);
    visit_current_cone();
  }
  LcpResult& first = result_.first;
  if (!result_.solutions.empty()) {
    first.status = LcpStatus::Solved;
    first.x = result_.solutions.front();
    first.y.resize(n_);
    evaluate_lcp(A_original_, b_original_, first.x, first.y);
    first.residual = natural_residual(A_original_, b_original_, first.x);
    result_.unique = result_.solutions.size() == 1 && !has_continuum_;
  } else {
    // After a narrow miss `first` already holds the best of the rejected points.
    first.status = missed_narrowly_ ? LcpStatus::Inaccurate : LcpStatus::NoSolution;
  }
}

/// Solve C z = b by elimination of the unit columns: A_SS x_S = -b_S, then y = b + A x for the
/// others.
void ConeSearch::visit_current_cone() {
  Vector x = Vector::Zero(n_);
  if (!active_.empty()) {
    const Matrix A_SS = A_(active_, active_);
    const Vector b_S = b_(active_);
    const FullLu lu(A_SS);
    Vector x_S = lu.solve(-b_S);
    x_S -= lu.solve(Vector(A_SS * x_S + b_S));
    if (!(lu.smallest_pivot() > pivoting::kSingularBasis * std::max(1.0, lu.largest_pivot()))) {
      // lu.solve sets the free unknowns to zero: a residual means b_S outside the range of A_SS.
      const double defect = (A_SS * x_S + b_S).lpNorm<Eigen::Infinity>();
      const double size = std::max(1.0, x_S.lpNorm<Eigen::Infinity>());
      if (!(defect > enumeration::kCandidate * size)) visit_degenerate_cone();
      return;
    }
    if (x_S.minCoeff() < -enumeration::kCandidate * std::max(1.0, x_S.lpNorm<Eigen::Infinity>()))
      return;
    x(active_) = x_S;
  }
  if (!passive_.empty()) {
    const Vector y = b_(passive_) + A_(passive_, active_) * x(active_);
    if (y.minCoeff() < -enumeration::kCandidate * std::max(1.0, y.lpNorm<Eigen::Infinity>()))
      return;
  }
  offer(x, /*continuum=*/false);
}

void ConeSearch::visit_degenerate_cone() {
  Matrix C = Matrix::Identity(n_, n_);
  for (const Index i : active_) C.col(i) = -A_.col(i);
  const NnlsResult nearest = solve_nnls(C, b_);
  if (nearest.residual > enumeration::kCandidate) {
    missed_narrowly_ = missed_narrowly_ || !nearest.converged;
    return;
  }
  Vector x = Vector::Zero(n_);
  for (const Index i : active_) x[i] = nearest.z[i];
  offer(x, moves_within_cone(C, nearest.z));
}

/// Return true if z + t v stays in {z >= 0, C z = b} for some v != 0 and small t > 0.
/// Then C v = 0 with v >= 0 where z = 0. The columns of z > 0 are independent, so that such a v has
/// a positive entry where z = 0. Normalized such that these entries have the sum one, this is again
/// a nonnegative least squares problem, after projecting the columns of z > 0 away. C v = 0 with
/// v_x = 0 gives v = 0: when z moves, x moves.
bool ConeSearch::moves_within_cone(const Matrix& C, const Vector& z) const {
  const double zero = enumeration::kContinuum * std::max(1.0, z.lpNorm<Eigen::Infinity>());
  std::vector<Index> positive, vanishing;
  for (Index i = 0; i < n_; ++i) (z[i] > zero ? positive : vanishing).push_back(i);
  if (vanishing.empty()) return false;
  Matrix projected = C(Eigen::all, vanishing);
  if (!positive.empty()) rotate_by_columns(C(Eigen::all, positive), projected);
  const auto rows = n_ - static_cast<Index>(positive.size());
  Matrix condition(rows + 1, projected.cols());
  condition.topRows(rows) = projected.bottomRows(rows);
  condition.bottomRows(1).setOnes();
  Vector target = Vector::Zero(rows + 1);
  target[rows] = 1.0;
  return solve_nnls(condition, target).residual <= enumeration::kContinuum;
}

void ConeSearch::offer(const Vector& x_scaled, bool continuum) {
  const Vector x = x_scaled.cwiseMax(0.0).cwiseProduct(column_) / b_scale_;
  const double residual = natural_residual(A_original_, b_original_, x);
  // Rows in small units are masked by the largest b. The equilibrated problem shows their defects.
  const double scaled = natural_residual(A_, b_, x_scaled.cwiseMax(0.0));
  if (!(residual <= options_.accept_residual) ||
      !(scaled <= std::max(options_.accept_residual, enumeration::kCandidate))) {
    missed_narrowly_ = true;
    LcpResult& best = result_.first;
    if (!(residual < best.residual)) return;
    best.residual = residual;
    best.x = x;
    evaluate_lcp(A_original_, b_original_, x, best.y);
    return;
  }
  has_continuum_ = has_continuum_ || continuum;
  const double size = x.lpNorm<Eigen::Infinity>();
  for (const Vector& known : result_.solutions) {
    const double scale = std::max(size, known.lpNorm<Eigen::Infinity>());
    if ((known - x).lpNorm<Eigen::Infinity>() <= enumeration::kSamePoint * scale) return;
  }
  result_.solutions.push_back(x);
}

}  // namespace

EnumerationResult solve_enumeration(const ConstMatrixRef& A, const ConstVectorRef& b,
                                    const EnumerationOptions& options) {
  check_lcp(A, b);
  if (options.max_size < 0 || options.max_size > kLargestMaxSize) {
    reject("max_size", "a number in [0, " + std::to_string(kLargestMaxSize) + "]",
           std::to_string(options.max_size));
  }
  check_positive("accept_residual", options.accept_residual);
  EnumerationResult result;
  result.first.x.setConstant(b.size(), std::numeric_limits<double>::quiet_NaN());
  result.first.y = result.first.x;
  result.first.residual = std::numeric_limits<double>::infinity();
  if (b.size() > options.max_size) {
    result.first.status = LcpStatus::TooLarge;
    return result;
  }
  ConeSearch(A, b, options, result).run();
  return result;
}

}  // namespace nsmb
