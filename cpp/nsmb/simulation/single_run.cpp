#include "nsmb/simulation/single_run.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/candidate_search.hpp"
#include "nsmb/simulation/monitor_clock.hpp"

namespace nsmb {

namespace {

// Steps between two checks of the memory, and of the clock.
constexpr long kLook = 256, kLookAtClock = 16;

}  // namespace

SingleRun::SingleRun(const System& system, const EventDrivenOptions& options,
                     std::shared_ptr<RootFinder> roots)
    : Run(system, {options.max_memory, options.transition.rest_velocity}),
      options_(check_options(options, system)),
      phase_(make_phase(system, options_)),
      transition_(system, options_.transition),
      ahead_(system, options_.transition, std::move(roots)),
      next_(system),
      inputs_(system),
      work_(system.nc()),
      observation_(system),
      sample_y_(system.ny()),
      clock_(options_.step_log) {
  trajectory_.steps.use_log(options_.step_log);
}

void SingleRun::follow_derivative(std::vector<ParameterShift> shifts) {
  const PhaseFactory make = [this](const System& system) { return make_phase(system, options_); };
  variation_ = std::make_unique<Variation>(system_, options_.transition, make, std::move(shifts));
  variation_->set_inputs(inputs_.values());
}

void SingleRun::watch(std::vector<UserEvent> events) {
  users_.reset();
  if (events.empty()) return;
  users_ = std::make_unique<UserActions>(system_, std::move(events), transition_.mechanics());
  users_->reset(state_.t);
}

void SingleRun::reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x) {
  check_state(t, q, u, x);
  begin_with(system_.given_inputs(), [&] { check_start(t, q, u, x); });
  start_from(t);
}

void SingleRun::resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                          const ConstVectorRef& x, const DiscreteState& discrete) {
  begin_with(system_.given_inputs(), [&] { check_resumed(t, q, u, x, discrete); });
  start_from(t);
  resume_in(discrete);
}

// The checks leave the run unchanged.
void SingleRun::check_start(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& x) {
  start_here().check_new(t, q, u, x, next_);
}

void SingleRun::check_resumed(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, const DiscreteState& discrete) {
  start_here().check_resumed(t, q, u, x, discrete, next_);
}

// Take the inputs of a run whose start `check` admits. If it throws, nothing changes.
void SingleRun::begin_with(const Vector& inputs, const std::function<void()>& check) {
  transition_.mechanics().set_inputs(inputs);
  try {
    check();
  } catch (...) {
    transition_.mechanics().set_inputs(inputs_.values());
    throw;
  }
  stage_ = Stage::Start;
  inputs_.set(system_, inputs);
  take_inputs();
}

void SingleRun::start_from(double t) {
  start_here().find_modes(next_);
  from_ = system_.discontinuities().last(t);
  until_ = system_.discontinuities().next(t);
  state_ = next_;
  phase_->set_features(state_.features);
  phase_->reset();
  transition_.reset();
  clear(t);
  work_.clear();
  ahead_.reset();
  stage_ = Stage::Start;
  if (variation_) {
    variation_->reset();
    variation_->set_span(from_, until_);
  }
  if (users_) users_->reset(t);
  inputs_.drop();
  crosses_ = takes_inputs_ = takes_over_ = part_is_open_ = false;
  earlier_ = {};
}

void SingleRun::resume_in(const DiscreteState& discrete) {
  state_.states = discrete.states;
  state_.modes = discrete.modes;
  stage_ = Stage::Resumed;
  if (users_) users_->events().pass_due(state_.t);
}

DiscreteState SingleRun::discrete_state() const {
  const bool moves = has_begun() && system_.feature_search();
  return {state_.states, state_.modes, moves ? phase_->features()->slots : state_.features.slots};
}

void SingleRun::take_over(SingleRun& before) {
  if (variation_ || before.variation_) {
    reject("take_over", "a run whose derivative is not followed",
           "a run whose derivative is followed");
  }
  check_takes_over(before);
  begin_with(before.inputs(), [&] {
    start_here().check_changed(before.state_, before.discrete_state().slots, next_);
  });
  const ContactStates states = next_.states;
  start_from(before.state_.t);
  output_ = before.output_;
  if (!before.has_begun()) return;
  if (users_ && before.users_) users_->events().go_on(before.users_->events());
  state_.states = states;
  trajectory_.take(before.trajectory_);
  t_start_ = before.t_start_;
  work_ = before.work_;
  work_.forget_step();
  work_.sample_friction = work_.friction;
  work_.sample_drive = work_.drive;
  counts_.go_on(before.counts_);
  const SimulationStatistics so_far = before.statistics();
  earlier_.integrator = so_far.integrator;
  earlier_.counts = so_far.counts;
  takes_over_ = true;
  status_ = before.status_;
  message_ = before.message_;
}

