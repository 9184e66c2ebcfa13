#include "nsmb/simulation/event_driven.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/event_driven_record.hpp"
#include "nsmb/simulation/linear_phase.hpp"
#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

namespace {

// A gap that closes is zero to much less than this many times the tolerance of the start.
constexpr double kJump = 1e3;
// Steps between two looks at the memory.
constexpr long kLook = 256;

void check_options(const EventDrivenOptions& options, const System& system) {
  check_positive("rtol", options.rtol);
  check_range("rtol", options.rtol, 1e-15, 1.0);
  if (options.atol.size() > 0) {
    check_size("atol", options.atol, system.ny());
    check_positive("atol", options.atol.minCoeff());
  }
  if (!(options.max_step > 0.0)) reject("max_step", "a number > 0", to_text(options.max_step));
  check_positive("gap_tolerance", options.transition.gap_tolerance);
  check_positive("rest_velocity", options.transition.rest_velocity);
  check_positive("start_tolerance", options.start_tolerance);
  check_positive("max_events", static_cast<double>(options.max_events));
  check_positive("max_events_per_instant", static_cast<double>(options.max_events_per_instant));
  check_positive("max_memory", options.max_memory);
}

void check_integrator(std::string_view name) {
  std::string known = "auto, linear_flow, ";
  known += integrator_names();
  std::size_t begin = 0;
  while (begin < known.size()) {
    const std::size_t end = std::min(known.find(", ", begin), known.size());
    if (std::string_view(known).substr(begin, end - begin) == name) return;
    begin = end + 2;
  }
  reject("integrator", "one of " + known, "'" + std::string(name) + "'");
}

}  // namespace

std::unique_ptr<Phase> make_phase(const System& system, const EventDrivenOptions& options) {
  check_integrator(options.integrator);
  const LinearForm* form = system.linear_form();
  if (options.integrator == "linear_flow" && !form) {
    reject("integrator", "a numerical method such as 'dp853'",
           "'linear_flow' for a system without constant matrices");
  }
  if (form && (options.integrator == "auto" || options.integrator == "linear_flow")) {
    return std::make_unique<LinearPhase>(system, *form);
  }
  IntegratorOptions integrator;
  integrator.rtol = options.rtol;
  integrator.atol = options.atol;
  integrator.max_step = options.max_step;
  const std::string method = options.integrator == "auto" ? "dp853" : options.integrator;
  return std::make_unique<SmoothPhase>(system, method, integrator, options.transition.friction,
                                       options.transition.rest_velocity);
}

EventDriven::EventDriven(const System& system, EventDrivenOptions options)
    : EventDriven(
          system, std::move(options),
          std::make_shared<RootFinder>(std::max(LinearFlow::kOrder, SmoothPhase::kMaxDegree))) {
  is_part_ = false;
  // Parameters chosen from the results of compression are those of all contacts at once.
  if (options_.divide.value_or(true) && !options_.transition.expansion) divide();
  if (parts_.empty()) phase_ = make_phase(system_, options_);
  for (const auto& part : parts_) {
    part->run.phase_ = make_phase(part->run.system_, part->run.options_);
  }
}

EventDriven::EventDriven(const System& system, EventDrivenOptions options,
                         std::shared_ptr<RootFinder> roots)
    : system_(system),
      options_((check_options(options, system), std::move(options))),
      transition_(system, options_.transition),
      roots_(std::move(roots)),
      search_(system, roots_),
      trajectory_(row_sizes(system)),
      y_(Vector::Zero(system.ny())),
      states_(static_cast<std::size_t>(system.nc()), ContactState::Open),
      modes_(static_cast<std::size_t>(system.ne()), ElementMode::Open),
      outside_(system),
      work_(system.nc()),
      triggers_(system.nc(), system.ne()),
      at_rest_(static_cast<std::size_t>(system.nc()), false),
      observation_(system),
      sample_y_(system.ny()),
      bouncing_(options_.transition.rest_velocity),
      is_part_(true) {}

