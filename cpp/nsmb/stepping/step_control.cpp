#include "nsmb/stepping/step_control.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Two halves of a rejected step reach its end.
constexpr int kWait = 2;

}  // namespace

StepControl::StepControl(double longest, double shortest, int order)
    : longest_(longest), shortest_(shortest), order_(order), next_(longest) {}

void StepControl::restart() {
  next_ = longest_;
  waits_ = 0;
}

double StepControl::length(double left) const {
  return left <= 2.0 * next_ * (1.0 + stepping::kLastStep) ? 0.5 * left : next_;
}

TrialVerdict StepControl::judge(double h, const StepTrial& trial) {
  const bool event = trial.jumps || trial.switches;
  const double ratio =
      trial.error / (event ? 1.0 : std::max(h / longest_, error_control::kLeastPart));
  const double order = event ? 1.0 : order_;
  const bool fits = ratio <= 1.0;  // false for NaN
  ratio_ = ratio;
  if (!fits && h > shortest_ * (1.0 + stepping::kLastStep)) {
    // Halving approaches an event. A much shorter step would need many steps to reach it.
    const double least = event ? 0.5 : error_control_tuning::kLeastShare;
    const double share = error_control_tuning::kSafety * std::pow(ratio, -1.0 / order);
    next_ = std::max(shortest_, h * std::clamp(share, least, error_control_tuning::kSafety));
    waits_ = kWait;
    return TrialVerdict::Again;
  }
  // After an event, and if shorter steps do not help, longer ones are tried.
  const bool grows = event || !fits;
  const double share = grows ? error_control_tuning::kMostGrowth
                             : error_control_tuning::kSafety * std::pow(ratio, -1.0 / order);
  if (grows) waits_ = 0;
  double factor =
      std::clamp(share, error_control_tuning::kLeastShare, error_control_tuning::kMostGrowth);
  if (waits_ > 0) factor = std::min(factor, 1.0);
  waits_ = std::max(waits_ - 1, 0);
  // The end of a run, or a discontinuity, may have shortened these two steps.
  const double proposal = factor < 1.0 ? factor * h : std::max(next_, factor * h);
  next_ = std::clamp(proposal, shortest_, longest_);
  return fits ? TrialVerdict::Taken : TrialVerdict::Coarse;
}

}  // namespace nsmb
