#include "nsmb/simulation/parted_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/simulation/monitor_clock.hpp"

namespace nsmb {

namespace {

// Steps between two checks of the memory, and of the clock.
constexpr long kLook = 256, kLookAtClock = 16;
// End time of a part that has no pending step.
constexpr double kNoEnd = std::numeric_limits<double>::infinity();

template <typename T>
std::vector<T> chosen(const std::vector<T>& values, const std::vector<Index>& places) {
  std::vector<T> result;
  if (values.empty()) return result;
  for (const Index place : places) result.push_back(values[static_cast<std::size_t>(place)]);
  return result;
}

}  // namespace

PartedRun::PartedRun(const System& system, const EventDrivenOptions& options,
                     std::vector<SystemPart> parts, const std::shared_ptr<RootFinder>& roots)
    : Run(system, {options.max_memory, options.transition.rest_velocity}),
      options_(check_options(options, system)),
      whole_(system, state_),
      merger_(system, parts_) {
  for (SystemPart& places : parts) {
    EventDrivenOptions own = options_;
    if (options_.atol.size() > 0) own.atol = Vector(options_.atol(places_of_y(places, system_)));
    own.max_events = std::numeric_limits<long>::max();  // events are counted for all parts
    parts_.push_back(std::make_unique<RunPart>(std::move(places), std::move(own), roots, system_));
  }
  trajectory_.steps.part.use(true);
  trajectory_.steps.use_log(options_.step_log);
  ends_.assign(parts_.size(), kNoEnd);
  idle_.reserve(parts_.size());
  restart_record();
}

std::vector<std::int32_t> PartedRun::parts_of_y() const {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(system_.ny()));
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (const Index i : parts_[k]->y) {
      numbers[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(k);
    }
  }
  return numbers;
}

std::vector<std::int32_t> PartedRun::parts_of_contacts() const {
  std::vector<std::int32_t> numbers(state_.states.size());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (const Index i : parts_[k]->places.contacts) {
      numbers[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(k);
    }
  }
  return numbers;
}

void PartedRun::reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x) {
  check_state(t, q, u, x);
  for (const auto& part : parts_) {
    const SystemPart& places = part->places;
    const System& system = *places.system;
    const Index given = x.size() == system_.nx() ? system.nx() : system.nx_own();
    const std::vector<Index> x_places(places.x.begin(), places.x.begin() + given);
    part->run.check_start(t, Vector(q(places.q)), Vector(u(places.u)), Vector(x(x_places)));
  }
  begin_at(t);
}

void PartedRun::resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                          const ConstVectorRef& x, const DiscreteState& discrete) {
  std::vector<DiscreteState> own;
  for (const auto& part : parts_) {
    const SystemPart& places = part->places;
    own.push_back({chosen(discrete.states, places.contacts),
                   chosen(discrete.modes, places.elements),
                   chosen(discrete.slots, places.contacts)});
    part->run.check_resumed(t, Vector(q(places.q)), Vector(u(places.u)), Vector(x(places.x)),
                            own.back());
  }
  begin_at(t);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    parts_[k]->run.resume_in(own[k]);
    whole_.collect_states(*parts_[k]);
  }
}

void PartedRun::begin_at(double t) {
  idle_.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    parts_[k]->start_from(t);
    ends_[k] = kNoEnd;
    idle_.push_back(k);
  }
  state_.features.slots.assign(state_.states.size(), ContactFeature{});
  clear(t);
  whole_.friction().setZero();
  is_reset_ = is_decided_ = true;
  begun_ = false;
  shown_steps_ = 0;
  restart_record();  // without the record of the previous run
  whole_.collect_y(parts_, t);
  for (const auto& part : parts_) whole_.collect_states(*part);
}

void PartedRun::restart_record() {
  record_ = std::make_unique<PartedRecord>(parts_, state_);
  builder_ =
      std::make_unique<SampleBuilder>(system_, parts_, *record_, whole_, merger_, trajectory_);
  shows_ = false;
}

SimulationStatus PartedRun::fail(const RunPart& part, SimulationStatus status) {
  message_ = part.run.message();
  return status;
}

SimulationStatus PartedRun::check_limits() {
  if (counts_.events() <= options_.max_events) return SimulationStatus::Finished;
  std::vector<BouncingOf> all;
  for (const auto& part : parts_)
    all.push_back({part->run.system(), part->run.counts().bouncing()});
  message_ = at_present() + reason_of_limit(options_.max_events, output_.end(), all);
  return SimulationStatus::EventLimit;
}

SimulationStatus PartedRun::begin() {
  taken_.clear();
  SimulationStatus status = SimulationStatus::Finished;
  for (std::size_t k = 0; k < parts_.size() && status == SimulationStatus::Finished; ++k) {
    SingleRun& run = parts_[k]->run;
    taken_.push_back(k);
    if (!run.has_begun()) status = run.begin();
    if (status != SimulationStatus::Finished) fail(*parts_[k], status);
  }
  whole_.collect_y(parts_, state_.t);
  for (const auto& part : parts_) {
    if (part->run.tables().events.t.empty()) whole_.collect_states(*part);
  }
  merge_first_events();
  whole_.collect_y(parts_, state_.t);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    whole_.collect_states(*parts_[k]);
    record_->find_forgetful(k);
  }
  begun_ = status == SimulationStatus::Finished;
  return status;
}

