// A run of a system in parts that nothing joins: each has its own steps, and an event restarts its
// own part alone. The parts take turns in the order of time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/event_driven_record.hpp"

namespace nsmb {

namespace {

// From so many parts on a run in parts costs less than one of the whole; and at least so many there
// must be.
constexpr std::size_t kMany = 4, kFew = 2;
// Steps between two looks at the memory.
constexpr long kLook = 256;
// Of a part that has no step ahead.
constexpr double kNoEnd = std::numeric_limits<double>::infinity();

std::vector<Index> places_of_y(const SystemPart& part, const System& whole) {
  std::vector<Index> y = part.q;
  for (const Index i : part.u) y.push_back(whole.nq() + i);
  for (const Index i : part.x) y.push_back(whole.nq() + whole.nu() + i);
  return y;
}

std::vector<Index> places_of_tangents(const SystemPart& part, const System& whole) {
  std::vector<Index> tangents;
  for (const Index i : part.contacts) {
    for (Index d = 0; d < whole.rows().dim(i); ++d) tangents.push_back(whole.rows().tangent(i) + d);
  }
  return tangents;
}

}  // namespace

EventDriven::Part::Part(SystemPart places_, EventDrivenOptions options,
                        std::shared_ptr<RootFinder> roots, const System& whole)
    : places(std::move(places_)),
      y(places_of_y(places, whole)),
      tangents(places_of_tangents(places, whole)),
      run(*places.system, std::move(options), std::move(roots)),
      state(Vector::Zero(places.system->ny())) {}

// Inside the step by the polynomial that is its dense output.
void EventDriven::Part::evaluate(double t, VectorRef result) {
  Phase& phase = *run.phase_;
  if (!pending || t <= run.t_) {
    result = run.y_;
  } else if (t >= end()) {
    result = phase.y();
  } else {
    if (!knows_series) series = phase.series().topRows(run.y_.size());
    knows_series = true;
    const double t_old = phase.integrator().t_old();
    evaluate_series(series, phase.series_degree(), (t - t_old) / (phase.t() - t_old), result);
  }
}

void EventDriven::divide() {
  // Where slip in a plane ends is found to what the steps leave open, and these must not depend on
  // who else is there.
  if (system_.rows().spatial || system_.has_inputs()) return;
  for (SystemPart& places : system_.split(options_.divide ? kFew : kMany)) {
    EventDrivenOptions options = options_;
    if (options_.atol.size() > 0) {
      options.atol = Vector(options_.atol(places_of_y(places, system_)));
    }
    options.max_events = std::numeric_limits<long>::max();  // counted for all together
    parts_.push_back(
        std::make_unique<Part>(std::move(places), std::move(options), roots_, system_));
  }
  part_ends_.assign(parts_.size(), kNoEnd);
  idle_parts_.reserve(parts_.size());
  if (parts_.empty()) return;
  trajectory_.steps.part.use(true);
  whole_event_ = std::make_unique<TransitionEvent>(system_);
  record_ = std::make_unique<Record>(parts_.size());
}

std::vector<std::int32_t> EventDriven::parts_of_y() const {
  std::vector<std::int32_t> numbers(parts_.empty() ? 0 : static_cast<std::size_t>(system_.ny()));
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (const Index i : parts_[k]->y) {
      numbers[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(k);
    }
  }
  return numbers;
}

std::vector<std::int32_t> EventDriven::parts_of_contacts() const {
  std::vector<std::int32_t> numbers(parts_.empty() ? 0 : states_.size());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    for (const Index i : parts_[k]->places.contacts) {
      numbers[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(k);
    }
  }
  return numbers;
}

void EventDriven::reset_parts(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x) {
  for (const auto& part : parts_) {
    const SystemPart& places = part->places;
    const System& system = *places.system;
    const Index given = x.size() == system_.nx() ? system.nx() : system.nx_own();
    const std::vector<Index> x_places(places.x.begin(), places.x.begin() + given);
    part->run.check_start(t, Vector(q(places.q)), Vector(u(places.u)), Vector(x(x_places)));
  }
  begin_parts_at(t);
}

void EventDriven::begin_parts_at(double t) {
  idle_parts_.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    parts_[k]->run.start_from(t);
    parts_[k]->pending = false;
    part_ends_[k] = kNoEnd;
    idle_parts_.push_back(k);
  }
  features_.slots.assign(states_.size(), ContactFeature{});
  clear_run(t);
  record_ = std::make_unique<Record>(parts_.size());  // without what the run before has left
  collect_y(t);
  for (const auto& part : parts_) collect_states(*part);
}

SimulationStatus EventDriven::fail_part(const Part& part, SimulationStatus status) {
  message_ = part.run.message_;
  return status;
}

SimulationStatus EventDriven::begin_parts() {
  taken_parts_.clear();
  SimulationStatus status = SimulationStatus::Finished;
  for (std::size_t k = 0; k < parts_.size() && status == SimulationStatus::Finished; ++k) {
    EventDriven& run = parts_[k]->run;
    taken_parts_.push_back(k);
    if (!run.begun_) status = run.begin();
    if (status != SimulationStatus::Finished) fail_part(*parts_[k], status);
  }
  collect_y(t_);
  for (const auto& part : parts_) {
    if (part->run.trajectory_.events.t.empty()) collect_states(*part);
  }
  merge_events();
  collect_y(t_);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    collect_states(*parts_[k]);
    find_forgetful(k);
  }
  begun_ = status == SimulationStatus::Finished;
  return status;
}