// Return true if the inputs have changed.
bool SingleRun::take_inputs() {
  if (!inputs_.differ()) return false;
  inputs_.take();
  phase_->set_inputs(inputs_.values());
  transition_.mechanics().set_inputs(inputs_.values());
  if (has_begun()) {
    takes_inputs_ = true;
    transition_.begin_anew();
  } else if (variation_) {
    variation_->set_inputs(inputs_.values());
  }
  return true;
}

SimulationStatus SingleRun::fail_integration(StepStatus status) {
  const Integrator& integrator = phase_->integrator();
  std::string reason = integrator.message();
  if (status == StepStatus::StepTooSmall) reason = "the step size fell below the resolution of t";
  if (status == StepStatus::RhsNotFinite) reason = "the accelerations are not finite";
  if (status == StepStatus::StandsStill) reason = "the steps make no progress";
  if (const std::string trouble = phase_->trouble(status); !trouble.empty()) reason = trouble;
  message_ = at_present() + std::string(integrator.name()) + " stopped: " + reason;
  if (!message_.ends_with('.')) message_ += '.';
  if (phase_->knows_remedy(status)) return SimulationStatus::IntegrationFailure;
  message_ +=
      " Try a larger rtol or, for stiff systems, integrator=\"cvode\". Check the equations for a "
      "singularity at this time.";
  return SimulationStatus::IntegrationFailure;
}

std::string SingleRun::name_of(Index contact) const {
  return "contact '" + system_.contacts()[static_cast<std::size_t>(contact)].name + "'";
}

SimulationStatus SingleRun::step(double t_end, bool& event) {
  event = false;
  const SimulationStatus ahead = look_ahead(t_end);
  if (ahead != SimulationStatus::Finished) return ahead;
  if (const SimulationStatus room = check_samples(phase_->t());
      room != SimulationStatus::Finished) {
    lose_phase();
    return room;
  }
  const std::size_t events_before = trajectory_.events.t.size();
  const bool moves = moves_ahead();
  if (!take_step()) {
    if (!ahead_.fires() && (state_.t >= until_.t || ends_at_user_time(state_.t))) {
      record_sample(state_.t, state_.y);
    }
    return SimulationStatus::Finished;
  }
  // An event at the start of a step that followed another step has a left side, too.
  const bool follows = !trajectory_.samples.t.empty() && trajectory_.samples.t.back() < state_.t;
  if (moves || follows) record_sample(state_.t, state_.y);
  const SimulationStatus status = decide();
  if (status != SimulationStatus::Finished) return status;
  event = trajectory_.events.t.size() > events_before;
  // An instant without preceding motion and without events needs no sample.
  if (moves || follows || event || system_.feature_search()) record_sample(state_.t, state_.y);
  return status;
}

SimulationStatus SingleRun::look_ahead(double t_end) {
  clock_.start();
  const SimulationStatus status = find_ahead(t_end);
  clock_.stop();
  return status;
}

SimulationStatus SingleRun::find_ahead(double t_end) {
  work_.forget_step();
  t_end_ = t_end;
  double t_stop = std::min({t_end, state_.t + options_.max_step, until_.t});
  if (users_) {
    users_->events().clear_fired();
    t_stop = std::min(t_stop, users_->events().next_time());
  }
  ahead_.set_out(t_stop, t_end);
  StepStatus stepped = phase_->step(t_stop);
  while (stepped == StepStatus::Ok && !std::isinf(phase_->jump())) {
    expect_jump(phase_->jump());
    if (is_due()) {  // at the start of the step
      ahead_.stop_at_start();
      return SimulationStatus::Finished;
    }
    stepped = phase_->end_before_jump();
  }
  if (stepped == StepStatus::StepTooSmall && phase_->jams()) {
    ahead_.jam();
    return SimulationStatus::Finished;
  }
  if (stepped == StepStatus::Ok) {
    stepped = ahead_.find(*phase_, transition_.indicators(), stage_ == Stage::PhaseStart, state_,
                          users_ ? &users_->events() : nullptr);
  }
  if (stepped != StepStatus::Ok) return fail_integration(stepped);
  return ahead_.torn().empty() ? SimulationStatus::Finished : fail_switches();
}

// Treat a jump that was found on a step as a discontinuity from now on.
void SingleRun::expect_jump(double t) {
  until_ = Discontinuities({t}, {}).next(state_.t);
  until_.source = -1;
  ahead_.stop_at(t);
  phase_->set_span(from_, until_);
  if (variation_) variation_->set_span(from_, until_);
}

bool SingleRun::take_step() {
  if (!ahead_.fires()) {
    commit_step(phase_->t() >= until_.t || ends_at_user_time(phase_->t()));
    return false;
  }
  if (!moves_ahead()) return true;
  const bool searches = ends_margin();
  commit_step(!searches);
  return !searches || !search_candidates();
}