EventDriven::~EventDriven() = default;

// One phase for all of the system, as derivatives need it.
void EventDriven::unite() {
  if (parts_.empty()) return;
  parts_.clear();
  trajectory_.steps.part.use(false);
  record_.reset();
  phase_ = make_phase(system_, options_);
  if (!is_reset_) return;
  const Vector y = y_;
  reset(t_start_, y.head(system_.nq()), y.segment(system_.nq(), system_.nu()),
        y.tail(system_.nx()));
}

void EventDriven::follow_derivative(std::vector<ParameterShift> shifts) {
  if (begun_) reject("follow_derivative", "a run that has not begun; call reset", "one that has");
  for (const ParameterShift& shift : shifts) {
    const bool given = shift.plus && shift.minus;
    const auto fits = [&](const System& s) {
      return s.ny() == system_.ny() && s.nq() == system_.nq() && s.nc() == system_.nc() &&
             s.nt() == system_.nt() && s.ne() == system_.ne() && s.nb() == system_.nb() &&
             s.ni() == system_.ni() &&
             (s.linear_form() != nullptr) == (system_.linear_form() != nullptr);
    };
    if (!given || !fits(*shift.plus) || !fits(*shift.minus)) {
      reject("shifts", "systems like the one that runs", "others");
    }
    if (!std::isfinite(shift.distance) || shift.distance == 0.0) {
      reject("distance", "a number other than 0", to_text(shift.distance));
    }
  }
  unite();
  const PhaseFactory make = [this](const System& system) { return make_phase(system, options_); };
  variation_ = std::make_unique<Variation>(system_, options_.transition, make, std::move(shifts));
  variation_->set_inputs(outside_.inputs);
}

void EventDriven::set_output_step(double step) { output_.set_step(step); }

void EventDriven::set_output_times(std::vector<double> times) {
  output_.set_times(std::move(times));
}

SimulationStatus EventDriven::handle_instant(bool record_changes) {
  const Index nq = system_.nq();
  const Index nu = system_.nu();
  if (!counts_instant()) return SimulationStatus::EventLimit;

  // On copies: what a function of the system throws must leave the state as it was.
  next_y_ = y_;
  next_states_ = states_;
  next_modes_ = modes_;
  next_features_ = features_;
  apply_effects();
  if (system_.has_features()) {
    if (begun_) next_features_ = *phase_->features();
    if (const Index missed = update_features(); missed >= 0) return fail_missed(missed);
  }
  if (variation_ && begun_) {
    variation_->before(t_, y_, *phase_, fired_);
    if (crosses_) variation_->cross_into(last_, next_);
    follow_effects();
  }
  if (variation_ && outside_.takes_inputs) variation_->take_inputs(outside_.inputs);
  transition_.mechanics().set_span(TimeSpan(last_, next_));
  if (begun_ && system_.rows().spatial) phase_->rest_speeds(t_, y_, transition_.rest_speeds());
  const SimulationStatus status =
      transition_.resolve(t_, next_y_, next_states_, next_modes_, next_features_, triggers_);
  const auto u = next_y_.segment(nq, nu);
  if (status == SimulationStatus::Finished) {
    Mechanics& mechanics = transition_.mechanics();
    const double before = mechanics.kinetic_energy(u);
    phase_->set_span(last_, next_);
    phase_->set_features(next_features_);
    phase_->enter(transition_.roles(), next_modes_, t_, next_y_);
    const double discarded = before - mechanics.kinetic_energy(u);
    rest_loss_ += discarded;
    if (discarded > 1e-15 * before) ++rests_;
    transition_.finish(u);
    if (variation_) {
      variation_->behind(t_, acted_y_, transition_, next_modes_, next_features_, next_y_);
      part_is_open_ = true;
    }
  }
  y_ = next_y_;
  states_ = next_states_;
  modes_ = next_modes_;
  bool recorded = !user_rows_.empty();
  add_user_rows(true);
  for (std::size_t k = 0; k < transition_.events().size(); ++k) {
    const TransitionEvent& event = transition_.events()[k];
    const bool impact = event.kind == EventKind::Impact;
    if (!impact && !record_changes) continue;
    trajectory_.add_event(t_, y_.head(nq), y_.tail(system_.nx()), event, work_.friction);
    if (system_.has_features()) trajectory_.add_event_features(features_, next_features_);
    impact_loss_ -= event.energy.change;
    impacts_ += impact ? 1 : 0;
    ++events_;
    recorded = true;
    if (impact) bouncing_.count(event);
  }
  if (variation_ && recorded && status == SimulationStatus::Finished) {
    variation_->end_part(t_, y_, true);
    part_is_open_ = false;
  }
  features_ = next_features_;
  if (status != SimulationStatus::Finished) {
    message_ = transition_.message();
    return status;
  }
  phase_starts_ = true;
  return check_limits();
}