// Every part has a step ahead.
SimulationStatus EventDriven::prepare_parts(double t_end) {
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < idle_parts_.size(); ++i) {
    const std::size_t k = idle_parts_[i];
    if (!parts_[k]->run.phase_valid_) tell();  // its contacts are decided anew
    const SimulationStatus status = prepare_part(*parts_[k], t_end);
    if (status != SimulationStatus::Finished) {
      idle_parts_.erase(idle_parts_.begin() + static_cast<std::ptrdiff_t>(waiting),
                        idle_parts_.begin() + static_cast<std::ptrdiff_t>(i));
      return fail_part(*parts_[k], status);
    }
    if (record_->empty() && !parts_[k]->run.trajectory_.events.t.empty()) {
      taken_parts_.assign(1, k);
      merge_events();
      collect_states(*parts_[k]);
      find_forgetful(k);
    }
    if (parts_[k]->pending) {
      part_ends_[k] = parts_[k]->end();
    } else {
      idle_parts_[waiting++] = k;
    }
  }
  idle_parts_.resize(waiting);
  return SimulationStatus::Finished;
}

SimulationStatus EventDriven::prepare_part(Part& part, double t_end) {
  EventDriven& run = part.run;
  if (part.pending && run.phase_valid_) return SimulationStatus::Finished;
  part.pending = false;
  if (!run.phase_valid_) {
    const SimulationStatus decided = run.decide_anew();
    if (decided != SimulationStatus::Finished) return decided;
  }
  if (!(run.t_ < t_end)) return SimulationStatus::Finished;  // waits for the next call
  run.phase_valid_ = false;                                  // unless it comes through
  const SimulationStatus status = run.look_ahead(t_end);
  if (status != SimulationStatus::Finished) return status;
  part.pending = run.phase_valid_ = true;
  part.knows_series = false;
  return SimulationStatus::Finished;
}

// The steps ahead that end first become part of the motion, with what happens at their end.
SimulationStatus EventDriven::take_parts(bool& event) {
  event = false;
  double t = *std::min_element(part_ends_.begin(), part_ends_.end());
  // What lies less than the resolution of t apart happens at one instant.
  const double limit = t + 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
  taken_parts_.clear();
  bool meets = false, moves = false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (part_ends_[k] > limit) continue;
    const EventDriven& run = parts_[k]->run;
    taken_parts_.push_back(k);
    t = std::max(t, part_ends_[k]);
    meets = meets || run.meets_instant();
    moves = moves || run.moves_ahead();
  }
  record_parts_grid(t, !meets);
  bool decides = false;
  for (const std::size_t k : taken_parts_) {
    Part& part = *parts_[k];
    keep_way(k);
    part.decides = part.run.take_step();
    decides = decides || part.decides || part.run.is_due();
    part.pending = false;
    part_ends_[k] = kNoEnd;
    idle_parts_.push_back(k);
    take_part_steps(k);
  }
  t_ = t;
  if (!decides) return SimulationStatus::Finished;
  keep_before(t, moves);
  SimulationStatus status;
  try {
    status = decide_parts();
  } catch (...) {
    keep_events();
    throw;
  }
  event = keep_events();
  for (const std::size_t k : taken_parts_) collect_states(*parts_[k]);
  if (status != SimulationStatus::Finished) return status;
  keep_after(t);
  return check_limits();
}

// The instants of the parts whose steps have ended.
SimulationStatus EventDriven::decide_parts() {
  for (const std::size_t k : taken_parts_) parts_[k]->run.phase_valid_ = false;
  for (const std::size_t k : taken_parts_) {
    Part& part = *parts_[k];
    SimulationStatus status = SimulationStatus::Finished;
    if (part.decides) status = part.run.decide();
    bool crossed = false;
    if (status == SimulationStatus::Finished && part.run.is_due()) status = part.run.cross(crossed);
    if (status != SimulationStatus::Finished) return fail_part(part, status);
    part.run.phase_valid_ = true;
  }
  return SimulationStatus::Finished;
}

SimulationStatus EventDriven::move_parts(double t_end, bool one_event, const Monitor& monitor) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kInterval = std::chrono::milliseconds(50);
  trajectory_.steps.drop_last(shown_steps_);
  shown_steps_ = 0;
  record_->shows = false;
  if (!begun_) {
    const SimulationStatus status = begin_parts();
    if (status != SimulationStatus::Finished) return status;
    observe_parts(t_);
    record_whole(t_);
    if (one_event && events_ > 0) return SimulationStatus::Ready;
  }
  phase_valid_ = true;
  auto last_call = Clock::now();
  for (long count = 0; t_ < t_end; ++count) {
    if (monitor && count % 16 == 0 && Clock::now() - last_call > kInterval) {
      if (!monitor(t_)) return interrupt();
      last_call = Clock::now();
    }
    if (count % kLook == 0 && !has_room()) return SimulationStatus::MemoryLimit;
    const SimulationStatus prepared = prepare_parts(t_end);
    if (prepared != SimulationStatus::Finished) return prepared;
    const double next = *std::min_element(part_ends_.begin(), part_ends_.end());
    if (next > t_end) {  // a call before this one has looked further
      record_parts_grid(t_end, true);
      t_ = t_end;
      break;
    }
    bool event = false;
    const SimulationStatus status = take_parts(event);
    if (status != SimulationStatus::Finished) return status;
    if (event && one_event) return SimulationStatus::Ready;
  }
  return SimulationStatus::Finished;
}

SimulationStatus EventDriven::run_parts(double t_end, bool one_event, const Monitor& monitor) {
  try {
    const SimulationStatus status = move_parts(t_end, one_event, monitor);
    collect_y(t_);
    return status;
  } catch (...) {
    collect_y(t_);
    throw;
  }
}

}  // namespace nsmb
