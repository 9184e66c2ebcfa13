// The last step of an integrator, and where it ends.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// A step may be ended earlier, again and again, and where an event is located, by small steps
/// beyond what t resolves. The state at its end is then that of the event.
class IntegratedStep {
 public:
  IntegratedStep(OdeProblem& problem, std::string_view method, const IntegratorOptions& options);

  /// A new run, with these tolerances.
  void reset(const Vector& atol);
  void set_atol(const Vector& atol) { integrator_->set_atol(atol); }
  /// The integrator begins anew at (t, y).
  void begin(double t, const ConstVectorRef& y);

  /// One accepted step, not beyond t_stop.
  StepStatus advance(double t_stop);
  /// The same again, up to t_end, which nothing goes beyond from now on.
  StepStatus stop_at(double t_end);
  /// The same again, up to t_end.
  StepStatus shorten_to(double t_end);
  /// Likewise; the end is where the integrator stands, whatever became of it.
  StepStatus end_at(double t_end);
  /// To dt behind its start; what t cannot resolve is left to small steps.
  StepStatus go_to(double dt);
  /// The end moves on, by so little that any method would be exact.
  void small_step(double h);
  /// The end moves on along a straight line.
  void move_on(double dt, const Vector& slope);
  /// Small steps may have rounded it out of the step.
  void keep_inside();

  /// y := the state h behind the end, which stays where it is.
  void look_behind(double h, Vector& y);
  /// y := the state at part s of the step by its dense output; t there.
  double interpolate(double s, VectorRef y) const;
  /// The same, with the end as it is.
  double at(double s, VectorRef y) const;

  double t_old() const { return integrator_->t_old(); }
  double t() const { return t_; }
  const Vector& y() const { return y_; }
  /// s, up to the end; more digits than t() - t_old() has at late times.
  double duration() const { return duration_; }
  /// s, of the step, whatever locations have left of it.
  double whole() const { return whole_; }
  double t_stop() const { return t_stop_; }
  /// The end is too close to the start for the integrator.
  bool is_tiny() const { return is_tiny_; }
  /// Another one, whenever the step or its end has changed.
  long version() const { return version_; }
  const Integrator& integrator() const { return *integrator_; }

 private:
  void take_end();
  StepStatus take_end(StepStatus status);

  OdeProblem& problem_;
  std::string method_;
  IntegratorOptions options_;
  std::unique_ptr<Integrator> integrator_;
  double t_ = 0.0, t_stop_ = 0.0;
  double duration_ = 0.0, whole_ = 0.0;
  bool is_tiny_ = false;
  long version_ = 0;
  Vector y_, y_stage_;
  Matrix slopes_;  // (ny, 4)
};

}  // namespace nsmb