SimulationStatus EventDriven::fail_integration(StepStatus status) {
  const Integrator& integrator = phase_->integrator();
  std::string reason = integrator.message();
  if (status == StepStatus::StepTooSmall) reason = "the step size fell below the resolution of t";
  if (status == StepStatus::RhsNotFinite) reason = "the accelerations are not finite";
  if (status == StepStatus::StandsStill) reason = "the steps lead nowhere";
  if (const std::string trouble = phase_->trouble(status); !trouble.empty()) reason = trouble;
  message_ =
      "t = " + to_text(t_) + " s: " + std::string(integrator.name()) + " stopped (" + reason + ")";
  if (phase_->knows_remedy(status)) return SimulationStatus::IntegrationFailure;
  message_ +=
      "; try a larger rtol, integrator=\"cvode\" for stiff systems, or look for a singularity of "
      "the equations there";
  return SimulationStatus::IntegrationFailure;
}

// A contact that is to close here but lies deep inside: its gap is not continuous. -1: none.
Index EventDriven::find_jump() const {
  const double deepest = kJump * options_.start_tolerance;
  for (Index i = 0; i < system_.nc(); ++i) {
    const bool closes = triggers_.contacts[static_cast<std::size_t>(i)] == Trigger::Closes;
    if (closes && observation_.contacts(i, kGap) < -deepest) return i;
  }
  return -1;
}

SimulationStatus EventDriven::fail_jump(Index contact) {
  message_ = "t = " + to_text(t_) + " s: the gap of contact '" +
             system_.contacts()[static_cast<std::size_t>(contact)].name +
             "' jumps to g_N = " + to_text(observation_.contacts(contact, kGap)) +
             "; gaps must be continuous functions of q and t";
  return SimulationStatus::IntegrationFailure;
}

SimulationStatus EventDriven::step(double t_end, bool& event) {
  event = false;
  const SimulationStatus ahead = look_ahead(t_end);
  if (ahead != SimulationStatus::Finished) return ahead;
  const std::size_t events_before = trajectory_.events.t.size();
  const bool moves = moves_ahead();
  if (!take_step()) {
    if (!fires_ && (t_ >= next_.t || ends_at_user_time(t_))) record_sample(t_, y_);
    return SimulationStatus::Finished;
  }
  // An event where a step begins that followed another one has a left side, too.
  const bool follows = !system_.has_features() && !trajectory_.samples.t.empty() &&
                       trajectory_.samples.t.back() < t_;
  if (moves || follows) record_sample(t_, y_);
  const SimulationStatus status = decide();
  if (status != SimulationStatus::Finished) return status;
  event = trajectory_.events.t.size() > events_before;
  // What has moved and changed nothing needs no sample.
  if (moves || follows || event || system_.has_features()) record_sample(t_, y_);
  return status;
}

