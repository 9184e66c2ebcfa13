// Dormand-Prince 8(5,3): the explicit Runge-Kutta method of order 8 for smooth, non-stiff motion.
#pragma once

#include "nsmb/integration/dormand_prince_tableau.hpp"
#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// The Dormand-Prince method 8(5,3) with twelve slopes per step and y of order 8. The error is
/// estimated by embedded formulas of order 5 and 3 [HNW II.5, eq. (5.22) and (10.17)]. Dense output
/// of order 7 needs three more slopes, which are computed at the first `interpolate` after a step
/// [HNW II.6].
///
///     ‖e‖² = (1/n) Σ (e_i / s_i)²,    s_i = atol_i + rtol max(|y_old_i|, |y_i|),
///     step accepted if ‖e‖ <= 1,      h_next = h clamp(0.9 ‖e‖^-0.117 ‖e_before‖^0.04, 1/3, 6).
///
/// Nothing is allocated after construction.
class DormandPrince853 final : public Integrator {
 public:
  DormandPrince853(OdeProblem& problem, const IntegratorOptions& options);

  void restart(double t, const ConstVectorRef& y) override;
  void set_atol(const ConstVectorRef& atol) override;
  StepStatus step(double t_stop) override;
  StepStatus redo(double t_end) override;
  void interpolate(double t, VectorRef y) const override;

  double t_old() const override { return t_old_; }
  double t() const override { return t_; }
  const Vector& y() const override { return y_; }

  void expect_as(const Integrator& other) override;
  std::string_view name() const override { return "dp853"; }
  int order() const override { return 8; }
  std::string message() const override;
  Index worst_component() const override;
  IntegratorStatistics statistics() const override { return statistics_; }

 private:
  struct StepControl {
    double h;  // allowed by the error test, whatever t_stop was; 0: not known yet
    double last_error = 1e-4;
    double longest = 0.0;  // longest step before a restart, as far as the motion went
  };

  /// The last step as a polynomial in θ = (t - t_old) / h, in the nested form of [HNW II.6].
  struct DenseOutput {
    bool ready = false;
    double h = 0.0;
    Vector y_old, f_old;
    Matrix coefficients;  // (n, 7)
    Vector bend;          // adds bend (t - t_old), see redo
  };

  /// Return false if the slope is not finite.
  bool evaluate(double t, const ConstVectorRef& y, VectorRef ydot) const;
  template <int stage>
  bool evaluate_stage(double t_end, double h) const;
  double attempt(double h, double t_end);
  double shift() const;
  StepStatus advance(double t_limit, StepControl& control);
  void begin_step();
  double first_step(double room);
  double scale(Index i, double magnitude) const { return atol_[i] + rtol_ * magnitude; }
  void prepare_dense_output() const;
  void evaluate_dense_output(double t, VectorRef y) const;
  StepStatus fail(StepStatus status, double h);

  OdeProblem& problem_;
  Index n_;
  double rtol_;
  Vector atol_;
  double max_step_;

  double t_old_ = 0.0;
  double t_reached_ = 0.0;  // end of the last step(), which redo() may not exceed
  double t_ = 0.0;
  Vector y_old_;
  Vector y_;
  Vector f_;  // f(t, y), if have_f_
  bool have_f_ = false;
  bool started_ = false;
  StepControl control_;

  // Also filled by `interpolate`: the slopes of the dense output are computed on first use.
  mutable Matrix slopes_;  // (n, 16)
  mutable Vector y_stage_;
  mutable DenseOutput dense_;
  mutable IntegratorStatistics statistics_;
  Vector y_new_;

  StepStatus failure_ = StepStatus::Ok;
  double failure_h_ = 0.0;
};

}  // namespace nsmb
