// Impacts without restitution, for bodies that deform. Contact forces are constant over a step and
// complementary to the gaps, or to their rates, at its end. Thesis, chapter 5, (5.10)-(5.37).
#pragma once

#include <memory>
#include <vector>

#include "nsmb/stepping/force_laws.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

/// A stepper for schemes that find forces. A main integrator advances the motion under given
/// forces, and a linear map predicts how forces move the end of the step. Both alternate until the
/// laws hold at the end that the main integrator reaches. The map affects the number of iterations,
/// not the result.
class ForceStepping final : public Stepper {
 public:
  /// Throw std::invalid_argument for contacts with restitution.
  ForceStepping(Mechanics& mechanics, const TimeSteppingOptions& options);

  void step(const RunState& from, double h, StepOutcome& outcome) override;
  double passed(const RunState& end) override { return place_.passed(end); }
  void forget() override;
  void remember_as(const Stepper& other) override;
  void keep() override { kept_N_ = lambda_N_, kept_T_ = lambda_T_; }
  void go_back() override { lambda_N_ = kept_N_, lambda_T_ = kept_T_; }

 private:
  void begin(const RunState& from, double h, StepOutcome& outcome);
  bool move(StepOutcome& outcome);
  void improve(StepOutcome& outcome);
  void tell(double h, StepOutcome& outcome);

  Mechanics& mechanics_;
  const TimeSteppingOptions options_;
  // True: only contacts closed at the start take part. False: all that would be passed.
  const bool of_rates_;
  StepPlace place_;
  RungeKuttaStep main_;
  std::unique_ptr<RungeKuttaStep> other_;  // integrator of the map, if it is another method
  ForceLaws laws_;
  double h_ = 0.0, t_end_ = 0.0;
  double defect_ = 0.0, allowed_ = 0.0;  // residual of the laws at the last end, m/s
  Vector Lambda_N_, Lambda_T_;           // (nc), (nt) N s
  Vector lambda_N_, lambda_T_;           // the same over h, N; of the last step between steps
  Vector kept_N_, kept_T_;               // forces of the step before a trial step
  Vector best_N_, best_T_;               // impulses with the smallest residual
  double least_ = 0.0;
};

}  // namespace nsmb