// The phase goes to the end of the next step, or to the first event on it; t_ stays.
SimulationStatus EventDriven::look_ahead(double t_end) {
  fires_ = leaves_ = false;
  work_.forget_step();
  t_end_ = t_end;
  t_stop_ = std::min({t_end, t_ + options_.max_step, next_.t});
  if (users_) {
    users_->clear_fired();
    t_stop_ = std::min(t_stop_, users_->next_time());
  }
  StepStatus stepped = phase_->step(t_stop_);
  while (stepped == StepStatus::Ok && !std::isinf(phase_->jump())) {
    expect_jump(phase_->jump());
    if (is_due()) {  // where the step begins
      fires_ = true;
      s_event_ = 0.0;
      return SimulationStatus::Finished;
    }
    stepped = phase_->end_before_jump();
  }
  if (stepped == StepStatus::StepTooSmall && phase_->jams()) {
    triggers_.clear();
    triggers_.jams = fires_ = true;
    fired_.clear();
    s_event_ = 0.0;
    return SimulationStatus::Finished;
  }
  if (stepped != StepStatus::Ok) return fail_integration(stepped);

  s_event_ = 2.0;
  std::size_t first = 0;
  fires_ = search_.find(step_ahead(), s_event_, first);
  if (users_ && find_user_event()) {
    const StepStatus located = locate_user_event();
    return located == StepStatus::Ok ? SimulationStatus::Finished : fail_integration(located);
  }
  if (search_.cut() < s_event_) {
    fires_ = false;
    const StepStatus shortened = phase_->cut(search_.cut());
    return shortened == StepStatus::Ok ? SimulationStatus::Finished : fail_integration(shortened);
  }
  if (!fires_) {
    search_.leave();
    return SimulationStatus::Finished;
  }
  if (!moves_ahead()) {
    leaves_ = search_.find_way_out(step_ahead(), states_, options_.transition, s_event_);
    if (!leaves_) {
      s_event_ = 0.0;
      search_.collect(step_ahead(), s_event_, first, triggers_, fired_);
      return SimulationStatus::Finished;
    }
    triggers_.clear();
    fired_.clear();
    const StepStatus left = phase_->cut(s_event_);
    return left == StepStatus::Ok ? SimulationStatus::Finished : fail_integration(left);
  }
  search_.leave();
  const StepStatus located = search_.locate(step_ahead(), s_event_, first, triggers_, fired_);
  if (located != StepStatus::Ok) return fail_integration(located);
  std::fill(at_rest_.begin(), at_rest_.end(), false);
  phase_->mark_rest(at_rest_);
  for (std::size_t c = 0; c < at_rest_.size(); ++c) {
    Trigger& trigger = triggers_.contacts[c];
    if (at_rest_[c] && trigger == Trigger::None) trigger = Trigger::Sticks;
    const bool sticks = trigger == Trigger::Sticks;
    if (sticks && phase_->slips_on(static_cast<Index>(c))) trigger = Trigger::None;
  }
  return SimulationStatus::Finished;
}

// That step becomes part of the motion. True: an instant is to be decided at its end.
bool EventDriven::take_step() {
  if (!fires_) {
    commit_step(phase_->t() >= next_.t || ends_at_user_time(phase_->t()));
    return false;
  }
  if (!moves_ahead()) return true;
  const bool searches = ends_margin();
  commit_step(!searches);
  return !searches || !search_on_the_way();
}

SimulationStatus EventDriven::decide() {
  if (users_ && !users_->fired().empty()) return act();
  if (moves_ahead()) {
    if (const Index jumped = find_jump(); jumped >= 0) return fail_jump(jumped);
  } else if (is_due()) {
    return enter_next_span();
  }
  if (leaves_) transition_.begin_anew();
  deciding_ = true;
  const SimulationStatus status = handle_instant(true);
  deciding_ = false;
  return status;
}

