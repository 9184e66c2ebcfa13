// Force laws ζ(t, γ, γ̇) of elements between two points or on a joint coordinate (3.12)-(3.15).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Which force counts as positive. γ is a distance, or a coordinate.
enum class SignConvention {
  Pressure,  // (3.12): ζ > 0 pushes the points apart; a spring is ζ = -c (γ - γ_0) - d γ̇
  Tension,   // (11.6)-(11.8): ζ > 0 pulls them together; a spring is ζ = c (γ - γ_0) + d γ̇
};

struct LawSlope {
  double by_gamma = 0.0, by_rate = 0.0;
};

/// Immutable and shared between threads.
class ForceLaw {
 public:
  virtual ~ForceLaw() = default;
  /// `inputs`: those of the whole system.
  virtual double force(double t, double gamma, double gamma_dot, const Vector& inputs) const = 0;
  /// How many inputs the system has at least.
  virtual Index least_inputs() const { return 0; }
  /// Of the part that depends on γ alone, in the Tension convention ∫ ζ dγ; NaN: not known.
  virtual double energy(double gamma) const;
  /// ∂ζ/∂γ and ∂ζ/∂γ̇; by differences of the law unless overridden.
  virtual LawSlope slope(double t, double gamma, double gamma_dot, const Vector& inputs) const;
};

using ForceLawPtr = std::shared_ptr<const ForceLaw>;

struct SignedLaw {
  ForceLawPtr law;
  SignConvention sign = SignConvention::Tension;
};

/// ζ = c (γ - γ_0) + d γ̇ + preload, Tension.
class SpringDamper final : public ForceLaw {
 public:
  SpringDamper(double c, double d, double free_length, double preload);
  double force(double t, double gamma, double gamma_dot, const Vector& inputs) const override;
  double energy(double gamma) const override;
  LawSlope slope(double, double, double, const Vector&) const override { return {c_, d_}; }

 private:
  double c_, d_, free_length_, preload_;
};

/// ζ = s(γ) + v(γ̇) by cubic pieces, Tension; beyond the ends straight on.
class TableLaw final : public ForceLaw {
 public:
  /// Piece k of a curve is Σ_j c(j, k) (x - x_k)^(3 - j). Both curves may be empty.
  struct Curve {
    Vector x;  // (n) rising
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

class UserLaw final : public ForceLaw {
 public:
  /// `values` of the inputs that the law asks for.
  using Function =
      std::function<double(double t, double gamma, double gamma_dot, const Vector& values)>;
  /// `places`: where these stand among the inputs of the system.
  explicit UserLaw(Function function, std::vector<Index> places = {});
  double force(double t, double gamma, double gamma_dot, const Vector& inputs) const override;
  Index least_inputs() const override;

 private:
  Function function_;
  std::vector<Index> places_;
};

/// ζ is an input.
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
