#include "nsmb/simulation/pending_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Maximum number of closer looks at a step, each at a quarter of it at most.
constexpr int kMostLooks = 40;

}  // namespace

PendingStep::PendingStep(const System& system, const TransitionOptions& options,
                         std::shared_ptr<RootFinder> roots)
    : options_(options),
      search_(system, std::move(roots)),
      triggers_(system.nc(), system.ne()),
      at_rest_(static_cast<std::size_t>(system.nc()), false) {}

void PendingStep::reset() {
  search_.leave();
  fires_ = false;
}

void PendingStep::clear() {
  triggers_.clear();
  fired_.clear();
}

void PendingStep::set_out(double t_stop, double t_end) {
  fires_ = leaves_ = false;
  torn_.clear();
  t_stop_ = t_stop;
  t_end_ = t_end;
}

void PendingStep::stop_at_start() {
  fires_ = true;
  s_event_ = 0.0;
}

void PendingStep::jam() {
  clear();
  triggers_.jams = true;
  stop_at_start();
}

StepStatus PendingStep::find(Phase& phase, const std::vector<Indicator>& indicators, bool starts,
                             const RunState& state, UserEvents* users) {
  const SearchedStep step{phase, indicators, starts, t_stop_, t_end_};
  s_event_ = 2.0;
  std::size_t first = 0;
  fires_ = search_.find(step, s_event_, first);
  for (int looks = 0; looks < kMostLooks && !phase.is_linear() && moves(); ++looks) {
    const double part = search_.part_in_doubt(step, s_event_, first, options_.gap_tolerance);
    if (part > 1.0) break;
    const StepStatus closer = phase.look_closer(part);
    if (closer != StepStatus::Ok) return closer;
    fires_ = search_.find(step, s_event_, first);
  }
  // On so small a fraction of a numerical step nothing moves.
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  if (fires_ && !phase.is_linear() && s_event_ < rounding) s_event_ = 0.0;
  if (users && find_user_event(phase, *users)) return locate_user_event(phase, state, *users);
  if (search_.cut() < s_event_) {
    fires_ = false;
    return phase.cut(search_.cut());
  }
  if (!fires_) {
    search_.leave();
    return StepStatus::Ok;
  }
  if (!moves()) {
    torn_ = search_.endless_switches(step, state.states, state.modes);
    if (!torn_.empty()) return StepStatus::Ok;
    leaves_ = search_.find_way_out(step, state.states, options_, s_event_);
    if (!leaves_) {
      s_event_ = 0.0;
      search_.collect(step, s_event_, first, triggers_, fired_);
      return StepStatus::Ok;
    }
    clear();
    return phase.cut(s_event_);
  }
  search_.leave();
  const StepStatus located = search_.locate(step, s_event_, first, triggers_, fired_);
  if (located == StepStatus::Ok) tell_rest(phase);
  return located;
}

// Set the triggers of contacts whose slip is indistinguishable from rest at the event.
void PendingStep::tell_rest(Phase& phase) {
  std::fill(at_rest_.begin(), at_rest_.end(), false);
  phase.mark_rest(at_rest_);
  for (std::size_t c = 0; c < at_rest_.size(); ++c) {
    Trigger& trigger = triggers_.contacts[c];
    if (at_rest_[c] && trigger == Trigger::None) trigger = Trigger::Sticks;
    const bool sticks = trigger == Trigger::Sticks;
    if (sticks && phase.slips_on(static_cast<Index>(c))) trigger = Trigger::None;
  }
}

double PendingStep::searched() const { return fires_ ? s_event_ : std::min(search_.cut(), 1.0); }

bool PendingStep::only_searches() const {
  const auto searches = [](const Indicator& i) { return i.quantity->only_searches(); };
  return !leaves_ && std::all_of(fired_.begin(), fired_.end(), searches);
}

// Return true if the first event is one of the user. Events that fire together with contacts come
// after them.
bool PendingStep::find_user_event(Phase& phase, UserEvents& users) {
  if (fires_ && !moves()) return false;
  const double end = std::min({1.0, search_.cut(), s_event_ - event_times::kOneInstant});
  const bool whole = !fires_ && search_.cut() > 1.0;
  const bool ends_run = whole && phase.t() >= t_stop_ && t_stop_ >= t_end_;
  const double place = users.search(phase, end, ends_run);
  if (place > 1.0) return false;
  s_event_ = place;
  return true;
}

StepStatus PendingStep::locate_user_event(Phase& phase, const RunState& state, UserEvents& users) {
  fires_ = true;
  search_.leave();
  clear();
  const double place = s_event_;
  if (s_event_ * phase.duration() <= event_times::kShortestStep * std::abs(state.t)) s_event_ = 0.0;
  const StepStatus status =
      moves() ? phase.cut_at_zero(users.function(), s_event_) : StepStatus::Ok;
  if (status != StepStatus::Ok) return status;
  users.pass(moves() ? place : 0.0);
  users.fire(moves() ? phase.t() : state.t, moves() ? phase.y() : state.y);
  return status;
}

}  // namespace nsmb
