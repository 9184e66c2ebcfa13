// Phases of any system, integrated numerically and watched through polynomials on every step.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "nsmb/simulation/event_locator.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/stall_watch.hpp"
#include "nsmb/simulation/step_resolution.hpp"
#include "nsmb/simulation/step_series.hpp"
#include "nsmb/simulation/tolerance_scale.hpp"

namespace nsmb {

/// A phase of any system. FrozenMotion gives the equations and IntegratedStep integrates them.
/// StepSamples, StepResolution and StepSeries examine the last step. EventLocator ends it at an
/// event.
class SmoothPhase final : public Phase {
 public:
  SmoothPhase(const System& system, std::string_view method, const IntegratorOptions& options,
              const TransitionOptions& transition);

  void reset() override;
  void enter(const FrozenRoles& roles, const ElementModes& modes, double t, VectorRef y) override;
  void set_span(const Discontinuity& from, const Discontinuity& to) override {
    motion_.mechanics().set_span(TimeSpan(from, to));
  }
  void set_inputs(const ConstVectorRef& values) override { motion_.mechanics().set_inputs(values); }
  void set_features(const ContactFeatures& features) override {
    motion_.mechanics().contacts.features = features;
  }
  const ContactFeatures* features() const override {
    return &motion_.mechanics().contacts.features;
  }
  StepStatus step(double t_stop) override;
  double jump() const override { return jump_; }
  StepStatus end_before_jump() override { return resolve(step_.stop_at(jump_)); }
  StepStatus locate(const Indicator& indicator, double s_guess) override {
    return locator_.locate(indicator, s_guess, starts_);
  }
  bool has_fallen(const Indicator& indicator) override;
  double touch_tolerance(const Indicator& indicator) const override {
    return series_.touch_tolerance(indicator);
  }
  double end_value(const Indicator& indicator, double sum) const override {
    return series_.end_value(indicator, sum);
  }
  StepStatus cut(double s) override;
  StepStatus look_closer(double s) override;
  bool moves_with_time(Index contact) const override;
  double gap_change(Index contact) const override;
  void state_at(double s, VectorRef y) override { step_.at(s, y); }
  StepStatus cut_at_zero(const TimedFunction& f, double s) override {
    return locator_.cut_at_zero(f, s);
  }
  void mark_rest(std::vector<bool>& contacts) override;
  bool slips_on(Index contact) const override { return motion_.slip().slips_on(contact); }
  bool jams() override;
  void rest_speeds(double t, const ConstVectorRef& y, VectorRef speeds) override;
  void observe(double t, const ConstVectorRef& y, Observation& observation) override {
    motion_.observe(t, y, observation);
  }
  void expand(const std::vector<Indicator>& indicators, bool starts, Matrix& coefficients) override;
  bool expand_friction_power(Matrix& power) override {
    return series_.expand_friction_power(power);
  }
  bool expand_drive_power(VectorRef power) override { return series_.expand_drive_power(power); }
  double domain_at(double s, Index contact) override { return series_.domain_at(s, contact); }
  const Matrix& series() override { return series_.states(); }
  Index series_degree() const override { return StepSeries::kNodes; }
  double t() const override { return step_.t(); }
  const Vector& y() const override { return step_.y(); }
  double duration() const override { return step_.duration(); }
  const Integrator& integrator() const override { return step_.integrator(); }
  std::string trouble(StepStatus status) const override;
  bool knows_remedy(StepStatus status) const override {
    return (status == StepStatus::StandsStill && stall_.component() >= 0) ||
           !motion_.trouble().empty();
  }
  void freeze(const FrozenRoles& roles, const ElementModes& modes) override;
  void adopt(const Phase& other) override;
  bool recalls() const override { return motion_.recalls(); }
  void rate(double t, const ConstVectorRef& y, VectorRef ydot) override { motion_.rhs(t, y, ydot); }
  bool rate_jacobian(double t, const ConstVectorRef& y, MatrixRef J) override {
    return motion_.jacobian(t, y, J);
  }

  /// Maximum degree of the polynomials through which the indicators are watched.
  static constexpr Index kMaxDegree = StepSeries::kMaxDegree;

 private:
  StepStatus step_within_limits(double t_stop);
  double longest_step();
  StepStatus resolve(StepStatus status);
  enum class Sight { Clear, Unclear, None };
  Sight look(bool measure);
  void measure_scale(double t, const ConstVectorRef& y);
  std::string name_of(Index component) const;

  ToleranceScale tolerance_;
  FrozenMotion motion_;
  IntegratedStep step_;
  StepSamples samples_;
  StepResolution resolution_;
  StepSeries series_;
  EventLocator locator_;
  StallWatch stall_;
  Observation seen_;     // scratch
  bool starts_ = false;  // the last step is the first of the phase
  double jump_ = std::numeric_limits<double>::infinity();  // time on the last step
};

}  // namespace nsmb
