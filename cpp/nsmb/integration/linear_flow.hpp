// Closed-form flow of a linear system, by the power series of the matrix exponential.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// The basis w(t) = (1, t, cos ω₁t, sin ω₁t, ..., v) of everything that drives a linear system in
/// closed form. The inputs v are constant until they are set.
class TimeBasis {
 public:
  explicit TimeBasis(std::vector<double> omegas, Vector inputs = {})
      : omegas_(std::move(omegas)), inputs_(std::move(inputs)) {}

  Index size() const { return first_input() + inputs_.size(); }
  Index first_input() const { return 2 + 2 * static_cast<Index>(omegas_.size()); }
  void set_inputs(const ConstVectorRef& inputs) { inputs_ = inputs; }
  /// Compute the power series of w(t + h s) in s. Column k of `series` is the coefficient of sᵏ.
  /// Coefficients that are always zero are left unchanged.
  void series(double t, double h, MatrixRef series) const;
  void value(double t, VectorRef w) const;

 private:
  std::vector<double> omegas_;
  Vector inputs_;
};

/// The equations of motion (u̇, ẋ) = A (q, u, x, w(t)), q̇ = u, where A is (n + nx, 2n + nx + w).
struct LinearOde {
  LinearOde() = default;
  LinearOde(Matrix A, Index n);

  Matrix A;
  std::vector<Index> columns;  // non-zero columns of A, for (q, u, x) only
  double rate = 0.0;           // bound of the rates of change, 1/s
};

/// The exact flow in steps. The power series is cut where its terms fall below rounding, so that a
/// step is about 3.5/‖A‖ long. If A is nilpotent (free fall), a step is as long as requested. The
/// series is the dense output, and `redo` only evaluates it.
class LinearFlow final : public Integrator {
 public:
  /// Create a flow of `n` coordinates and `nx` states, where y = (q, u, x) has 2n + nx components.
  LinearFlow(Index n, Index nx, TimeBasis basis);

  static constexpr Index kOrder = 30;

  /// Set the equations from the next restart on. `ode` must outlive its use.
  void set_equations(const LinearOde& ode);
  /// Forget `ode`, which is about to be destroyed.
  void release(const LinearOde& ode) {
    if (ode_ == &ode) ode_ = nullptr;
  }

  /// Set the inputs of the basis from the next restart on.
  void set_inputs(const ConstVectorRef& inputs) { basis_.set_inputs(inputs); }

  /// Discard step sizes and statistics.
  void reset();

  /// Power series of (q; u; x; w)(t_old + s (t - t_old)) in s, shape (2n + nx + w, kOrder + 1).
  const Matrix& coefficients() const { return series_; }
  /// The highest power with a non-zero coefficient.
  Index degree() const { return degree_; }

  void restart(double t, const ConstVectorRef& y) override;
  void set_atol(const ConstVectorRef&) override {}
  StepStatus step(double t_stop) override;
  StepStatus redo(double t_end) override;
  /// Cut the last step at its fraction s. Unlike redo(), this is exact where t_old() + s h is
  /// rounded.
  void cut(double s);
  void interpolate(double t, VectorRef y) const override;
  double t_old() const override { return t_old_; }
  double t() const override { return t_; }
  /// Duration of the last step, with digits that t() - t_old() may have lost.
  double duration() const { return duration_; }
  const Vector& y() const override { return y_; }
  /// y at the end of the last step, for projection onto invariants.
  Vector& state() { return y_; }
  std::string_view name() const override { return "linear_flow"; }
  IntegratorStatistics statistics() const override { return statistics_; }

 private:
  void expand(double h);
  double usable_fraction() const;
  void rescale(double fraction);
  void sum_series();

  Index n_, ny_;
  TimeBasis basis_;
  const LinearOde* ode_ = nullptr;
  Matrix series_;
  Index degree_ = 0;
  double t_old_ = 0.0, t_ = 0.0, duration_ = 0.0;
  double growth_ = 4.0;     // factor by which the next step may be longer
  double last_step_ = 0.0;  // longest step that the series allowed in the last step
  Vector y_;
  IntegratorStatistics statistics_;
};

/// Evaluate y(s) of a power series, one row per component, by Horner's rule.
void evaluate_series(const ConstMatrixRef& series, Index degree, double s, VectorRef y);

}  // namespace nsmb
