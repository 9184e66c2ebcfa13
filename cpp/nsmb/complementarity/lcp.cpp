#include "nsmb/complementarity/lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

std::string_view to_text(LcpStatus status) {
  switch (status) {
    case LcpStatus::NotRun:
      return "not run";
    case LcpStatus::Solved:
      return "solved";
    case LcpStatus::Ray:
      return "ray";
    case LcpStatus::PivotLimit:
      return "pivot limit";
    case LcpStatus::NoSolution:
      return "no solution";
    case LcpStatus::Inaccurate:
      return "inaccurate";
    case LcpStatus::TooLarge:
      return "too large";
    case LcpStatus::IterationLimit:
      return "iteration limit";
    case LcpStatus::Stalled:
      return "stalled";
  }
  return "unknown";
}

double natural_residual(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& x) {
  const Index n = b.size();
  check_shape("A", A, n, n);
  check_size("x", x, n);
  double scale = 1.0;
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) {
    double y = b[i];
    for (Index j = 0; j < n; ++j) y += A(i, j) * x[j];
    const double miss = std::abs(std::min(x[i], y));
    // Comparisons with NaN are false; without this line a NaN would pass as a small residual.
    if (!std::isfinite(x[i]) || !std::isfinite(y)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, miss);
    scale = std::max(scale, std::abs(b[i]));
  }
  return worst / scale;
}

void evaluate_lcp(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& x,
                  VectorRef y) {
  y = b;
  for (Index j = 0; j < x.size(); ++j) y += x[j] * A.col(j);
}

void check_lcp(const ConstMatrixRef& A, const ConstVectorRef& b) {
  if (A.rows() != A.cols()) {
    reject("A", "a square matrix", "shape " + shape_text(A.rows(), A.cols()));
  }
  check_size("b", b, A.rows());
  check_finite("A", A);
  check_finite("b", b);
}

double reciprocal_power_of_two(double value) {
  if (value == 0.0) return 1.0;
  // Kept inside the exponents whose products with finite data neither overflow nor vanish early.
  return std::ldexp(1.0, std::clamp(-std::ilogb(value), -500, 500));
}

void equilibrate(const ConstMatrixRef& A, VectorRef row, VectorRef column) {
  constexpr int kSweeps = 4;  // each sweep halves the exponents' distance from zero
  const Index n = A.rows();
  row.setOnes();
  column.setOnes();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Index i = 0; i < n; ++i) {
      double largest = 0.0;
      for (Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(A(i, j)) * column[j]);
      if (largest > 0.0) row[i] = reciprocal_power_of_two(std::sqrt(largest * row[i]) / row[i]);
    }
    for (Index j = 0; j < n; ++j) {
      double largest = 0.0;
      for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(A(i, j)) * row[i]);
      if (largest > 0.0) column[j] = reciprocal_power_of_two(largest);
    }
  }
}

}  // namespace nsmb