// Return true if only margins have fired, and the integrator is at the end of the step. The motion
// can then continue after a search.
bool SingleRun::ends_margin() const {
  return !user_fires() && !variation_ && ahead_.only_searches() &&
         phase_->integrator().t() == phase_->t();
}

// Search for candidates. Return false if an instant has to resolve what is found.
bool SingleRun::search_candidates() {
  const double gap_tolerance = options_.transition.gap_tolerance;
  Mechanics& mechanics = transition_.mechanics();
  if (!search_on_the_way(system_, gap_tolerance, *phase_->features(), mechanics, state_)) {
    return false;
  }
  if (unseen_overlap(state_, mechanics).contact >= 0) return false;
  phase_->set_features(state_.features);
  transition_.watch(state_.t, state_.y);
  return true;
}

SimulationStatus SingleRun::cross(bool& event) {
  const std::size_t events_before = trajectory_.events.t.size();
  const SimulationStatus status = enter_next_span();
  if (status != SimulationStatus::Finished) return status;
  record_sample(state_.t, state_.y);
  event = trajectory_.events.t.size() > events_before;
  return status;
}

// Act at the times given by the user.
SimulationStatus SingleRun::act_in_time(bool& event) {
  const std::size_t events_before = trajectory_.events.t.size();
  users_->events().take_due(state_.t);
  ahead_.clear();
  const SimulationStatus status = act();
  if (status != SimulationStatus::Finished) return status;
  record_sample(state_.t, state_.y);
  event = trajectory_.events.t.size() > events_before;
  return status;
}

SimulationStatus SingleRun::move(double t_end, bool one_event, const Monitor& monitor) {
  if (users_) users_->go_on();
  const bool set = take_inputs();
  const long events_before = counts_.events();
  if (!has_begun()) {
    const SimulationStatus status = begin();
    if (status != SimulationStatus::Finished) return status;
    record_sample(state_.t, state_.y);
    if (one_event && counts_.events() > events_before) return SimulationStatus::Ready;
  } else if (const bool changed = set || functions_changed(); changed || !is_in_phase()) {
    const SimulationStatus status = decide_anew();
    if (status != SimulationStatus::Finished) return status;
    if (changed) record_sample(state_.t, state_.y);
    if (changed && one_event && counts_.events() > events_before) return SimulationStatus::Ready;
  }
  MonitorClock clock(monitor, kLookAtClock);
  for (long count = 0; state_.t < t_end || is_due() || is_user_due(); ++count) {
    if (clock.stops(state_.t)) return interrupt();
    const SimulationStatus room = count % kLook == 0 ? make_room() : SimulationStatus::Finished;
    if (room != SimulationStatus::Finished) return room;
    bool event = false;
    const SimulationStatus status = is_due()        ? cross(event)
                                    : is_user_due() ? act_in_time(event)
                                                    : step(t_end, event);
    if (status != SimulationStatus::Finished) return status;
    if (users_ && users_->halt() != Halt::None) {
      message_ = at_present() + "stopped by event " + users_->events().recent_names();
      return SimulationStatus::Stopped;
    }
    if (event && one_event) return SimulationStatus::Ready;
  }
  return SimulationStatus::Finished;
}

bool SingleRun::functions_changed() {
  if (!inputs_.have_changed(*phase_, state_)) return false;
  transition_.begin_anew();
  return true;
}

SimulationStatus SingleRun::go(double t_end, bool one_event, const Monitor& monitor) {
  const SimulationStatus status = move(t_end, one_event, monitor);
  const bool went = status == SimulationStatus::Finished || status == SimulationStatus::Ready ||
                    status == SimulationStatus::Stopped || status == SimulationStatus::Interrupted;
  inputs_.drop();
  if (system_.calls_user() && is_in_phase() && went) inputs_.hold(*phase_, state_);
  return status;
}

void SingleRun::lose_phase() {
  if (has_begun() && stage_ != Stage::Deciding) stage_ = Stage::Stale;
}

void SingleRun::break_off() {
  if (variation_ && has_begun() && part_is_open_) variation_->break_off(state_.t);
}

void SingleRun::end() {
  if (!variation_ || !has_begun() || !part_is_open_) return;
  // The derivative of an instant that was not resolved is not known.
  if (is_final(status_)) {
    variation_->abandon(state_.t);
  } else {
    variation_->end_part(state_.t, state_.y, false);
  }
  part_is_open_ = false;
}

SimulationStatistics SingleRun::statistics() const {
  SimulationStatistics s;
  s.integrator = phase_->integrator().statistics();
  s.counts = transition_.counts();
  s.add(earlier_);
  s.rest_loss = counts_.rest_loss();
  s.rests = counts_.rests();
  s.events = counts_.events();
  s.impacts = counts_.impacts();
  s.impact_loss = counts_.impact_loss();
  s.friction_loss = work_.friction.sum();
  s.drive_work = work_.drive;
  return s;
}

}  // namespace nsmb
