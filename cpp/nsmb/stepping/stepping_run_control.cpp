// Error-controlled step lengths.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "nsmb/stepping/stepping_run.hpp"

namespace nsmb {

SimulationStatus SteppingRun::step_twice(double t_end) {
  const double stop = this->stop(t_end), left = stop - state_.t;
  StepControl& control = doubling_.control();
  TrialVerdict verdict;
  do {
    // Nothing may pass through anything during both steps.
    const double h = 2.0 * control.length(left);
    h_ = 0.5 * touches_.length(state_.t, h, longest(h));
    const StepTrial trial = doubling_.attempt(state_, h_);
    if (doubling_.was_interrupted()) {
      doubling_.withdraw();
      return interrupt();
    }
    verdict = control.judge(h_, trial);
    counts_of_steps_.counts.contact_problems += doubling_.problems_besides();
    if (verdict != TrialVerdict::Again) continue;
    ++counts_of_steps_.integrator.rejected;
    doubling_.withdraw();
  } while (verdict == TrialVerdict::Again);
  if (const StepOutcome* bad = doubling_.not_finite()) return fail_to_be_finite(*bad);
  if (left == 2.0 * h_) doubling_.second().end.t = stop;
  const bool is_coarse = verdict == TrialVerdict::Coarse;
  for (StepOutcome* half : {&doubling_.first(), &doubling_.second()}) {
    const bool ends_run = half == &doubling_.second() && half->end.t == t_end;
    if (users_ && users_->finds(state_, h_, half->end, ends_run)) {
      doubling_.withdraw();
      // The repeated step restores the stored data.
      if (half == &doubling_.second()) stepper_->step(before_, h_, outcome_);
      stepper_->keep();
      return end_at_event(t_end, is_coarse);
    }
    std::swap(outcome_, *half);
    const SimulationStatus status = add(is_coarse);
    if (status != SimulationStatus::Finished) return status;
  }
  return SimulationStatus::Finished;
}

}  // namespace nsmb
