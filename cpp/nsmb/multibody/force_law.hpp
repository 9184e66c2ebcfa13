// Force laws ζ(t, γ, γ̇) of elements between two points or on a joint coordinate (3.12)-(3.15).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Sign of the force. γ is a distance or a coordinate.
enum class SignConvention {
  Pressure,  // (3.12): ζ > 0 pushes the points apart; a spring is ζ = -c (γ - γ_0) - d γ̇
  Tension,   // (11.6)-(11.8): ζ > 0 pulls them together; a spring is ζ = c (γ - γ_0) + d γ̇
};

/// Slopes of a law.
struct LawSlope {
  double by_gamma = 0.0, by_rate = 0.0;
};

/// A force law, immutable and shared between threads.
class ForceLaw {
 public:
  virtual ~ForceLaw() = default;
  /// Return ζ. `inputs` are those of the whole system.
  virtual double force(double t, double gamma, double gamma_dot, const Vector& inputs) const = 0;
  /// Return the minimum number of inputs of the system.
  virtual Index least_inputs() const { return 0; }
  /// Return the energy of the part that depends on γ alone, ∫ ζ dγ in the Tension convention. NaN:
  /// unknown.
  virtual double energy(double gamma) const;
  /// Return ∂ζ/∂γ and ∂ζ/∂γ̇, by finite differences of the law unless overridden.
  virtual LawSlope slope(double t, double gamma, double gamma_dot, const Vector& inputs) const;
};

using ForceLawPtr = std::shared_ptr<const ForceLaw>;

/// A law with its sign convention.
struct SignedLaw {
  ForceLawPtr law;
  SignConvention sign = SignConvention::Tension;
};

/// The law ζ = c (γ - γ_0) + d γ̇ + preload, in the Tension convention.
class SpringDamper final : public ForceLaw {
 public:
  SpringDamper(double c, double d, double free_length, double preload);
  double force(double t, double gamma, double gamma_dot, const Vector& inputs) const override;
  double energy(double gamma) const override;
  LawSlope slope(double, double, double, const Vector&) const override { return {c_, d_}; }

 private:
  double c_, d_, free_length_, preload_;
};

/// The law ζ = s(γ) + v(γ̇) of piecewise cubics, in the Tension convention. Beyond the ends, both
/// curves continue as straight lines.
class TableLaw final : public ForceLaw {
 public:
  /// A curve whose piece k is Σ_j c(j, k) (x - x_k)^(3 - j). Both curves of a law may be empty.
  struct Curve {
    Vector x;  // (n) increasing
    Matrix c;  // (4, n - 1)
    double at(double place) const;
    double slope(double place) const;
    Index piece(double inside) const;
  };
  TableLaw(Curve spring, Curve damper);
  double force(double t, double gamma, double gamma_dot, const Vector& inputs) const override;
  LawSlope slope(double, double gamma, double gamma_dot, const Vector&) const override {
    return {spring_.slope(gamma), damper_.slope(gamma_dot)};
  }

 private:
  Curve spring_, damper_;
};

/// A law given by a user function.
class UserLaw final : public ForceLaw {
 public:
  /// Function of time, γ, γ̇ and the `values` of the requested inputs.
  using Function =
      std::function<double(double t, double gamma, double gamma_dot, const Vector& values)>;
  /// Construct the law. `places` are the indices of the requested inputs in the system.
  explicit UserLaw(Function function, std::vector<Index> places = {});
  double force(double t, double gamma, double gamma_dot, const Vector& inputs) const override;
  Index least_inputs() const override;

 private:
  Function function_;
  std::vector<Index> places_;
};

/// A law whose ζ is an input.
class InputLaw final : public ForceLaw {
 public:
  explicit InputLaw(Index place) : place_(place) {}
  double force(double, double, double, const Vector& inputs) const override {
    return inputs(place_);
  }
  LawSlope slope(double, double, double, const Vector&) const override { return {}; }
  Index least_inputs() const override { return place_ + 1; }

 private:
  Index place_;
};

}  // namespace nsmb
