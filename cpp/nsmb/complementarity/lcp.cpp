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

double natural_residual_of(const ConstVectorRef& b, const ConstVectorRef& x,
                           const ConstVectorRef& y) {
  double scale = 1.0;
  double worst = 0.0;
  double not_finite = 0.0;  // becomes NaN: comparisons with NaN are false and would hide it
  for (Index i = 0; i < b.size(); ++i) {
    worst = std::max(worst, std::abs(std::min(x[i], y[i])));
    scale = std::max(scale, std::abs(b[i]));
    not_finite += 0.0 * x[i] + 0.0 * y[i];
  }
  return not_finite == 0.0 ? worst / scale : std::numeric_limits<double>::infinity();
}

double natural_residual(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& x) {
  const Index n = b.size();
  check_shape("A", A, n, n);
  check_size("x", x, n);
  Vector y(n);
  evaluate_lcp(A, b, x, y);
  return natural_residual_of(b, x, y);
}

void evaluate_lcp(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& x,
                  VectorRef y) {
  y = b;
  for (Index j = 0; j < x.size(); ++j) {
    if (x[j] != 0.0) y += x[j] * A.col(j);
  }
}

void check_lcp(const ConstMatrixRef& A, const ConstVectorRef& b) {
  if (A.rows() != A.cols()) {
    reject("A", "a square matrix", "shape " + shape_text(A.rows(), A.cols()));
  }
  check_size("b", b, A.rows());
  check_finite("A", A);
  check_finite("b", b);
}

}  // namespace nsmb
