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

// Steps between two checks of the memory and of the clock, and largest number of states for which
// the memory is checked so rarely.
constexpr long kLook = 256, kLookAtClock = 16;
constexpr Index kSmall = 100;
// Attempts to end a step at a switch.
constexpr int kSwitchTries = 30;

}  // namespace

SteppingRun::SteppingRun(const System& system, const TimeSteppingOptions& options)
    : Run(system, {options.max_memory, stepping::kRest}),
      options_(check_options(options)),
      mechanics_(system),
      stepper_(make_stepper(mechanics_, options_)),
      doubling_(mechanics_, *stepper_, options_),
      touches_(options_.step),
      switches_(mechanics_, options_.gap_tolerance),
      outlines_(mechanics_),
      outcome_(system),
      before_(system),
      inputs_(system.given_inputs()),
      curve_(mechanics_),
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

// Contacts of a stepped run may penetrate a little, so their gaps are not checked.
void SteppingRun::resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& x, const DiscreteState& discrete) {
  mechanics_.set_inputs(system_.given_inputs());
  RunState start(system_);
  start.t = t;
  start.y << q, u, x;
  start.states = discrete.states;
  start.modes = discrete.modes;
  start.features.slots = discrete.slots;
  start.features.slots.resize(start.states.size());
  start_at(start);
  if (users_) users_->events().pass_due(t);
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
  if (users_) users_->actions().reset(state_.t);
  stage_ = Stage::Start;
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
  if (stage_ == Stage::TakenOver) stage_ = Stage::Begun;
}

// Contacts may keep their current penetration.
void SteppingRun::take_over(SteppingRun& before) {
  check_takes_over(before);
  before.mechanics_.contacts.features = before.state_.features;
  before.mechanics_.update_gaps(before.state_.t, before.state_.y);
  const ContactKinematics& contacts = before.mechanics_.contacts;
  double deepest = options_.start_tolerance;
  for (Index i = 0; i < system_.nc(); ++i) {
    if (contacts.is_valid(i)) deepest = std::max(deepest, -contacts.g_N(i));
  }
  mechanics_.set_inputs(before.inputs_);
  RunState start(system_);
  RunStart check(system_, {deepest, options_.gap_tolerance}, mechanics_);
  check.check_changed(before.state_, before.state_.features.slots, start);
  check.find_modes(start);
  start_at(start);
  take_inputs(before.inputs_);
  output_ = before.output_;
  if (!before.has_begun()) return;
  stand_after(before);
  trajectory_.take(before.trajectory_);
  t_start_ = before.t_start_;
  losses_ = before.losses_;
  counts_.go_on(before.counts_);
  counts_of_steps_ = before.counts_of_steps_;
  status_ = before.status_;
  message_ = before.message_;
}

// Continue from the end of the last step of `before`.
void SteppingRun::stand_after(SteppingRun& before) {
  if (users_ && before.users_) users_->events().go_on(before.users_->events());
  before_ = state_;
  h_ = before.h_;
  outcome_ = before.outcome_;
  if (before.found()) outcome_.found = *before.found();
  stage_ = Stage::TakenOver;
}

void SteppingRun::begin_as(SteppingRun& other) {
  start_at(other.state_);
  take_inputs(other.inputs_);
  output_ = other.output_;
  if (!other.has_begun()) return;
  stand_after(other);
  stepper_->remember_as(*other.stepper_);
  doubling_.control() = other.doubling_.control();
  touches_ = other.touches_;
  outlines_.go_on(other.outlines_);
  record_sample(state_.t, state_.y, state_, 1.0);
  stage_ = Stage::Begun;
}

DiscreteState SteppingRun::discrete_state() const {
  return {state_.states, state_.modes, state_.features.slots};
}

