#include "nsmb/stepping/step_doubling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr int kOrder = 2;  // between impacts

bool differ(const RunState& one, const RunState& other) {
  return one.states != other.states || one.modes != other.modes;
}

}  // namespace

StepDoubling::StepDoubling(Mechanics& mechanics, Stepper& stepper,
                           const TimeSteppingOptions& options)
    : mechanics_(mechanics),
      stepper_(stepper),
      switches_(mechanics, options.gap_tolerance),
      error_(options.error),
      longest_(2.0 * options.step),
      tol_(options.tol),
      divisor_(std::exp2(kOrder) - 1.0),
      control_(options.step, options.min_step, kOrder),
      whole_(mechanics.system()),
      first_(mechanics.system()),
      second_(mechanics.system()),
      off_(mechanics.nq()),
      after_(mechanics.nq()),
      before_(mechanics.nq()),
      free_(mechanics.nq()) {}

// Shorter steps may stay where the system has values.
bool StepDoubling::try_step(const RunState& from, double h, StepOutcome& step) {
  thrown_ = nullptr;
  try {
    stepper_.step(from, h, step);
  } catch (const std::domain_error&) {
    thrown_ = std::current_exception();
    step.end.y.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  interrupted_ = step.interrupted;
  if (stepper_.found()) step.found = *stepper_.found();
  return !interrupted_ && step.end.y.allFinite();
}

const StepOutcome* StepDoubling::not_finite() const {
  for (const StepOutcome* step : {&first_, &second_}) {
    if (step->end.y.allFinite()) continue;
    if (thrown_) std::rethrow_exception(thrown_);
    return step;
  }
  return nullptr;
}

StepTrial StepDoubling::attempt(const RunState& from, double h) {
  StepTrial trial;
  stepper_.keep();
  const bool is_whole = try_step(from, 2.0 * h, whole_);
  stepper_.go_back();
  if (interrupted_) return trial;
  if (!try_step(from, h, first_) || !try_step(first_.end, h, second_) || !is_whole) return trial;
  trial.jumps = whole_.jumps || first_.jumps || second_.jumps;
  trial.switches = differ(from, second_.end) || differ(whole_.end, second_.end) ||
                   first_.switches || second_.switches || whole_.switches;
  trial.error = difference(trial.jumps);
  if (!trial.jumps && !trial.switches) trial.error /= divisor_;
  if (trial.jumps) {
    off_.setZero();
    add_jump(from, h, first_);
    add_jump(first_.end, h, second_);
    trial.error = std::max(trial.error, off_.cwiseQuotient(error_).maxCoeff());
  }
  // A contact passed within the step acts late by its penetration depth, because the next step has
  // no memory of this one. So does a spring that sets in.
  double depth = stepper_.passed(second_.end);
  if (switches_.exists()) {
    depth = std::max(
        {depth, switches_.depth(from, first_.end), switches_.depth(first_.end, second_.end)});
  }
  const double passed = 2.0 * depth / error_.minCoeff();
  if (passed > 1.0) {
    trial.jumps = true;
    trial.error = std::max(trial.error, passed);
  }
  return trial;
}

// At jumps the velocities differ by the whole jump.
double StepDoubling::difference(bool jumps) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const auto q = second_.end.y.head(nq);
  off_ = (q - whole_.end.y.head(nq)).cwiseAbs();
  if (!jumps) {
    mechanics_.coordinate_rates(second_.end.t, q, second_.end.y.segment(nq, nu), after_);
    mechanics_.coordinate_rates(second_.end.t, q, whole_.end.y.segment(nq, nu), free_);
    // Velocities are uncertain by solver residuals, which shorter steps do not reduce.
    const double unknown = error_control::kOfTolerance *
                           std::max({tol_, first_.residual, second_.residual, whole_.residual}) *
                           after_.cwiseAbs().maxCoeff();
    off_.array() += longest_ * ((after_ - free_).cwiseAbs().array() - unknown).max(0.0);
  }
  off_ -= error_control::kRoundingOfPlace * q.cwiseAbs();
  return std::max(0.0, off_.cwiseQuotient(error_).maxCoeff());
}

void StepDoubling::add_jump(const RunState& from, double h, const StepOutcome& step) {
  if (!step.jumps) return;
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const auto q = step.end.y.head(nq);
  mechanics_.coordinate_rates(from.t, q, step.end.y.segment(nq, nu), after_);
  mechanics_.coordinate_rates(from.t, q, from.y.segment(nq, nu), before_);
  mechanics_.coordinate_rates(from.t, q, step.u_free, free_);
  off_ += h * (after_ - before_).cwiseAbs().cwiseMin((after_ - free_).cwiseAbs());
}

}  // namespace nsmb
