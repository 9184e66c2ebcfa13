// The record of a run in parts: what is kept at the moments of its samples.
#include "nsmb/simulation/event_driven_record.hpp"

#include <algorithm>

namespace nsmb {

void EventDriven::Record::clear() {
  moments.clear();
  views.clear();
  numbers.clear();
  series.clear();
  step_moments.clear();
  for (auto& of_part : ways) of_part.clear();
  std::fill(next_way.begin(), next_way.end(), 0);
  std::fill(next_moment.begin(), next_moment.end(), 0);
  samples = events = 0;
}

// Bytes, about.
double EventDriven::Record::size() const {
  std::size_t bytes = (numbers.capacity() + series.capacity()) * sizeof(double) +
                      moments.capacity() * sizeof(Moment) + views.capacity() * sizeof(View);
  for (const auto& of_part : ways) {
    bytes += of_part.capacity() * sizeof(Way);
    if (of_part.empty()) continue;
    const FrozenRoles& roles = of_part.front().roles;
    bytes += of_part.size() * (roles.size() * (sizeof(FrozenRole) + 5 * sizeof(double)));
  }
  return static_cast<double>(bytes);
}

void EventDriven::clear_record() {
  record_->clear();
  record_->last_t = -std::numeric_limits<double>::infinity();
  record_->shows = false;
  for (const auto& part : parts_) part->run.trajectory_.rewind();
}

void EventDriven::begin_record() {
  if (!record_->empty()) return;
  record_->states = states_;
  record_->modes = modes_;
  record_->features = features_;
}

// Parts whose phase another one cannot take the place of.
void EventDriven::find_forgetful(std::size_t k) {
  Record& r = *record_;
  const char forgets = parts_[k]->run.phase_->recalls() ? 0 : 1;
  if (forgets == r.forgetful[k]) return;
  r.forgetful[k] = forgets;
  forgets != 0 ? ++r.forgetful_count : --r.forgetful_count;
}

// As it was observed last.
std::size_t EventDriven::keep_view(Part& part) {
  std::vector<double>& numbers = record_->numbers;
  const std::size_t place = numbers.size();
  part.visit([&](double& value) { numbers.push_back(value); });
  for (const ContactState state : part.run.states_) numbers.push_back(static_cast<double>(state));
  for (const ElementMode mode : part.run.modes_) numbers.push_back(static_cast<double>(mode));
  for (const ContactFeature& slot : part.run.features_.slots) {
    numbers.push_back(static_cast<double>(slot.first));
    numbers.push_back(static_cast<double>(slot.second));
  }
  return place;
}

// The step ahead of a part, which is about to be taken.
void EventDriven::keep_way(std::size_t k) {
  Record& r = *record_;
  EventDriven& run = parts_[k]->run;
  const std::size_t first = r.next_moment[k];
  r.next_moment[k] = r.moments.size();
  if (first == r.moments.size() || r.forgetful[k] != 0) return;
  Record::Way& way = r.ways[k].emplace_back();
  way.first = first;
  way.end = r.moments.size();
  way.t_start = way.t_old = way.t_new = run.t_;
  way.work = run.work_.drive;
  way.modes = run.modes_;
  way.roles = run.transition_.roles();
  if (run.system_.has_features()) way.features = *run.phase_->features();
  way.from = run.last_;
  way.to = run.next_;
  if (!run.moves_ahead()) {
    way.series = r.series.size();
    r.series.insert(r.series.end(), run.y_.begin(), run.y_.end());
    way.loss = r.numbers.size();
    r.numbers.insert(r.numbers.end(), run.work_.friction.begin(), run.work_.friction.end());
    return;
  }
  const Vector& y = run.phase_->y();
  way.end_state = r.numbers.size();
  r.numbers.insert(r.numbers.end(), y.begin(), y.end());
  way.loss = r.numbers.size();
  r.numbers.insert(r.numbers.end(), run.work_.friction.begin(), run.work_.friction.end());
  way.t_old = run.phase_->integrator().t_old();
  way.t_new = run.phase_->t();
  way.degree = run.phase_->series_degree();
  way.in_steps = options_.dense_output && way.t_new > way.t_old;
  if (way.in_steps) {
    way.series = trajectory_.steps.coefficients.size();  // where this step will be
  } else {
    way.series = r.series.size();
    const Matrix& series = run.phase_->series();
    for (Index j = 0; j <= way.degree; ++j) {
      for (Index i = 0; i < run.y_.size(); ++i) r.series.push_back(series(i, j));
    }
  }
  keep_powers(k);
}

void EventDriven::keep_powers(std::size_t k) {
  std::vector<double>& numbers = record_->numbers;
  EventDriven& run = parts_[k]->run;
  Record::Way& way = record_->ways[k].back();
  run.work_.find(*run.phase_);
  if (run.work_.slips()) {
    way.states = run.states_;
    way.power = run.work_.friction_power().cols();
    for (Index i = 0; i < run.work_.friction_power().rows(); ++i) {
      if (!is_slip(way.states[static_cast<std::size_t>(i)])) continue;
      for (Index j = 0; j < way.power; ++j) numbers.push_back(run.work_.friction_power()(i, j));
    }
  }
  if (!run.work_.drives()) return;
  way.drive = run.work_.drive_power().size();
  numbers.insert(numbers.end(), run.work_.drive_power().begin(), run.work_.drive_power().end());
}

// A sample to come; parts of `taken` are looked at by who calls.
void EventDriven::keep_moment(double t, bool before, const std::vector<std::size_t>& taken) {
  Record& r = *record_;
  begin_record();
  for (std::size_t k = 0; k < parts_.size() && r.forgetful_count > 0; ++k) {
    const bool is_taken = std::binary_search(taken.begin(), taken.end(), k);
    if (r.forgetful[k] == 0 || is_taken) continue;
    observe_part(*parts_[k], t);
    r.views.push_back({k, keep_view(*parts_[k])});
  }
  const std::size_t first = r.moments.empty() ? 0 : r.moments.back().end_view;
  r.moments.push_back({t, before, false, first, r.views.size()});
  if (!before) return;
  ++r.samples;
  r.last_t = t;
}

// The side of an instant the parts come from.
void EventDriven::keep_before(double t, bool moves) {
  Record& r = *record_;
  keep_moment(t, moves, taken_parts_);
  for (const std::size_t k : taken_parts_) {
    observe_part(*parts_[k], t);
    const std::size_t rows = parts_[k]->run.trajectory_.events.t.size();
    r.views.push_back({k, keep_view(*parts_[k]), Record::kNowhere, rows, rows});
    r.next_moment[k] = r.moments.size();
  }
  r.moments.back().end_view = r.views.size();
}

// The events between both sides. True: there is one.
bool EventDriven::keep_events() {
  Record& r = *record_;
  merged_count_ = 0;
  for (std::size_t v = r.views.size() - taken_parts_.size(); v < r.views.size(); ++v) {
    Record::View& view = r.views[v];
    view.end_row = parts_[view.part]->run.trajectory_.events.t.size();
    group_events(view.part, view.first_row, view.end_row);
  }
  count_events();
  r.events += merged_count_;
  return merged_count_ > 0;
}

// The side the parts go on from.
void EventDriven::keep_after(double t) {
  Record& r = *record_;
  for (std::size_t v = r.views.size() - taken_parts_.size(); v < r.views.size(); ++v) {
    Part& part = *parts_[r.views[v].part];
    observe_part(part, t);
    r.views[v].after = keep_view(part);
    find_forgetful(r.views[v].part);
  }
  r.moments.back().after = true;
  ++r.samples;
  r.last_t = t;
}

}  // namespace nsmb
