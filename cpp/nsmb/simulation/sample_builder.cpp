#include "nsmb/simulation/sample_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "nsmb/integration/linear_flow.hpp"

namespace nsmb {

namespace {

// Return start + ∫ of a power series with coefficients c over the fraction s of the length h.
double integral(double start, const double* c, Index size, double h, double s) {
  double power = h * s;
  for (Index k = 0; k < size; ++k, power *= s) {
    start += c[k] * (power / static_cast<double>(k + 1));
  }
  return start;
}

}  // namespace

void SampleBuilder::build() {
  PartedRecord& r = record_;
  if (r.empty()) return;
  RunState& state = whole_.state();
  const RunState present = state;
  state = r.start;
  next_way_.assign(parts_.size(), 0);
  const auto add_step = [&] {
    trajectory_.steps.state.add_row(state.states);
    trajectory_.steps.mode.add_row(state.modes);
  };
  std::size_t step = 0;
  for (std::size_t m = 0; m < r.moments.size(); ++m) {
    for (; step < r.step_moments.size() && r.step_moments[step] <= m; ++step) {
      add_step();
    }
    build_moment(m);
  }
  for (; step < r.step_moments.size(); ++step) add_step();
  state = present;
  r.clear();
  for (const auto& part : parts_) part->run.tables().rewind();
}

void SampleBuilder::build_moment(std::size_t m) {
  const PartedRecord& r = record_;
  const PartedRecord::Moment& now = r.moments[m];
  view_of_.assign(parts_.size(), PartedRecord::kNowhere);
  for (std::size_t v = now.first_view; v < now.end_view; ++v) view_of_[r.views[v].part] = v;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::size_t v = view_of_[k];
    if (v == PartedRecord::kNowhere) {
      recall(k, m);
    } else {
      show_view(*parts_[k], r.views[v].before);
    }
  }
  if (now.before) whole_.record(system_, parts_, now.t, trajectory_);
  merger_.clear();
  for (std::size_t v = now.first_view; v < now.end_view; ++v) {
    merger_.group(r.views[v].part, r.views[v].first_row, r.views[v].end_row);
  }
  merger_.write(now.t, whole_, trajectory_);
  if (!now.after) return;
  for (std::size_t v = now.first_view; v < now.end_view; ++v) {
    const PartedRecord::View& view = r.views[v];
    if (view.after == PartedRecord::kNowhere) continue;
    RunPart& part = *parts_[view.part];
    show_states(part, show_view(part, view.after));
  }
  whole_.record(system_, parts_, now.t, trajectory_);
}

// Restore a view of a part. Return the position of the states that follow it.
const double* SampleBuilder::show_view(RunPart& part, std::size_t place) {
  const double* numbers = record_.numbers.data() + place;
  part.visit([&](double& value) { value = *numbers++; });
  whole_.collect(part);
  return numbers;
}

void SampleBuilder::show_states(const RunPart& part, const double* numbers) {
  RunState& state = whole_.state();
  for (const Index c : part.places.contacts) {
    state.states[static_cast<std::size_t>(c)] = static_cast<ContactState>(*numbers++);
  }
  for (const Index e : part.places.elements) {
    state.modes[static_cast<std::size_t>(e)] = static_cast<ElementMode>(*numbers++);
  }
  if (part.run.state().features.slots.empty()) return;
  for (const Index c : part.places.contacts) {
    ContactFeature& slot = state.features.slots[static_cast<std::size_t>(c)];
    slot.first = static_cast<Index>(*numbers++);
    slot.second = static_cast<Index>(*numbers++);
  }
}

// Recover a part at a moment on one of its steps.
void SampleBuilder::recall(std::size_t k, std::size_t m) {
  const PartedRecord& r = record_;
  RunPart& part = *parts_[k];
  const double t = r.moments[m].t;
  const std::vector<PartedRecord::Way>& ways = r.ways[k];
  std::size_t& next = next_way_[k];
  while (next < ways.size() && ways[next].end <= m) ++next;
  SingleRun& run = part.run;
  // The motion is known even where the equations have no value.
  const auto observe = [&](const auto& look) {
    try {
      look();
    } catch (const std::domain_error&) {
      run.observation().contacts.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    whole_.collect(part);
  };
  if (next == ways.size()) return observe([&] { part.observe(t); });  // on the pending step
  const PartedRecord::Way& way = ways[next];
  std::unique_ptr<Phase>& phase = phases_[k];
  if (!phase) phase = make_phase(run.system(), run.options());
  if (m == way.first) {
    phase->set_span(way.from, way.to);
    if (run.system().feature_search()) phase->set_features(way.features);
    phase->freeze(way.roles, way.modes);
  }
  const double length = way.t_new - way.t_old;
  const double s = length > 0.0 ? std::min((t - way.t_old) / length, 1.0) : 0.0;
  const double* series = way.in_steps ? trajectory_.steps.coefficients.data() : r.series.data();
  const Index ny = run.state().y.size();
  const Eigen::Map<const Matrix> coefficients(series + way.series, ny, way.degree + 1);
  if (t <= way.t_start) {
    part.state = coefficients.col(0);
  } else if (t >= way.t_new) {
    part.state = Eigen::Map<const Vector>(r.numbers.data() + way.end_state, ny);
  } else {
    evaluate_series(coefficients, way.degree, s, part.state);
  }
  const double* c = r.numbers.data() + way.loss;
  for (double& loss : run.work().sample_friction) loss = *c++;
  run.work().sample_drive = way.work;
  if (t > way.t_start) {
    for (std::size_t i = 0; i < way.states.size(); ++i) {
      if (!is_slip(way.states[i])) continue;
      double& loss = run.work().sample_friction(static_cast<Index>(i));
      loss = integral(loss, c, way.power, length, s);
      c += way.power;
    }
    run.work().sample_drive += integral(0.0, c, way.drive, length, s);
  }
  observe([&] { phase->observe(t, part.state, run.observation()); });
}

}  // namespace nsmb