void SteppingRun::set_inputs(const ConstVectorRef& values) {
  check_size("inputs", values, system_.ni());
  check_finite("inputs", values);
  if (has_begun() && values != inputs_) {
    // Samples on both sides have the input values of their side.
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
  stage_ = Stage::Begun;
}

// Steps end at discontinuities, at event times of the user, and at t_end.
double SteppingRun::stop(double t_end) const {
  const double user = users_ ? users_->events().next_time() : t_end;
  return std::min({t_end, until_.t, user});
}

// A step that is only slightly longer replaces one more step.
double SteppingRun::length(double t_end) const {
  const double left = stop(t_end) - state_.t;
  return left <= options_.step * (1.0 + stepping::kLastStep) ? left : options_.step;
}

SimulationStatus SteppingRun::step(double t_end) {
  clock_.start();
  struck_ = false;
  if (stage_ == Stage::TakenOver) record_sample(state_.t, state_.y, state_, 1.0);
  stage_ = Stage::Begun;
  const double most = doubling_.is_used() ? 2.0 * options_.step : options_.step;
  const SimulationStatus fits = check_samples(std::min(t_end, state_.t + most));
  if (fits != SimulationStatus::Finished) return fits;
  if (has_user_waiting()) return users_->actions().have_fired() ? act() : act_in_time();
  pass_discontinuities();
  try {
    return doubling_.is_used() ? step_twice(t_end) : step_once(t_end);
  } catch (...) {
    // The current step is repeated later.
    if (users_ || switches_.exists()) stepper_->go_back();
    throw;
  }
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
  h_ = touches_.length(state_.t, length(t_end), longest(length(t_end)));
  if (users_ || switches_.exists()) stepper_->keep();
  stepper_->step(state_, h_, outcome_);
  if (switches_.exists()) end_at_switch();
  if (outcome_.interrupted) return interrupt();
  const bool ends_run = t_end - state_.t == h_;
  if (users_ && outcome_.end.y.allFinite() && users_->finds(state_, h_, outcome_.end, ends_run)) {
    return end_at_event(t_end, false);
  }
  return take_tried(t_end, false);
}

// Shorten the trial step so that it ends where a force element switches.
void SteppingRun::end_at_switch() {
  const auto is_known = [&] { return !outcome_.interrupted && outcome_.end.y.allFinite(); };
  if (!is_known() || !switches_.finds(state_, outcome_.end)) return;
  const double full = h_;
  double near = 0.0, near_value = 0.0, far = full, far_value = kInfinity;
  const auto attempt = [&](double h) {
    stepper_->go_back();
    stepper_->step(state_, h_ = h, outcome_);
    return is_known() ? switches_.beyond(state_, outcome_.end) : kInfinity;
  };
  far_value = switches_.beyond(state_, outcome_.end);
  for (int count = 0; count < kSwitchTries && far_value > stepping::kBeyondSwitch; ++count) {
    const double h = SwitchSearch::between(near, near_value, far, far_value);
    const double value = attempt(h);
    if (outcome_.interrupted) return;
    (value > 0.0 ? far : near) = h;
    (value > 0.0 ? far_value : near_value) = value;
  }
  if (std::isinf(far_value)) far = full;  // shorter steps have no values
  const bool was_spent = touches_.is_spent();
  const double cut = was_spent ? far : touches_.length(state_.t, full, far);
  if (h_ != cut) attempt(cut);
}

// Accept the trial step of length h_.
SimulationStatus SteppingRun::take_tried(double t_end, bool is_coarse) {
  if (stop(t_end) - state_.t == h_) outcome_.end.t = stop(t_end);
  if (!outcome_.end.y.allFinite()) return fail_to_be_finite(outcome_);
  return add(is_coarse);
}

// Make the current step part of the motion, unless it ends the run.
SimulationStatus SteppingRun::add(bool is_coarse) {
  if ((is_coarse || touches_.is_spent()) && outcome_.verdict == StepVerdict::Solved) {
    outcome_.verdict = StepVerdict::Coarse;
  }
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
  if (!accepts) return stop_overlap();
  return users_ ? meet_events() : SimulationStatus::Finished;
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
  if (!has_begun()) begin();
  if (users_) users_->actions().go_on();
  // A monitor lives only as long as its run, so it is set in every run.
  stepper_->watch(monitor ? [&] { return monitor(state_.t); } : std::function<bool()>());
  MonitorClock clock(monitor, kLookAtClock);
  for (long count = 0; state_.t < t_end || has_user_waiting(); ++count) {
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
