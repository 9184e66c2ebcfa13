// From the record of a run in parts to samples and events of the whole system.
#include <algorithm>
#include <stdexcept>

#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/event_driven_record.hpp"

namespace nsmb {

namespace {

// start + ∫ of a power series with the coefficients c, from 0 to its part s of the length h.
double integral(double start, const double* c, Index size, double h, double s) {
  double power = h * s;
  for (Index k = 0; k < size; ++k, power *= s) {
    start += c[k] * (power / static_cast<double>(k + 1));
  }
  return start;
}

}  // namespace

const Trajectory& EventDriven::trajectory() {
  if (parts_.empty()) return trajectory_;
  tell();
  if (options_.dense_output && !record_->shows) show_pending_steps();
  record_->shows = true;
  return trajectory_;
}

// All that is kept becomes samples, events and states at steps.
void EventDriven::tell() {
  Record& r = *record_;
  if (r.empty()) return;
  const Vector y = y_;
  std::swap(states_, r.states);
  std::swap(modes_, r.modes);
  std::swap(features_, r.features);
  std::size_t step = 0;
  for (std::size_t m = 0; m < r.moments.size(); ++m) {
    for (; step < r.step_moments.size() && r.step_moments[step] <= m; ++step) {
      trajectory_.steps.state.add_row(states_);
    }
    tell_moment(m);
  }
  for (; step < r.step_moments.size(); ++step) trajectory_.steps.state.add_row(states_);
  std::swap(states_, r.states);
  std::swap(modes_, r.modes);
  std::swap(features_, r.features);
  y_ = y;
  r.clear();
  for (const auto& part : parts_) part->run.trajectory_.rewind();
}

void EventDriven::tell_moment(std::size_t m) {
  Record& r = *record_;
  const Record::Moment& now = r.moments[m];
  r.view_of.assign(parts_.size(), Record::kNowhere);
  for (std::size_t v = now.first_view; v < now.end_view; ++v) r.view_of[r.views[v].part] = v;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::size_t v = r.view_of[k];
    if (v == Record::kNowhere) {
      recall(k, m);
    } else {
      show_view(*parts_[k], r.views[v].before);
    }
  }
  if (now.before) record_whole(now.t);
  merged_count_ = 0;
  for (std::size_t v = now.first_view; v < now.end_view; ++v) {
    group_events(r.views[v].part, r.views[v].first_row, r.views[v].end_row);
  }
  add_whole_events(now.t);
  if (!now.after) return;
  for (std::size_t v = now.first_view; v < now.end_view; ++v) {
    const Record::View& view = r.views[v];
    if (view.after == Record::kNowhere) continue;
    Part& part = *parts_[view.part];
    show_states(part, show_view(part, view.after));
  }
  record_whole(now.t);
}

// Where the states behind it are kept.
const double* EventDriven::show_view(Part& part, std::size_t place) {
  const double* numbers = record_->numbers.data() + place;
  part.visit([&](double& value) { value = *numbers++; });
  collect_part(part);
  return numbers;
}

void EventDriven::show_states(const Part& part, const double* numbers) {
  for (const Index c : part.places.contacts) {
    states_[static_cast<std::size_t>(c)] = static_cast<ContactState>(*numbers++);
  }
  for (const Index e : part.places.elements) {
    modes_[static_cast<std::size_t>(e)] = static_cast<ElementMode>(*numbers++);
  }
  if (part.run.features_.slots.empty()) return;
  for (const Index c : part.places.contacts) {
    ContactFeature& slot = features_.slots[static_cast<std::size_t>(c)];
    slot.first = static_cast<Index>(*numbers++);
    slot.second = static_cast<Index>(*numbers++);
  }
}

// A part at a moment on one of its steps.
void EventDriven::recall(std::size_t k, std::size_t m) {
  Record& r = *record_;
  Part& part = *parts_[k];
  const double t = r.moments[m].t;
  std::vector<Record::Way>& ways = r.ways[k];
  std::size_t& next = r.next_way[k];
  while (next < ways.size() && ways[next].end <= m) ++next;
  EventDriven& run = part.run;
  // Where the equations have no value the motion is known all the same.
  const auto observe = [&](const auto& look) {
    try {
      look();
    } catch (const std::domain_error&) {
      run.observation_.contacts.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    collect_part(part);
  };
  if (next == ways.size()) return observe([&] { observe_part(part, t); });  // on the step ahead
  const Record::Way& way = ways[next];
  std::unique_ptr<Phase>& phase = r.phases[k];
  if (!phase) phase = make_phase(run.system_, run.options_);
  if (m == way.first) {
    phase->set_span(way.from, way.to);
    if (run.system_.has_features()) phase->set_features(way.features);
    phase->freeze(way.roles, way.modes);
  }
  const double length = way.t_new - way.t_old;
  const double s = length > 0.0 ? std::min((t - way.t_old) / length, 1.0) : 0.0;
  const double* series = way.in_steps ? trajectory_.steps.coefficients.data() : r.series.data();
  const Index ny = run.y_.size();
  const Eigen::Map<const Matrix> coefficients(series + way.series, ny, way.degree + 1);
  if (t <= way.t_start) {
    part.state = coefficients.col(0);
  } else if (t >= way.t_new) {
    part.state = Eigen::Map<const Vector>(r.numbers.data() + way.end_state, ny);
  } else {
    evaluate_series(coefficients, way.degree, s, part.state);
  }
  const double* c = r.numbers.data() + way.loss;
  for (double& loss : run.work_.sample_friction) loss = *c++;
  run.work_.sample_drive = way.work;
  if (t > way.t_start) {
    for (std::size_t i = 0; i < way.states.size(); ++i) {
      if (!is_slip(way.states[i])) continue;
      double& loss = run.work_.sample_friction(static_cast<Index>(i));
      loss = integral(loss, c, way.power, length, s);
      c += way.power;
    }
    run.work_.sample_drive += integral(0.0, c, way.drive, length, s);
  }
  observe([&] { phase->observe(t, part.state, run.observation_); });
}

}  // namespace nsmb