// The instant is decided anew: an event that was under way is still to come.
SimulationStatus EventDriven::decide_anew() {
  triggers_.clear();
  if (!deciding_) fired_.clear();
  if (!deciding_ && users_) users_->clear_fired();
  const SimulationStatus status = handle_instant(true);
  deciding_ = outside_.takes_inputs = false;
  if (status == SimulationStatus::Finished) phase_valid_ = true;
  return status;
}

bool EventDriven::has_room() {
  if (kept_bytes() <= options_.max_memory) return true;
  message_ = "t = " + to_text(t_) + " s: what is kept of the run takes more than max_memory = " +
             to_text(options_.max_memory) +
             " bytes; a longer output_step, dense_output=False, or a larger max_memory";
  return false;
}

SimulationStatus EventDriven::run(double t_end, bool one_event, const Monitor& monitor) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kInterval = std::chrono::milliseconds(50);
  const bool set = apply_inputs();
  const long events_before = events_;
  if (!begun_) {
    const SimulationStatus status = begin();
    if (status != SimulationStatus::Finished) return status;
    record_sample(t_, y_);
    if (one_event && events_ > events_before) return SimulationStatus::Ready;
  } else if (const bool changed = set || inputs_changed(); changed || !phase_valid_) {
    const SimulationStatus status = decide_anew();
    if (status != SimulationStatus::Finished) return status;
    if (changed) record_sample(t_, y_);
    if (changed && one_event && events_ > events_before) return SimulationStatus::Ready;
  }
  auto last_call = Clock::now();
  for (long count = 0; t_ < t_end || is_due() || is_user_due(); ++count) {
    if (monitor && count % 16 == 0 && Clock::now() - last_call > kInterval) {
      if (!monitor(t_)) return interrupt();
      last_call = Clock::now();
    }
    if (count % kLook == 0 && !has_room()) return SimulationStatus::MemoryLimit;
    bool event = false;
    const SimulationStatus status = is_due()        ? cross(event)
                                    : is_user_due() ? act_in_time(event)
                                                    : step(t_end, event);
    if (status != SimulationStatus::Finished) return status;
    if (stops_) return stop_by_user();
    if (event && one_event) return SimulationStatus::Ready;
  }
  return SimulationStatus::Finished;
}

SimulationStatus EventDriven::advance(double t_end, bool one_event, const Monitor& monitor) {
  check_finite("t_end", t_end);
  if (t_end < t_) reject("t_end", "a time >= t = " + to_text(t_), to_text(t_end));
  if (begun_ && is_final(status_)) {
    reject("advance", "a run that can go on",
           "one that ended with " + std::string(to_text(status_)) + "; begin anew with reset");
  }
  message_.clear();
  try {
    status_ =
        parts_.empty() ? run(t_end, one_event, monitor) : run_parts(t_end, one_event, monitor);
    remember_inputs();
  } catch (const std::domain_error& error) {
    // The system has no value there: no misuse, the motion has led to it.
    status_ = SimulationStatus::IntegrationFailure;
    message_ = "t = " + to_text(t_) + " s: " + error.what();
  } catch (const std::exception& error) {
    status_ = SimulationStatus::SystemError;
    phase_valid_ = false;  // the integrator may stand beyond t_
    message_ = "t = " + to_text(t_) + " s: " + error.what();
    if (variation_ && begun_ && part_is_open_) variation_->break_off(t_);
    throw;
  }
  if (status_ == SimulationStatus::IntegrationFailure) phase_valid_ = false;
  try {
    complete_samples();
  } catch (const std::domain_error&) {
    // Nor has it one where the run stopped.
  }
  if (variation_ && begun_ && part_is_open_) {
    // Of an instant that was not decided the derivative is not known.
    if (is_final(status_)) {
      variation_->abandon(t_);
    } else {
      variation_->end_part(t_, y_, false);
    }
    part_is_open_ = false;
  }
  return status_;
}

SimulationStatus EventDriven::interrupt() {
  message_ = "t = " + to_text(t_) + " s: interrupted";
  return status_ = SimulationStatus::Interrupted;
}

}  // namespace nsmb