// Write the first events at once, from all rows of the parts.
void PartedRun::merge_first_events() {
  merger_.clear();
  for (const std::size_t k : taken_) {
    merger_.group(k, 0, parts_[k]->run.tables().events.kind.size());
  }
  merger_.add_to(counts_);
  merger_.write(state_.t, whole_, trajectory_);
  for (const std::size_t k : taken_) parts_[k]->run.tables().rewind();
}

// Prepare a pending step for every part.
SimulationStatus PartedRun::prepare(double t_end) {
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < idle_.size(); ++i) {
    const std::size_t k = idle_[i];
    const bool decides = !parts_[k]->is_decided;
    if (decides) builder_->build();  // its contact states are recomputed
    const SimulationStatus status = parts_[k]->prepare(t_end);
    if (status != SimulationStatus::Finished) {
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(waiting),
                  idle_.begin() + static_cast<std::ptrdiff_t>(i));
      return fail(*parts_[k], status);
    }
    if (record_->empty() && !parts_[k]->run.tables().events.t.empty()) {
      taken_.assign(1, k);
      merge_first_events();
      whole_.collect_states(*parts_[k]);
      record_->find_forgetful(k);
    }
    if (parts_[k]->pending) {
      ends_[k] = parts_[k]->end();
    } else {
      idle_[waiting++] = k;
    }
  }
  idle_.resize(waiting);
  return SimulationStatus::Finished;
}

// Take the pending steps that end first, and resolve the instant at their end.
SimulationStatus PartedRun::take_steps(bool& event) {
  event = false;
  double t = *std::min_element(ends_.begin(), ends_.end());
  // Steps whose ends t cannot resolve end at one instant.
  const double limit = t + 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
  taken_.clear();
  bool meets = false, moves = false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (ends_[k] > limit) continue;
    const SingleRun& run = parts_[k]->run;
    taken_.push_back(k);
    t = std::max(t, ends_[k]);
    meets = meets || run.meets_instant();
    moves = moves || run.moves_ahead();
  }
  const SimulationStatus room = check_samples(t);
  if (room != SimulationStatus::Finished) return room;
  record_grid(t, !meets);
  bool decides = false;
  for (const std::size_t k : taken_) {
    RunPart& part = *parts_[k];
    record_->keep_way(k, trajectory_, options_.dense_output);
    part.decides = part.run.take_step();
    decides = decides || part.decides || part.run.is_due();
    part.pending = false;
    ends_[k] = kNoEnd;
    idle_.push_back(k);
    record_->take_steps(k, trajectory_);
  }
  state_.t = t;
  if (!decides) return SimulationStatus::Finished;
  record_->keep_before(t, moves, taken_);
  SimulationStatus status;
  try {
    status = decide();
  } catch (...) {
    keep_events();
    throw;
  }
  event = keep_events();
  for (const std::size_t k : taken_) whole_.collect_states(*parts_[k]);
  if (status != SimulationStatus::Finished) return status;
  record_->keep_after(t, taken_.size());
  return check_limits();
}

// Return true if an event was recorded.
bool PartedRun::keep_events() {
  const bool any = record_->keep_events(taken_.size(), merger_) > 0;
  merger_.add_to(counts_);
  return any;
}

// Resolve the instants of the parts whose steps have ended.
SimulationStatus PartedRun::decide() {
  for (const std::size_t k : taken_) parts_[k]->is_decided = false;
  for (const std::size_t k : taken_) {
    const SimulationStatus status = parts_[k]->decide();
    if (status != SimulationStatus::Finished) return fail(*parts_[k], status);
  }
  return SimulationStatus::Finished;
}

SimulationStatus PartedRun::move(double t_end, bool one_event, const Monitor& monitor) {
  trajectory_.steps.drop_last(shown_steps_);
  shown_steps_ = 0;
  shows_ = false;
  if (!begun_) {
    const SimulationStatus status = begin();
    if (status != SimulationStatus::Finished) return status;
    whole_.observe(parts_, state_.t);
    record_sample();
    if (one_event && counts_.events() > 0) return SimulationStatus::Ready;
  }
  is_decided_ = true;
  MonitorClock clock(monitor, kLookAtClock);
  for (long count = 0; state_.t < t_end; ++count) {
    if (clock.stops(state_.t)) return interrupt();
    const SimulationStatus room = count % kLook == 0 ? make_room() : SimulationStatus::Finished;
    if (room != SimulationStatus::Finished) return room;
    const SimulationStatus prepared = prepare(t_end);
    if (prepared != SimulationStatus::Finished) return prepared;
    const double next = *std::min_element(ends_.begin(), ends_.end());
    if (next > t_end) {  // an earlier call has looked further ahead
      const SimulationStatus fits = check_samples(t_end);
      if (fits != SimulationStatus::Finished) return fits;
      record_grid(t_end, true);
      state_.t = t_end;
      break;
    }
    bool event = false;
    const SimulationStatus status = take_steps(event);
    if (status != SimulationStatus::Finished) return status;
    if (event && one_event) return SimulationStatus::Ready;
  }
  return SimulationStatus::Finished;
}

