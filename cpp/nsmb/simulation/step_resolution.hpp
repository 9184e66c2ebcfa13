// Do the polynomials through the samples of a step describe the motion between them?
#pragma once

#include "nsmb/simulation/step_samples.hpp"

namespace nsmb {

/// The indicators are compared with the motion at the two checks, where the polynomials are worst.
/// Where shorter steps do not help, what is seen may be rounding, or a jump of the equations in
/// time that nobody told of, as loads that a function of the user switches.
class StepResolution {
 public:
  /// `atol` (ny) of the integrator, as it is whenever it is asked for.
  StepResolution(FrozenMotion& motion, const IntegratedStep& step, StepSamples& samples,
                 const Vector& atol);
  /// Another state: forget what rounding has made.
  void freeze() { rounding_.setZero(); }

  /// Of the samples, which are taken.
  bool is_resolved();
  /// A force may be zero by the cancellation of its terms, as that of a disc that runs along a
  /// wall. A few ulps of t and y more or less show how much rounding makes of it.
  void measure_rounding();
  double rounding(Index contact, Observable observable) const {
    return rounding_(contact, observable);
  }
  /// Where the observable that is not resolved jumps in time, between two values of t that nothing
  /// lies between; infinity: nowhere.
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
  Matrix rounding_;                // (nc, kObservables), zero: not looked for
  Matrix change_, end_change_;     // likewise, off the ends of the step
  Index unresolved_contact_ = -1;  // -1: something that does not jump
  Observable unresolved_ = kGap;
  Observation seen_;
  Vector y_;
  Vector c_;  // (kNodes + 1) of a gap
};

}  // namespace nsmb
