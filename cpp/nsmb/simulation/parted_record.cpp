#include "nsmb/simulation/parted_record.hpp"

#include <algorithm>

namespace nsmb {

void PartedRecord::clear() {
  moments.clear();
  views.clear();
  numbers.clear();
  series.clear();
  step_moments.clear();
  for (auto& of_part : ways) of_part.clear();
  std::fill(next_moment_.begin(), next_moment_.end(), 0);
  samples = events = 0;
}

double PartedRecord::size() const {
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

void PartedRecord::forget() {
  clear();
  last_t_ = -std::numeric_limits<double>::infinity();
}

// Set the start of the record to the current state if nothing is recorded yet.
void PartedRecord::begin() {
  if (empty()) start = state_;
}

// Track the parts whose phase cannot be replaced by another one.
void PartedRecord::find_forgetful(std::size_t k) {
  const char forgets = parts_[k]->run.phase().recalls() ? 0 : 1;
  if (forgets == forgetful_[k]) return;
  forgetful_[k] = forgets;
  forgets != 0 ? ++forgetful_count_ : --forgetful_count_;
}

// Store the last observation of a part. Return its position in `numbers`.
std::size_t PartedRecord::keep_view(RunPart& part) {
  const RunState& here = part.run.state();
  const std::size_t place = numbers.size();
  part.visit([&](double& value) { numbers.push_back(value); });
  for (const ContactState state : here.states) numbers.push_back(static_cast<double>(state));
  for (const ElementMode mode : here.modes) numbers.push_back(static_cast<double>(mode));
  for (const ContactFeature& slot : here.features.slots) {
    numbers.push_back(static_cast<double>(slot.first));
    numbers.push_back(static_cast<double>(slot.second));
  }
  return place;
}

void PartedRecord::keep_way(std::size_t k, const Trajectory& whole, bool dense_output) {
  SingleRun& run = parts_[k]->run;
  const std::size_t first = next_moment_[k];
  next_moment_[k] = moments.size();
  if (first == moments.size() || forgetful_[k] != 0) return;
  Way& way = ways[k].emplace_back();
  way.first = first;
  way.end = moments.size();
  way.t_start = way.t_old = way.t_new = run.state().t;
  way.work = run.work().drive;
  way.modes = run.state().modes;
  way.roles = run.roles();
  if (run.system().feature_search()) way.features = *run.phase().features();
  way.from = run.from();
  way.to = run.until();
  if (!run.moves_ahead()) {
    way.series = series.size();
    series.insert(series.end(), run.state().y.begin(), run.state().y.end());
    way.loss = numbers.size();
    numbers.insert(numbers.end(), run.work().friction.begin(), run.work().friction.end());
    return;
  }
  const Vector& y = run.phase().y();
  way.end_state = numbers.size();
  numbers.insert(numbers.end(), y.begin(), y.end());
  way.loss = numbers.size();
  numbers.insert(numbers.end(), run.work().friction.begin(), run.work().friction.end());
  way.t_old = run.phase().integrator().t_old();
  way.t_new = run.phase().t();
  way.degree = run.phase().series_degree();
  way.in_steps = dense_output && way.t_new > way.t_old;
  if (way.in_steps) {
    way.series = whole.steps.coefficients.size();  // position of this step in the trajectory
  } else {
    way.series = series.size();
    const Matrix& step = run.phase().series();
    for (Index j = 0; j <= way.degree; ++j) {
      for (Index i = 0; i < run.state().y.size(); ++i) series.push_back(step(i, j));
    }
  }
  keep_powers(k);
}

void PartedRecord::keep_powers(std::size_t k) {
  SingleRun& run = parts_[k]->run;
  Way& way = ways[k].back();
  run.work().find(run.phase());
  if (run.work().slips()) {
    way.states = run.state().states;
    way.power = run.work().friction_power().cols();
    for (Index i = 0; i < run.work().friction_power().rows(); ++i) {
      if (!is_slip(way.states[static_cast<std::size_t>(i)])) continue;
      for (Index j = 0; j < way.power; ++j) numbers.push_back(run.work().friction_power()(i, j));
    }
  }
  if (!run.work().drives()) return;
  way.drive = run.work().drive_power().size();
  numbers.insert(numbers.end(), run.work().drive_power().begin(), run.work().drive_power().end());
}

void PartedRecord::keep_moment(double t, bool before, const std::vector<std::size_t>& taken) {
  begin();
  for (std::size_t k = 0; k < parts_.size() && forgetful_count_ > 0; ++k) {
    const bool is_taken = std::binary_search(taken.begin(), taken.end(), k);
    if (forgetful_[k] == 0 || is_taken) continue;
    parts_[k]->observe(t);
    views.push_back({k, keep_view(*parts_[k])});
  }
  const std::size_t first = moments.empty() ? 0 : moments.back().end_view;
  moments.push_back({t, before, false, first, views.size()});
  if (!before) return;
  ++samples;
  last_t_ = t;
}

void PartedRecord::keep_before(double t, bool moves, const std::vector<std::size_t>& taken) {
  keep_moment(t, moves, taken);
  for (const std::size_t k : taken) {
    parts_[k]->observe(t);
    const std::size_t rows = parts_[k]->run.tables().events.t.size();
    views.push_back({k, keep_view(*parts_[k]), kNowhere, rows, rows});
    next_moment_[k] = moments.size();
  }
  moments.back().end_view = views.size();
}

std::size_t PartedRecord::keep_events(std::size_t count, EventMerger& merger) {
  merger.clear();
  for (std::size_t v = views.size() - count; v < views.size(); ++v) {
    View& view = views[v];
    view.end_row = parts_[view.part]->run.tables().events.t.size();
    merger.group(view.part, view.first_row, view.end_row);
  }
  events += merger.count();
  return merger.count();
}

void PartedRecord::keep_after(double t, std::size_t count) {
  for (std::size_t v = views.size() - count; v < views.size(); ++v) {
    RunPart& part = *parts_[views[v].part];
    part.observe(t);
    views[v].after = keep_view(part);
    find_forgetful(views[v].part);
  }
  moments.back().after = true;
  ++samples;
  last_t_ = t;
}

void PartedRecord::take_steps(std::size_t k, Trajectory& whole) {
  StepTable& from = parts_[k]->run.tables().steps;
  if (from.rows() == 0) return;
  begin();
  whole.steps.take_part(from, static_cast<std::int32_t>(k));
  step_moments.insert(step_moments.end(), from.rows(), moments.size());
  from.clear();
}

}  // namespace nsmb
