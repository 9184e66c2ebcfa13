// Friction coefficients that depend on the slip speed, μ(|γ_T|).
#pragma once

#include <memory>
#include <vector>

namespace nsmb {

/// Immutable; shared between the contacts and threads that use it.
class FrictionCurve {
 public:
  virtual ~FrictionCurve() = default;
  virtual double coefficient(double speed) const = 0;
};

using FrictionCurvePtr = std::shared_ptr<const FrictionCurve>;

/// μ(v) = μ_d + (μ_0 - μ_d) exp(-(v/v_s)^δ) + k v: falls from μ_0 towards μ_d within some v_s.
class StribeckCurve final : public FrictionCurve {
 public:
  /// Throws std::invalid_argument for values out of range.
  StribeckCurve(double mu_0, double mu_d, double v_s, double delta, double k);
  double coefficient(double speed) const override;

 private:
  double mu_0_, mu_d_, v_s_, delta_, k_;
};

/// A cubic a + b τ + c τ² + d τ³ on every interval of a grid from 0, τ = v - v_i; beyond the last
/// point the value there.
class CubicCurve final : public FrictionCurve {
 public:
  /// `coefficients` holds (a, b, c, d) of every interval. Throws std::invalid_argument.
  CubicCurve(std::vector<double> speeds, std::vector<double> coefficients);
  double coefficient(double speed) const override;

 private:
  double piece(std::size_t interval, double speed) const;
  std::vector<double> speeds_, coefficients_;
};

}  // namespace nsmb
