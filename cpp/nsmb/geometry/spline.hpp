// Splines: cubics in a parameter, joined with continuous curvature.
#pragma once

#include "nsmb/geometry/curves.hpp"

namespace nsmb {

/// On [σ_k, σ_k+1]: r = a + b τ + c τ² + d τ³, τ = σ - σ_k, in x and y.
class SplineContour final : public CurveContour {
 public:
  /// `knots` (k+1) ascending; `x`, `y` (4, k): a, b, c, d of every interval. Throws
  /// std::invalid_argument where r, r' or r'' jumps, or r' vanishes at a knot.
  SplineContour(std::vector<double> knots, const ConstMatrixRef& x, const ConstMatrixRef& y,
                bool closed);
  void derivatives(Index, double sigma, CurveDerivatives& out) const override;

 private:
  using Cubic = Eigen::Matrix<double, 2, 4>;
  void evaluate(std::size_t interval, double tau, CurveDerivatives& out) const;
  std::vector<double> knots_;
  std::vector<Cubic> cubics_;
};

}  // namespace nsmb
