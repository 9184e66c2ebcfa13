// Friction coefficients as functions of the slip speed, μ(|γ_T|).
#pragma once

#include <memory>
#include <vector>

namespace nsmb {

/// A friction coefficient over the slip speed. It is immutable and shared between contacts and
/// threads.
class FrictionCurve {
 public:
  virtual ~FrictionCurve() = default;
  virtual double coefficient(double speed) const = 0;
};

using FrictionCurvePtr = std::shared_ptr<const FrictionCurve>;

/// The curve μ(v) = μ_d + (μ_0 - μ_d) exp(-(v/v_s)^δ) + k v. It falls from μ_0 towards μ_d within a
/// few v_s.
class StribeckCurve final : public FrictionCurve {
 public:
  /// Throw std::invalid_argument for values out of range.
  StribeckCurve(double mu_0, double mu_d, double v_s, double delta, double k);
  double coefficient(double speed) const override;

 private:
  double mu_0_, mu_d_, v_s_, delta_, k_;
};

/// A cubic a + b τ + c τ² + d τ³, τ = v - v_i, on every interval of a grid from 0. It is constant
/// beyond the last point.
class CubicCurve final : public FrictionCurve {
 public:
  /// `coefficients` contains (a, b, c, d) of every interval. Throw std::invalid_argument if it is
  /// invalid.
  CubicCurve(std::vector<double> speeds, std::vector<double> coefficients);
  double coefficient(double speed) const override;

 private:
  double piece(std::size_t interval, double speed) const;
  std::vector<double> speeds_, coefficients_;
};

}  // namespace nsmb
