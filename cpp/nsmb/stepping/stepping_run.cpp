#include "nsmb/stepping/stepping_run.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/monitor_clock.hpp"
#include "nsmb/simulation/run_start.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Steps between two looks at the memory, and at the clock; states of a system in these steps whose
// memory is looked at that seldom.
constexpr long kLook = 256, kLookAtClock = 16;
constexpr Index kSmall = 100;

}  // namespace

SteppingRun::SteppingRun(const System& system, const TimeSteppingOptions& options)
    : Run(system, {options.max_memory, stepping::kRest}),
      options_(check_options(options)),
      mechanics_(system),
      stepper_(make_stepper(mechanics_, options_)),
      doubling_(mechanics_, *stepper_, options_),
      touches_(options_.step),
      outlines_(mechanics_),
      outcome_(system),
      before_(system),
      inputs_(system.given_inputs()),
      series_(system.ny(), 3),
      losses_{Vector::Zero(system.nc())},
      observation_(system),
      sample_y_(system.ny()),
      clock_(options_.step_log) {
  trajectory_.samples.impact_loss.use(true);
  trajectory_.samples.displaced_work.use(true);
  trajectory_.steps.use_solver_columns(true);
  trajectory_.steps.use_log(options_.step_log);
  if (stepper_->found()) trajectory_.use_found();
}

void SteppingRun::reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                        const ConstVectorRef& x) {
  check_state(t, q, u, x);
  mechanics_.set_inputs(system_.given_inputs());
  RunState start(system_);
  RunStart check(system_, {options_.start_tolerance, options_.gap_tolerance}, mechanics_);
  try {
    check.check_new(t, q, u, x, start);
  } catch (...) {
    mechanics_.set_inputs(inputs_);
    throw;
  }
  check.find_modes(start);
  start_at(start);
}

// Contacts of a stepped run may penetrate a little: nothing is asked of their gaps.
void SteppingRun::resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& x, const Standing& standing) {
  mechanics_.set_inputs(system_.given_inputs());
  RunState start(system_);
  start.t = t;
  start.y << q, u, x;
  start.states = standing.states;
  start.modes = standing.modes;
  start.features.slots = standing.slots;
  start.features.slots.resize(start.states.size());
  start_at(start);
}

void SteppingRun::start_at(const RunState& start) {
  inputs_ = system_.given_inputs();
  state_ = start;
  const ContactStates states = state_.states;
  clear(state_.t);
  state_.states = states;
  find_span();
  losses_.friction.setZero();
  losses_.impact = losses_.drive = losses_.displaced = 0.0;
  counts_of_steps_ = {};
  outcome_ = StepOutcome(system_);
  stepper_->forget();
  doubling_.control().restart();
  touches_.restart();
  outlines_.restart();
  is_reset_ = true;
  begun_ = false;
}

void SteppingRun::find_span() {
  from_ = system_.discontinuities().last(state_.t);
  until_ = system_.discontinuities().next(state_.t);
  mechanics_.set_span(TimeSpan(from_, until_));
}

void SteppingRun::stand_at(const RunState& state) {
  before_ = state_ = state;
  find_span();
  doubling_.control().restart();
  stepper_->forget();
}

Standing SteppingRun::standing() const {
  return {state_.states, state_.modes, state_.features.slots};
}

void SteppingRun::set_inputs(const ConstVectorRef& values) {
  check_size("inputs", values, system_.ni());
  check_finite("inputs", values);
  if (begun_ && values != inputs_) {
    // Both sides are samples, with the values of either.
    take_inputs(values);
    record_sample(state_.t, state_.y, state_, 1.0);
    return;
  }
  take_inputs(values);
}

void SteppingRun::take_inputs(const ConstVectorRef& values) {
  inputs_ = values;
  mechanics_.set_inputs(values);
}

void SteppingRun::begin() {
  before_ = state_;
  h_ = options_.step;
  record_sample(state_.t, state_.y, state_, 0.0);
  mechanics_.update_held(state_.t, state_.y);  // a start without forces is misuse
  begun_ = true;
}

// Steps end at discontinuities, and at t_end; one that is hardly longer is as good as one more.
double SteppingRun::length(double t_end) const {
  const double left = std::min(t_end, until_.t) - state_.t;
  return left <= options_.step * (1.0 + stepping::kLastStep) ? left : options_.step;
}

