// Power series on the last step: of watched quantities, of powers, and of the state.
#pragma once

#include <vector>

#include "nsmb/simulation/step_resolution.hpp"
#include "nsmb/simulation/step_samples.hpp"

namespace nsmb {

/// Power series in s = (t - t_old)/(t_end - t_old), through the samples.
class StepSeries {
 public:
  static constexpr Index kNodes = StepSamples::kNodes;
  static constexpr Index kMaxDegree = kNodes + 2;

  StepSeries(FrozenMotion& motion, const IntegratedStep& step, StepSamples& samples,
             const StepResolution& resolution);

  /// See Phase for these functions.
  void expand(const std::vector<Indicator>& indicators, bool starts, Matrix& coefficients);
  double touch_tolerance(const Indicator& indicator) const;
  double end_value(const Indicator& indicator, double sum) const;
  double domain_at(double s, Index contact);
  bool expand_friction_power(Matrix& power);
  bool expand_drive_power(VectorRef power);
  const Matrix& states();

 private:
  void expand_one(const Indicator& indicator, Index zeros, VectorRef c);
  void fit(const Indicator& indicator, VectorRef c) const;
  void fit_after_zero(const Indicator& indicator, Index zeros, VectorRef c) const;
  bool is_noise(const Indicator& indicator, bool at_zero) const;
  bool is_watched_function(const Indicator& indicator) const;
  double find_end_of_law();

  FrozenMotion& motion_;
  const IntegratedStep& step_;
  StepSamples& samples_;
  const StepResolution& resolution_;
  Matrix states_;       // (ny, kNodes + 1)
  Matrix node_slopes_;  // (ny, kNodes)
  Vector c_;            // (kMaxDegree + 1), of one indicator
  Observation seen_;
  Vector y_;
};

}  // namespace nsmb
