// The last step of an integrator, and its end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// A step whose end can be moved back repeatedly. Where an event is located, small steps move the
/// end beyond the resolution of t. The state at the end is then that of the event.
class IntegratedStep {
 public:
  IntegratedStep(OdeProblem& problem, std::string_view method, const IntegratorOptions& options);

  /// Start a new run with these tolerances.
  void reset(const Vector& atol);
  void set_atol(const Vector& atol) { integrator_->set_atol(atol); }
  /// Restart the integrator at (t, y).
  void begin(double t, const ConstVectorRef& y);

  /// Take one accepted step, not beyond t_stop.
  StepStatus advance(double t_stop);
  /// Repeat the step up to t_end, which becomes the new t_stop.
  StepStatus stop_at(double t_end);
  /// Repeat the step up to t_end.
  StepStatus shorten_to(double t_end);
  /// Repeat the step up to t_end. The end is that of the integrator, whatever the status.
  StepStatus end_at(double t_end);
  /// Move the end to dt after the start. Small steps cover what t cannot resolve.
  StepStatus go_to(double dt);
  /// Move the end by h, so little that any method would be exact.
  void small_step(double h);
  /// Move the end along a straight line.
  void move_on(double dt, const Vector& slope);
  /// Limit t to the step, because small steps may have rounded it out.
  void keep_inside();

  /// Set y to the state h after the end, which stays where it is.
  void extrapolate(double h, Vector& y);
  /// Set y to the state at the fraction s of the step by its dense output, and return t there.
  double interpolate(double s, VectorRef y) const;
  /// Do the same, with the located state at the end.
  double at(double s, VectorRef y) const;

  double t_old() const { return integrator_->t_old(); }
  double t() const { return t_; }
  const Vector& y() const { return y_; }
  /// Return the duration up to the end, s. At late times it has more digits than t() - t_old().
  double duration() const { return duration_; }
  /// Return the duration of the whole step, s, before any location.
  double whole() const { return whole_; }
  double t_stop() const { return t_stop_; }
  /// Return true if the end is too close to the start for the integrator.
  bool is_tiny() const { return is_tiny_; }
  /// Return a number that changes whenever the step or its end changes.
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
