#include "nsmb/stepping/hybrid_run.hpp"

#include <algorithm>
#include <stdexcept>

#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/monitor_clock.hpp"
#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// Number of impacts within one step that triggers time stepping, and number of steps without impact
// that ends it.
constexpr std::size_t kCrowd = 4;
constexpr int kQuiet = 3;
constexpr long kLookAtClock = 16;

// Add the counts of an event-driven part. Losses are recorded elsewhere.
void add_counts(const SimulationStatistics& part, SimulationStatistics& sum) {
  sum.add(part);
  sum.events += part.events;
  sum.impacts += part.impacts;
}

EventDrivenOptions event_options(const TimeSteppingOptions& o) {
  EventDrivenOptions events;
  events.rtol = o.rtol;
  events.transition.impact_law = o.impact_law;
  events.transition.friction = o.friction;
  events.dense_output = o.dense_output;
  events.step_log = o.step_log && o.dense_output;
  events.max_memory = o.max_memory;
  events.start_tolerance = std::max(o.start_tolerance, events.start_tolerance);
  return events;
}

std::shared_ptr<RootFinder> root_finder() {
  return std::make_shared<RootFinder>(std::max(LinearFlow::kOrder, SmoothPhase::kMaxDegree));
}

}  // namespace

HybridRun::HybridRun(const System& system, const TimeSteppingOptions& options)
    : SteppingRun(system, options),
      events_(system, event_options(options), root_finder()),
      projection_(mechanics(), event_options(options).transition),
      before_{Vector::Zero(system.nc())} {}

void HybridRun::begin_parts() {
  times_.clear();
  quiet_ = 0;
  struck_at_ = state_.t;
  earlier_ = {};
  before_ = {Vector::Zero(system_.nc())};
  known_ = 0;
}

void HybridRun::reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x) {
  SteppingRun::reset(t, q, u, x);
  events_.reset(t, q, u, x);
  follows_ = true;
  begin_parts();
}

void HybridRun::resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                          const ConstVectorRef& x, const DiscreteState& discrete) {
  SteppingRun::resume_at(t, q, u, x, discrete);
  begin_parts();
  follows_ = false;
  try_events();
}

void HybridRun::set_inputs(const ConstVectorRef& values) {
  if (!follows_) return SteppingRun::set_inputs(values);
  events_.set_inputs(values);
  take_inputs(values);
}

void HybridRun::watch(std::vector<UserEvent> events) {
  events_.watch(events);
  SteppingRun::watch(std::move(events));
}

// Continue with time steps, or with events where these can start.
void HybridRun::go_on(HybridRun& before) {
  begin_parts();
  follows_ = !before.has_begun();
  if (!follows_) {
    if (users() && before.follows_) users()->events().go_on(*before.events_.user_events());
    return try_events();
  }
  const Index nq = system_.nq(), nu = system_.nu();
  const Vector inputs = this->inputs();
  events_.reset(state_.t, state_.y.head(nq), state_.y.segment(nq, nu), state_.y.tail(system_.nx()));
  if (inputs.size() > 0) events_.set_inputs(inputs);
}

void HybridRun::take_over(SteppingRun& before) {
  auto& other = static_cast<HybridRun&>(before);
  SteppingRun::take_over(before);
  go_on(other);
  earlier_ = other.earlier_;
  if (other.follows_) add_counts(other.events_.statistics(), earlier_);
}

void HybridRun::begin_as(SteppingRun& other) {
  SteppingRun::begin_as(other);
  go_on(static_cast<HybridRun&>(other));
}

SimulationStatus HybridRun::go(double t_end, bool one_step, const Monitor& monitor) {
  if (users()) users()->actions().go_on();
  MonitorClock clock(monitor, kLookAtClock);
  for (;;) {
    if (follows_) {
      const SimulationStatus status = follow(t_end, one_step, monitor);
      if (follows_ || status != SimulationStatus::Finished) return status;
      if (!(state_.t < t_end) && !has_user_waiting()) return SimulationStatus::Finished;
    }
    if (clock.stops(state_.t)) return interrupt();
    const SimulationStatus room = make_room();
    if (room != SimulationStatus::Finished) return room;
    const SimulationStatus status = step(t_end);
    if (status != SimulationStatus::Finished) return status;
    if (has_struck()) {
      quiet_ = 0;
      struck_at_ = state_.t;
    } else {
      ++quiet_;
    }
    if (is_quiet()) try_events();
    if (!(state_.t < t_end) && !has_user_waiting()) return SimulationStatus::Finished;
    if (one_step) return SimulationStatus::Ready;
  }
}

