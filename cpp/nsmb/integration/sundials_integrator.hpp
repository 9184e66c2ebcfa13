// Common part of the methods from SUNDIALS: callbacks into the problem, restarts, redo and dense
// output. No SUNDIALS type appears here.
#pragma once

#include <exception>
#include <string>

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// The base class of SUNDIALS methods. A derived class owns one solver and controls it in begin(),
/// take_step() and fill_dense_output(). The callbacks of the solver end in the functions call_*.
class SundialsIntegrator : public Integrator {
 public:
  void restart(double t, const ConstVectorRef& y) override;
  void set_atol(const ConstVectorRef& atol) override;
  StepStatus step(double t_stop) override;
  StepStatus redo(double t_end) override;
  void interpolate(double t, VectorRef y) const override;

  double t_old() const override { return t_old_; }
  double t() const override { return t_; }
  const Vector& y() const override { return y_; }
  std::string_view name() const override { return name_; }
  std::string message() const override { return message_; }
  IntegratorStatistics statistics() const override { return statistics_; }

  // Callbacks are called from C frames, which an exception must not cross. The exception is kept
  // and leaves take_step(). Return values follow SUNDIALS: 0, > 0 to try a smaller step, < 0 to
  // give up.
  int call_rhs(double t, const double* y, double* ydot) noexcept;
  int call_jacobian(double t, const double* y, double* dfdy) noexcept;
  int call_project(double t, double* y) noexcept;
  /// Compute the projection as a correction to be added to y.
  int call_project(double t, const double* y, double* correction) noexcept;
  void call_error_handler(const char* text) noexcept;
  /// Compute 1/(rtol |y_i| + atol_i).
  int call_weights(const double* y, double* weights) const noexcept;

 protected:
  static constexpr int kMaxDegree = 5;

  /// The last step as a polynomial Σ c_k s^k, s = (t - anchor) / h.
  struct DenseOutput {
    bool ready = false;
    double anchor = 0.0;
    double h = 1.0;
    int degree = 0;
    Matrix coefficients;  // (n, 6)
    Vector bend;          // adds bend (t - t_old), see redo
  };

  SundialsIntegrator(std::string_view name, OdeProblem& problem, const IntegratorOptions& options);

  /// Start the solver anew at (t, y), with the current tolerances and a step of length h (0: its
  /// own choice).
  virtual void begin(double t, const Vector& y, double h) = 0;
  /// Take one step to (t_new_, y_new_), and add to the statistics.
  virtual StepStatus take_step(double t_stop) = 0;
  /// Pass changed tolerances atol_ to the solver, which continues where it is.
  virtual void take_tolerances() {}
  /// Return the step that the error test proposes next after an accepted step, or the step that was
  /// tried after a failure. Return 0 if a start of the method does not benefit from it.
  virtual double proposed_step() const { return 0.0; }
  /// Return the length of the last failed step, or 0 if unknown.
  virtual double tried_step() const { return proposed_step(); }
  virtual void fill_dense_output(DenseOutput& dense) const = 0;

  void evaluate(double t, const ConstVectorRef& y, VectorRef ydot) const;
  void rethrow_from_callback() const;
  /// Return a finite end of a step, for solvers that do not support infinity.
  double finite_stop(double t_stop) const;
  double direction(double t_stop) const;
  void set_message(const char* text) const noexcept;

  OdeProblem& problem_;
  const Index n_;
  const double rtol_;
  const double max_step_;
  Vector atol_;

  double t_old_ = 0.0;
  double t_reached_ = 0.0;  // end of the last step(), which redo() may not exceed
  double t_ = 0.0;
  double t_new_ = 0.0;
  Vector y_old_, y_, y_new_;
  bool needs_begin_ = true;
  bool rhs_was_not_finite_ = false;  // at begin(): h is that of a shorter attempt
  double natural_step_;  // allowed by the error test, whatever t_stop was; 0: not known yet
  mutable IntegratorStatistics statistics_;  // the dense output may evaluate the rhs

 private:
  StepStatus advance(double t_stop);
  bool cross_rounding(double t_stop);
  void prepare_dense_output() const;
  void evaluate_dense_output(double t, VectorRef y) const;

  const std::string name_;
  bool started_ = false;
  bool crossed_rounding_ = false;
  double last_step_ = 0.0;
  double longest_ = 0.0;  // longest step before a restart, as far as the motion went
  bool tolerances_changed_ = false;
  Vector y_start_, work_;
  mutable std::string message_;
  mutable std::exception_ptr exception_;
  mutable DenseOutput dense_;
};

std::unique_ptr<Integrator> make_arkode(std::string_view name, OdeProblem& problem,
                                        const IntegratorOptions& options);
std::unique_ptr<Integrator> make_cvode(OdeProblem& problem, const IntegratorOptions& options);

}  // namespace nsmb