SimulationStatus SteppingRun::step(double t_end) {
  clock_.start();
  struck_ = false;
  pass_discontinuities();
  return doubling_.is_used() ? step_twice(t_end) : step_once(t_end);
}

double SteppingRun::longest(double h) {
  return std::min(stepper_->longest(state_, h), outlines_.longest(state_, h));
}

void SteppingRun::pass_discontinuities() {
  while (until_.t - state_.t <= until_.width) {
    from_ = until_;
    until_ = system_.discontinuities().next(from_.t);
    mechanics_.set_span(TimeSpan(from_, until_));
  }
}

SimulationStatus SteppingRun::step_once(double t_end) {
  const double stop = std::min(t_end, until_.t);
  const double h = length(t_end);
  h_ = touches_.length(state_.t, h, longest(h));
  stepper_->step(state_, h_, outcome_);
  if (outcome_.interrupted) return interrupt();
  if (touches_.is_spent() && outcome_.verdict == StepVerdict::Solved) {
    outcome_.verdict = StepVerdict::Coarse;
  }
  if (stop - state_.t == h_) outcome_.end.t = stop;
  if (!outcome_.end.y.allFinite()) return fail_to_be_finite(outcome_);
  return add();
}

// The step at hand becomes part of the motion, unless the run is to end with it.
SimulationStatus SteppingRun::add() {
  counts_of_steps_.counts.contact_problems += outcome_.problems;
  counts_of_steps_.solver_iterations += outcome_.iterations;
  if (outcome_.verdict == StepVerdict::Coarse) {
    ++counts_of_steps_.coarse_steps;
    if (options_.on_failure == OnStepFailure::Stop) return stop_coarse();
  } else if (outcome_.verdict != StepVerdict::Solved) {
    ++counts_of_steps_.missed_steps;
    if (outcome_.verdict == StepVerdict::Locked) ++counts_of_steps_.locked_steps;
    if (options_.on_failure == OnStepFailure::Stop) return stop_missed();
  }
  const bool accepts = outlines_.accepts(outcome_.end);
  take();
  return accepts ? SimulationStatus::Finished : stop_overlap();
}

void SteppingRun::take() {
  before_ = state_;
  state_ = outcome_.end;
  losses_.friction += outcome_.friction_loss;
  losses_.impact += outcome_.impact_loss;
  losses_.drive += outcome_.drive_work;
  losses_.displaced += outcome_.displaced_work;
  ++counts_of_steps_.integrator.steps;
  struck_ = struck_ || outcome_.jumps;
  counts_of_steps_.asleep = outcome_.asleep;
  counts_of_steps_.steps_asleep += outcome_.asleep;
  counts_of_steps_.counts.largest_residual =
      std::max(counts_of_steps_.counts.largest_residual, outcome_.residual);
  if (outcome_.gain > 0.0) {
    ++counts_of_steps_.counts.energy_gains;
    counts_of_steps_.counts.largest_gain =
        std::max(counts_of_steps_.counts.largest_gain, outcome_.gain);
  }
  record_step();
  record_grid();
  if (outcome_.has_impact()) record_impact();
}

// Rows of many bodies and contacts are large.
bool SteppingRun::looks_at_memory(long count) const {
  return count % kLook == 0 || stepper_->found() || system_.ny() > kSmall;
}

SimulationStatus SteppingRun::go(double t_end, bool one_step, const Monitor& monitor) {
  if (!begun_) begin();
  // Of every run anew: a monitor lives as long as its run.
  stepper_->watch(monitor ? [&] { return monitor(state_.t); } : std::function<bool()>());
  MonitorClock clock(monitor, kLookAtClock);
  for (long count = 0; state_.t < t_end; ++count) {
    if (clock.stops(state_.t)) return interrupt();
    const SimulationStatus room = looks_at_memory(count) ? make_room() : SimulationStatus::Finished;
    if (room != SimulationStatus::Finished) return room;
    const SimulationStatus status = step(t_end);
    if (status != SimulationStatus::Finished) return status;
    if (one_step) return SimulationStatus::Ready;
  }
  return SimulationStatus::Finished;
}

SimulationStatistics SteppingRun::statistics() const {
  SimulationStatistics s = counts_of_steps_;
  s.events = counts_.events();
  s.impacts = counts_.impacts();
  s.impact_loss = losses_.impact;
  s.friction_loss = losses_.friction.sum();
  s.drive_work = losses_.drive;
  return s;
}

}  // namespace nsmb
