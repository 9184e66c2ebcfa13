// Impact without restitution: forces of contacts, constant over a step, that make gaps or their
// rates at its end complementary to them, and bodies that deform. Thesis, chapter 5, (5.10)-(5.37).
#pragma once

#include <memory>
#include <vector>

#include "nsmb/stepping/force_laws.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

/// Steps of schemes that find forces: a main integrator that advances the motion under given
/// forces, and a map that says how they move the end of a step; one after the other until the laws
/// hold where the main integrator has led. Maps decide how soon that is, not where.
class ForceStepping final : public Stepper {
 public:
  /// Throws std::invalid_argument for contacts with restitution.
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
  const bool of_rates_;  // contacts closed at the start; otherwise all that would be passed
  StepPlace place_;
  RungeKuttaStep main_;
  std::unique_ptr<RungeKuttaStep> other_;  // of the map, where it is another method
  ForceLaws laws_;
  double h_ = 0.0, t_end_ = 0.0;
  double defect_ = 0.0, allowed_ = 0.0;  // of the laws at the last end, m/s
  Vector Lambda_N_, Lambda_T_;           // (nc), (nt) N s
  Vector lambda_N_, lambda_T_;           // the same over h, N; of the last step, before one begins
  Vector kept_N_, kept_T_;               // those of the step before the one that is tried
  Vector best_N_, best_T_;               // those with the least defect
  double least_ = 0.0;
};

}  // namespace nsmb
