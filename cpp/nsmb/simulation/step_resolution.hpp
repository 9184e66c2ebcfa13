// Agreement of the motion with the polynomials through the samples of a step.
#pragma once

#include "nsmb/simulation/step_samples.hpp"

namespace nsmb {

/// A comparison of the indicators with the motion at the two checks, where the polynomials are
/// worst. Where shorter steps do not help, the cause may be rounding. It may also be an unreported
/// jump of the equations in time, such as a load that a function of the user switches.
class StepResolution {
 public:
  /// `atol` (ny): current tolerances of the integrator, read at every use.
  StepResolution(FrozenMotion& motion, const IntegratedStep& step, StepSamples& samples,
                 const Vector& atol);
  /// Start another frozen state, and forget the rounding measured so far.
  void freeze() { rounding_.setZero(); }

  /// Return true if the samples resolve the step. They must have been taken.
  bool is_resolved();
  /// Measure the effect of a few ulps of t and y on the observables. A force may be zero by the
  /// cancellation of its terms, such as that of a disc that runs along a wall.
  void measure_rounding();
  double rounding(Index contact, Observable observable) const {
    return rounding_(contact, observable);
  }
  /// Return the time at which the unresolved observable jumps, between two neighbouring values of
  /// t. Infinity if it does not jump.
  double find_jump();

 private:
  bool is_looked_at(Index contact, Observable observable) const;
  double noise(Index contact, Observable observable) const;
  double element_noise(Index element) const;
  bool contacts_are_resolved(Index check);
  bool features_are_resolved(Index check) const;
  bool dips_are_resolved();
  bool dip_is_resolved(Index contact, Index node);
  bool elements_are_resolved(Index check) const;
  template <typename Sample>
  bool agrees(Index check, double motion, double floor, bool is_gap, const Sample& sample) const;
  void largest_change(Index node, double direction, Matrix& change);

  FrozenMotion& motion_;
  const IntegratedStep& step_;
  StepSamples& samples_;
  const Vector& atol_;
  Matrix rounding_;                // (nc, kObservables), zero if not measured
  Matrix change_, end_change_;     // likewise, beyond the ends of the step
  Index unresolved_contact_ = -1;  // -1: something that does not jump
  Observable unresolved_ = kGap;
  Observation seen_;
  Vector y_;
  Vector c_;  // (kNodes + 1), of a gap
};

}  // namespace nsmb