// With error control, steps are short after an impact. The run is then quiet after the time of as
// many steps of maximum length.
bool HybridRun::is_quiet() const {
  if (!is_controlled()) return quiet_ >= kQuiet;
  return state_.t - struck_at_ >= kQuiet * stepping_options().step;
}

// Record an impact of the last instant. Return true if impacts accumulate.
bool HybridRun::crowd() {
  const EventTable& rows = events_.tables().events;
  const bool impact = !rows.t.empty() && rows.t.back() >= events_.state().t &&
                      rows.kind.back() == static_cast<std::int8_t>(EventKind::Impact);
  if (!impact) return false;
  times_.push_back(events_.state().t);
  if (times_.size() > kCrowd) times_.pop_front();
  return times_.size() == kCrowd && times_.back() - times_.front() <= stepping_options().step;
}

SimulationStatus HybridRun::follow(double t_end, bool one_step, const Monitor& monitor) {
  events_.output() = output_;
  for (;;) {
    SimulationStatus status;
    try {
      status = events_.advance(t_end, true, monitor);
    } catch (...) {
      collect();
      throw;
    }
    if (status == SimulationStatus::Ready) {
      if (crowd()) {
        leave_events();
        return SimulationStatus::Finished;
      }
      if (!one_step) continue;
      collect();
      return status;
    }
    if (status == SimulationStatus::Finished || status == SimulationStatus::Stopped ||
        status == SimulationStatus::Interrupted || status == SimulationStatus::MemoryLimit) {
      collect();
      message_ = events_.message();
      return status;
    }
    leave_events();  // problems without a solution at an instant have one over a step
    return SimulationStatus::Finished;
  }
}

void HybridRun::collect() {
  output_ = events_.output();
  append_rows(events_.tables(), before_, known_, row_sizes(system_), trajectory_);
  RunState here = events_.state();
  here.features.slots = events_.discrete_state().slots;
  stand_at(here);
  const SimulationStatistics s = events_.statistics();
  losses().friction = before_.friction + events_.work().friction;
  const EventTable& events = events_.tables().events;
  for (std::size_t k = 0; k < events.rows(); ++k) before_.impact += events.energy_loss[k];
  losses().impact = before_.impact;
  losses().drive = before_.drive + s.drive_work;
  mark_begun();
  events_.forget();
  known_ = events_.tables().samples.rows();
}

void HybridRun::leave_events() {
  collect();
  add_counts(events_.statistics(), earlier_);
  if (users()) users()->events().go_on(*events_.user_events());
  follows_ = false;
  times_.clear();
  quiet_ = 0;
  struck_at_ = state_.t;
}

void HybridRun::try_events() {
  quiet_ = 0;
  struck_at_ = state_.t;
  RunState here = state_;
  std::vector<Index> normal, all;
  const ContactRows& rows = system_.rows();
  for (Index i = 0; i < system_.nc(); ++i) {
    const ContactState contact = here.states[static_cast<std::size_t>(i)];
    if (!is_closed(contact)) continue;
    if (rows.is_unilateral(i)) normal.push_back(i);
    if (rows.is_unilateral(i)) all.push_back(i);
  }
  for (Index i = 0; i < system_.nc(); ++i) {
    if (here.states[static_cast<std::size_t>(i)] != ContactState::Stick) continue;
    for (Index d = 0; d < rows.dim(i); ++d) all.push_back(rows.row(i) + d);
  }
  mechanics().restrict_to(nullptr);
  mechanics().contacts.features = here.features;
  try {
    projection_.project_positions(here.t, normal, here.y);
    projection_.project_velocities(here.t, all, here.y);
    const Index nq = system_.nq(), nu = system_.nu();
    const Vector inputs = this->inputs();
    events_.resume(here.t, here.y.head(nq), here.y.segment(nq, nu), here.y.tail(system_.nx()),
                   {here.states, here.modes, here.features.slots});
    if (inputs.size() > 0) events_.set_inputs(inputs);
    if (users()) events_.user_events()->go_on(users()->events());
  } catch (const std::logic_error&) {
    return;  // conditions of events not met: continue with steps; other exceptions pass
  }
  before_ = losses();
  known_ = 0;
  follows_ = true;
}

SimulationStatistics HybridRun::statistics() const {
  SimulationStatistics s = SteppingRun::statistics();
  add_counts(earlier_, s);
  if (follows_) add_counts(events_.statistics(), s);
  return s;
}

void HybridRun::forget() {
  SteppingRun::forget();
  if (follows_) events_.forget();
}

}  // namespace nsmb
