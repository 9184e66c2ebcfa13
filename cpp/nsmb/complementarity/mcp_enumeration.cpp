#include "nsmb/complementarity/mcp_enumeration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/complementarity/nnls.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/check.hpp"

namespace nsmb {
namespace {

using namespace tolerances;

using internal::McpState;

constexpr int kLargestMaxPieces = 16'000'000;

class PieceSearch {
 public:
  PieceSearch(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& lower,
              const ConstVectorRef& upper, const McpEnumerationOptions& options,
              McpEnumerationResult& result);
  void run();

 private:
  bool advance();
  void visit_singular_piece();
  bool offer();

  const ConstMatrixRef& A_;
  const ConstVectorRef& b_;
  const ConstVectorRef& lower_;
  const ConstVectorRef& upper_;
  const McpEnumerationOptions& options_;
  McpEnumerationResult& result_;
  const Index n_;
  Vector row_, column_;
  double b_scale_ = 1.0;
  internal::McpPath path_;
  bool missed_narrowly_ = false;
};

PieceSearch::PieceSearch(const ConstMatrixRef& A, const ConstVectorRef& b,
                         const ConstVectorRef& lower, const ConstVectorRef& upper,
                         const McpEnumerationOptions& options, McpEnumerationResult& result)
    : A_(A),
      b_(b),
      lower_(lower),
      upper_(upper),
      options_(options),
      result_(result),
      n_(b.size()),
      row_(n_),
      column_(n_) {
  path_.resize(n_);
  equilibrate(A, row_, column_);
  path_.A = row_.asDiagonal() * A * column_.asDiagonal();
  path_.b = row_.asDiagonal() * b;
  if (n_ > 0) b_scale_ = reciprocal_power_of_two(path_.b.lpNorm<Eigen::Infinity>());
  path_.b *= b_scale_;
  path_.lower = lower.cwiseQuotient(column_) * b_scale_;
  path_.upper = upper.cwiseQuotient(column_) * b_scale_;
}

void PieceSearch::run() {
  for (Index i = 0; i < n_; ++i) {
    path_.state[i] = std::isfinite(path_.lower[i]) ? McpState::Lower : McpState::Inside;
  }
  do {
    if (!path_.solve_piece()) {
      visit_singular_piece();
    } else if (path_.violations(enumeration::kCandidate) == 0) {
      path_.clip();
      offer();
    }
  } while (advance());
  McpResult& first = result_.first;
  if (!result_.solutions.empty()) {
    first.status = LcpStatus::Solved;
  } else {
    // After a narrow miss `first` already holds the best of the rejected points.
    first.status = missed_narrowly_ ? LcpStatus::Inaccurate : LcpStatus::NoSolution;
  }
}

/// Advance to the next piece, counting in the mixed base of the states each pair may have. Return
/// false after the last one.
bool PieceSearch::advance() {
  for (Index i = 0; i < n_; ++i) {
    const bool has_lower = std::isfinite(path_.lower[i]);
    if (has_lower && path_.lower[i] == path_.upper[i]) continue;
    McpState& state = path_.state[i];
    if (state == McpState::Lower) {
      state = McpState::Inside;
      return true;
    }
    if (state == McpState::Inside && std::isfinite(path_.upper[i])) {
      state = McpState::Upper;
      return true;
    }
    state = has_lower ? McpState::Lower : McpState::Inside;
  }
  return false;
}

/// Decide whether y - A x = b has a solution with x and y in the bounds of the piece. Distances
/// from the bounds are nonnegative unknowns; the two distances of a bounded x add up to u - l.
void PieceSearch::visit_singular_piece() {
  Index unknowns = 0;
  Index ranges = 0;
  for (Index i = 0; i < n_; ++i) {
    const bool inside = path_.state[i] == McpState::Inside;
    const bool has_lower = std::isfinite(path_.lower[i]);
    const bool has_upper = std::isfinite(path_.upper[i]);
    const bool one_sided = inside ? has_lower != has_upper : path_.lower[i] < path_.upper[i];
    unknowns += one_sided ? 1 : 2;
    ranges += inside && has_lower && has_upper;
  }
  Matrix C = Matrix::Zero(n_ + ranges, unknowns);
  Vector d = Vector::Zero(n_ + ranges);
  d.head(n_) = path_.b;
  Vector x_base(n_);
  Index k = 0;
  Index range = n_;
  for (Index i = 0; i < n_; ++i) {
    const double low = path_.lower[i];
    const double high = path_.upper[i];
    const bool has_lower = std::isfinite(low);
    const bool has_upper = std::isfinite(high);
    if (path_.state[i] == McpState::Inside) {
      x_base[i] = has_lower ? low : has_upper ? high : 0.0;
      const bool downwards = has_upper && !has_lower;
      C.col(k).head(n_) = downwards ? Vector(path_.A.col(i)) : Vector(-path_.A.col(i));
      if (has_lower && has_upper) {
        C(range, k) = 1.0 / std::max(1.0, high - low);
        C(range, k + 1) = 1.0;
        d[range] = (high - low) / std::max(1.0, high - low);
        ++range;
        ++k;
      } else if (!has_lower && !has_upper) {
        C.col(++k).head(n_) = path_.A.col(i);
      }
    } else {
      x_base[i] = path_.state[i] == McpState::Lower ? low : high;
      C(i, k) = path_.state[i] == McpState::Lower ? 1.0 : -1.0;
      if (low == high) C(i, ++k) = -1.0;
    }
    ++k;
  }
  d.head(n_) += path_.A * x_base;
  const NnlsResult nearest = solve_nnls(C, d);
  if (nearest.residual > enumeration::kCandidate) {
    missed_narrowly_ = missed_narrowly_ || !nearest.converged;
    return;
  }
  k = 0;
  for (Index i = 0; i < n_; ++i, ++k) {
    const bool has_lower = std::isfinite(path_.lower[i]);
    const bool has_upper = std::isfinite(path_.upper[i]);
    path_.x[i] = x_base[i];
    if (path_.state[i] == McpState::Inside) {
      path_.x[i] += has_upper && !has_lower ? -nearest.z[k] : nearest.z[k];
      if (has_lower == has_upper) {
        ++k;
        if (!has_lower) path_.x[i] -= nearest.z[k];
      }
    } else if (path_.lower[i] == path_.upper[i]) {
      ++k;
    }
  }
  if (offer()) result_.complete = false;
}

/// Return true if path_.x solves the problem.
bool PieceSearch::offer() {
  Vector x(n_);
  Vector F(n_);
  for (Index i = 0; i < n_; ++i) {
    x[i] = path_.x[i] == path_.lower[i] ? lower_[i]
           : path_.x[i] == path_.upper[i]
               ? upper_[i]
               : std::clamp(path_.x[i] * column_[i] / b_scale_, lower_[i], upper_[i]);
  }
  evaluate_lcp(A_, b_, x, F);
  const double residual = mcp_residual(F, b_, lower_, upper_, x);
  McpResult& first = result_.first;
  const bool solved = residual <= options_.accept_residual;
  if (result_.solutions.empty() && (solved || residual < first.residual)) {
    first.residual = residual;
    first.x = x;
    first.F = F;
  }
  if (!solved) {
    missed_narrowly_ = true;
    return false;
  }
  const double size = x.lpNorm<Eigen::Infinity>();
  for (const Vector& known : result_.solutions) {
    const double scale = std::max(size, known.lpNorm<Eigen::Infinity>());
    if ((known - x).lpNorm<Eigen::Infinity>() <= enumeration::kSamePoint * scale) return true;
  }
  result_.solutions.push_back(x);
  return true;
}

}  // namespace

double count_mcp_pieces(const ConstVectorRef& lower, const ConstVectorRef& upper) {
  double pieces = 1.0;
  for (Index i = 0; i < lower.size(); ++i) {
    if (lower[i] == upper[i]) continue;
    pieces *= 1.0 + std::isfinite(lower[i]) + std::isfinite(upper[i]);
  }
  return pieces;
}

McpEnumerationResult solve_mcp_enumeration(const ConstMatrixRef& A, const ConstVectorRef& b,
                                           const ConstVectorRef& lower, const ConstVectorRef& upper,
                                           const McpEnumerationOptions& options) {
  check_lcp(A, b);
  check_mcp_bounds(b.size(), lower, upper);
  if (options.max_pieces < 1 || options.max_pieces > kLargestMaxPieces) {
    reject("max_pieces", "a number in [1, " + std::to_string(kLargestMaxPieces) + "]",
           std::to_string(options.max_pieces));
  }
  check_positive("accept_residual", options.accept_residual);
  McpEnumerationResult result;
  result.first.x.setConstant(b.size(), std::numeric_limits<double>::quiet_NaN());
  result.first.F = result.first.x;
  result.first.residual = std::numeric_limits<double>::infinity();
  if (count_mcp_pieces(lower, upper) > options.max_pieces) {
    result.first.status = LcpStatus::TooLarge;
    return result;
  }
  result.complete = true;
  PieceSearch(A, b, lower, upper, options, result).run();
  return result;
}

}  // namespace nsmb