SimulationStatus PartedRun::go(double t_end, bool one_event, const Monitor& monitor) {
  try {
    const SimulationStatus status = move(t_end, one_event, monitor);
    whole_.collect_y(parts_, state_.t);
    return status;
  } catch (...) {
    whole_.collect_y(parts_, state_.t);
    throw;
  }
}

void PartedRun::record_grid(double t_new, bool include_end) {
  if (!output_.exist()) return;
  for (;; output_.pass()) {
    const double t = output_.next();
    if (t > t_new || (t == t_new && !include_end)) return;
    if (t <= state_.t) continue;
    record_->keep_moment(t, true, {});
  }
}

// Record a sample from the last observation.
void PartedRun::record_sample() {
  whole_.record(system_, parts_, state_.t, trajectory_);
  record_->note_sample(state_.t);
}

void PartedRun::complete_samples() {
  if (record_->last_t() >= state_.t) return;
  const bool went = status_ == SimulationStatus::Finished || status_ == SimulationStatus::Ready ||
                    status_ == SimulationStatus::Interrupted;
  if (begun_ && went) return record_->keep_moment(state_.t, true, {});
  builder_->build();
  whole_.observe(parts_, state_.t);
  record_sample();
}

void PartedRun::forget() {
  trajectory_.clear();
  shown_steps_ = 0;
  record_->forget();
  shows_ = false;
  for (const auto& part : parts_) part->run.tables().rewind();
  if (!begun_ || !is_decided_) return;
  whole_.observe(parts_, state_.t);
  record_sample();
}

const Recorder& PartedRun::trajectory() {
  builder_->build();
  if (options_.dense_output && !shows_) show_pending_steps();
  shows_ = true;
  return trajectory_;
}

bool PartedRun::pass_on() {
  if (!trajectory_.passes()) return true;
  trajectory();
  if (!trajectory_.pass_on(shown_steps_)) return false;
  shown_steps_ = 0;
  shows_ = false;
  return true;
}

// Show the pending steps up to t, where the motion is already known.
void PartedRun::show_pending_steps() {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    RunPart& part = *parts_[k];
    if (!part.pending || !(state_.t > part.run.state().t)) continue;
    Phase& phase = part.run.phase();
    const double t_old = phase.integrator().t_old();
    const double length = phase.t() - t_old;
    if (!(length > 0.0)) continue;
    const double s = std::min((state_.t - t_old) / length, 1.0);
    Matrix series = phase.series().topRows(part.run.state().y.size());
    const Index degree = phase.series_degree();
    double power = s;
    for (Index j = 1; j <= degree; ++j, power *= s) series.col(j) *= power;
    trajectory_.steps.add(t_old, state_.t, series, degree, series.rows());
    trajectory_.steps.state.add_row(state_.states);
    trajectory_.steps.mode.add_row(state_.modes);
    trajectory_.steps.part.add(static_cast<std::int32_t>(k));
    if (options_.step_log) trajectory_.steps.add_log(phase.integrator().order(), 0.0);
    ++shown_steps_;
  }
}

SimulationStatistics PartedRun::statistics() const {
  SimulationStatistics s;
  s.events = counts_.events();
  s.impacts = counts_.impacts();
  s.impact_loss = counts_.impact_loss();
  Vector loss = whole_.friction();
  for (const auto& part : parts_) {
    s.add(part->run.statistics());
    part->find_losses(state_.t);
    const WorkIntegrals& work = part->run.work();
    const std::vector<Index>& places = part->places.contacts;
    for (std::size_t i = 0; i < places.size(); ++i) {
      loss(places[i]) = work.sample_friction(static_cast<Index>(i));
    }
    s.drive_work += work.sample_drive;
  }
  s.friction_loss = loss.sum();
  return s;
}

KeptStates PartedRun::kept_states() const {
  KeptStates kept;
  for (const auto& part : parts_) {
    const KeptStates of_part = part->run.kept_states();
    kept.count += of_part.count;
    kept.bytes += of_part.bytes;
  }
  return kept;
}

double PartedRun::kept_bytes() const {
  double bytes = trajectory_.size() + record_->size();
  for (const auto& part : parts_) bytes += part->run.tables().size();
  return bytes + static_cast<double>(record_->samples * trajectory_.samples.row_bytes() +
                                     record_->events * trajectory_.events.row_bytes());
}

}  // namespace nsmb
