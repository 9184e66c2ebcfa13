// What the parts of a run are together: samples, events, steps and statistics of the whole system.
#include <algorithm>

#include "nsmb/simulation/event_driven_record.hpp"

namespace nsmb {

namespace {

// Row `row` of a flat table with `columns` columns, to its places in a vector of the whole.
template <typename T, typename Whole>
void scatter(const Column<T>& column, std::size_t row, const std::vector<Index>& places,
             Whole&& whole) {
  const T* values = column.row(row);
  for (std::size_t i = 0; i < places.size(); ++i) whole(places[i], values[i]);
}

auto into(VectorRef whole) {
  return [whole](Index place, double value) mutable { whole(place) = value; };
}

// Of a part to those of the whole.
void add_counts(const SimulationStatistics& part, SimulationStatistics& s) {
  s.integrator.steps += part.integrator.steps;
  s.integrator.rejected += part.integrator.rejected;
  s.integrator.rhs_evaluations += part.integrator.rhs_evaluations;
  s.integrator.jacobian_evaluations += part.integrator.jacobian_evaluations;
  s.integrator.restarts += part.integrator.restarts;
  s.counts.largest_residual = std::max(s.counts.largest_residual, part.counts.largest_residual);
  s.counts.contact_problems += part.counts.contact_problems;
  s.counts.dependent_impacts += part.counts.dependent_impacts;
  s.counts.dependent_contacts += part.counts.dependent_contacts;
  s.counts.ambiguous_accelerations += part.counts.ambiguous_accelerations;
  s.counts.nonunique_problems += part.counts.nonunique_problems;
  s.counts.impacts_without_collision += part.counts.impacts_without_collision;
  s.counts.energy_gains += part.counts.energy_gains;
  s.counts.largest_gain = std::max(s.counts.largest_gain, part.counts.largest_gain);
  s.rest_loss += part.rest_loss;
  s.rests += part.rests;
}

}  // namespace

// To observation_, work_.friction and y_ of the whole.
void EventDriven::collect_part(const Part& part) {
  const Observation& o = part.run.observation_;
  const SystemPart& places = part.places;
  for (std::size_t i = 0; i < part.y.size(); ++i) {
    y_(part.y[i]) = part.state(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < places.contacts.size(); ++i) {
    const Index row = static_cast<Index>(i);
    observation_.contacts.row(places.contacts[i]) = o.contacts.row(row);
    work_.friction(places.contacts[i]) = part.run.work_.sample_friction(row);
  }
  for (std::size_t i = 0; i < part.tangents.size(); ++i) {
    observation_.gamma_T(part.tangents[i]) = o.gamma_T(static_cast<Index>(i));
    observation_.lambda_T(part.tangents[i]) = o.lambda_T(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < places.constraints.size(); ++i) {
    observation_.lambda_B(places.constraints[i]) = o.lambda_B(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < places.elements.size(); ++i) {
    const Index row = static_cast<Index>(i);
    observation_.element_gamma(places.elements[i]) = o.element_gamma(row);
    observation_.element_force(places.elements[i]) = o.element_force(row);
  }
}

void EventDriven::collect_states(const Part& part) {
  const SystemPart& places = part.places;
  for (std::size_t i = 0; i < places.contacts.size(); ++i) {
    const std::size_t c = static_cast<std::size_t>(places.contacts[i]);
    states_[c] = part.run.states_[i];
    if (!part.run.features_.slots.empty()) features_.slots[c] = part.run.features_.slots[i];
  }
  for (std::size_t i = 0; i < places.elements.size(); ++i) {
    modes_[static_cast<std::size_t>(places.elements[i])] = part.run.modes_[i];
  }
}

void EventDriven::collect_y(double t) {
  for (const auto& part : parts_) {
    part->evaluate(t, part->state);
    for (std::size_t i = 0; i < part->y.size(); ++i) {
      y_(part->y[i]) = part->state(static_cast<Index>(i));
    }
  }
}

void EventDriven::observe_part(Part& part, double t) {
  EventDriven& run = part.run;
  if (!run.begun_) {
    run.observe_failed_start();
    part.state = run.y_;
  } else {
    part.evaluate(t, part.state);
    run.phase_->observe(t, part.state, run.observation_);
  }
  find_losses(part, t);
  collect_part(part);
}

// To work_.sample_friction and work_.sample_drive of the part.
void EventDriven::find_losses(Part& part, double t) const {
  EventDriven& run = part.run;
  run.work_.sample_friction = run.work_.friction;
  run.work_.sample_drive = run.work_.drive;
  if (part.pending && t > run.t_) {
    run.work_.find(*run.phase_);
    const double t_old = run.phase_->integrator().t_old();
    const double length = run.phase_->t() - t_old;
    const double s = length > 0.0 ? std::min((t - t_old) / length, 1.0) : 0.0;
    run.work_.add_friction(*run.phase_, run.states_, s, run.work_.sample_friction);
    run.work_.sample_drive += run.work_.drive_work(*run.phase_, s);
  }
}

void EventDriven::observe_parts(double t) {
  for (const auto& part : parts_) observe_part(*part, t);
}

// Of what was observed last.
void EventDriven::record_whole(double t) {
  work_.drive = 0.0;
  for (const auto& part : parts_) work_.drive += part->run.work_.sample_drive;
  trajectory_.add_sample(t, y_, observation_, work_.friction, work_.drive, states_, modes_);
  if (system_.has_features()) trajectory_.add_features(features_);
  record_->last_t = t;
}

// A run that stops early has a sample where it stopped, too.
void EventDriven::complete_parts() {
  if (record_->last_t >= t_) return;
  const bool went = status_ == SimulationStatus::Finished || status_ == SimulationStatus::Ready ||
                    status_ == SimulationStatus::Interrupted;
  if (begun_ && went) return keep_moment(t_, true, {});
  tell();
  observe_parts(t_);
  record_whole(t_);
}

void EventDriven::record_parts_grid(double t_new, bool include_end) {
  if (!output_.exist()) return;
  for (;; output_.pass()) {
    const double t = output_.next();
    if (t > t_new || (t == t_new && !include_end)) return;
    if (t <= t_) continue;
    keep_moment(t, true, {});
  }
}

void EventDriven::take_part_steps(std::size_t k) {
  StepTable& from = parts_[k]->run.trajectory_.steps;
  if (from.rows() == 0) return;
  begin_record();
  trajectory_.steps.take_part(from, static_cast<std::int32_t>(k));
  record_->step_moments.insert(record_->step_moments.end(), from.rows(), record_->moments.size());
  from.clear();
}

// The part up to t_ of steps that are not taken yet: the motion is known there.
void EventDriven::show_pending_steps() {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = *parts_[k];
    if (!part.pending || !(t_ > part.run.t_)) continue;
    const double t_old = part.run.phase_->integrator().t_old();
    const double length = part.run.phase_->t() - t_old;
    if (!(length > 0.0)) continue;
    const double s = std::min((t_ - t_old) / length, 1.0);
    Matrix series = part.run.phase_->series().topRows(part.run.y_.size());
    const Index degree = part.run.phase_->series_degree();
    double power = s;
    for (Index j = 1; j <= degree; ++j, power *= s) series.col(j) *= power;
    trajectory_.steps.add(t_old, t_, series, degree, series.rows());
    trajectory_.steps.state.add_row(states_);
    trajectory_.steps.part.add(static_cast<std::int32_t>(k));
    ++shown_steps_;
  }
}

// Events of the parts at one instant, in the order each part has them; those of one kind become one
// event of the whole, as they are where nothing is divided. Here: those of part k.
void EventDriven::group_events(std::size_t k, std::size_t first_row, std::size_t end_row) {
  const EventTable& r = parts_[k]->run.trajectory_.events;
  std::size_t place = 0;
  for (std::size_t row = first_row; row < end_row; ++row, ++place) {
    const auto same_kind = [&](std::size_t slot) {
      const auto& [other, other_row] = merged_[slot].front();
      return parts_[other]->run.trajectory_.events.kind[other_row] == r.kind[row];
    };
    std::size_t slot = place;
    while (slot < merged_count_ && !same_kind(slot)) ++slot;
    if (slot == merged_count_) {
      slot = place;
      if (merged_count_ == merged_.size()) merged_.emplace_back();
      merged_[merged_count_].clear();
      std::rotate(merged_.begin() + static_cast<std::ptrdiff_t>(slot),
                  merged_.begin() + static_cast<std::ptrdiff_t>(merged_count_),
                  merged_.begin() + static_cast<std::ptrdiff_t>(merged_count_) + 1);
      ++merged_count_;
    }
    merged_[slot].emplace_back(k, row);
    place = slot;
  }
}

void EventDriven::count_events() {
  for (std::size_t slot = 0; slot < merged_count_; ++slot) {
    double change = 0.0;
    for (const auto& [k, row] : merged_[slot]) {
      change -= parts_[k]->run.trajectory_.events.energy_loss[row];
    }
    const auto& [k, row] = merged_[slot].front();
    const std::int8_t kind = parts_[k]->run.trajectory_.events.kind[row];
    impact_loss_ -= change;
    impacts_ += static_cast<EventKind>(kind) == EventKind::Impact ? 1 : 0;
    ++events_;
  }
}

// At once, from all the rows of the parts taken. True: there was one.
bool EventDriven::merge_events() {
  merged_count_ = 0;
  for (const std::size_t k : taken_parts_) {
    group_events(k, 0, parts_[k]->run.trajectory_.events.kind.size());
  }
  count_events();
  add_whole_events(t_);
  for (const std::size_t k : taken_parts_) parts_[k]->run.trajectory_.rewind();
  return merged_count_ > 0;
}

void EventDriven::add_whole_events(double t) {
  if (merged_count_ == 0) return;
  TransitionEvent& event = *whole_event_;
  event.u_plus = y_.segment(system_.nq(), system_.nu());
  event.state_plus = states_;
  for (std::size_t slot = 0; slot < merged_count_; ++slot) merge_event(slot, t);
}

void EventDriven::merge_event(std::size_t slot, double t) {
  TransitionEvent& event = *whole_event_;
  // Each begins where the one before it has led to.
  event.u_minus = event.u_plus;
  event.state_minus = event.state_plus;
  std::fill(event.contacts.begin(), event.contacts.end(), false);
  std::fill(event.elements.begin(), event.elements.end(), false);
  for (Vector* impulse : {&event.Lambda_N, &event.Lambda_T, &event.Lambda_NC, &event.Lambda_TC,
                          &event.energy.work_N, &event.energy.work_T}) {
    impulse->setZero();
  }
  event.energy.change = event.energy.compression = 0.0;
  whole_features_.clear();
  if (system_.has_features()) {
    for (const ContactFeature& feature : features_.slots) {
      whole_features_.push_back(static_cast<std::int32_t>(feature.first));
      whole_features_.push_back(static_cast<std::int32_t>(feature.second));
    }
  }
  const auto mark = [](std::vector<bool>& whole) {
    return [&whole](Index place, std::uint8_t value) {
      whole[static_cast<std::size_t>(place)] = value != 0;
    };
  };
  const auto state = [](ContactStates& whole) {
    return [&whole](Index place, std::int8_t value) {
      whole[static_cast<std::size_t>(place)] = static_cast<ContactState>(value);
    };
  };
  const Index nq = system_.nq(), nx = system_.nx();
  for (const auto& [k, row] : merged_[slot]) {
    const Part& part = *parts_[k];
    const SystemPart& places = part.places;
    const EventTable& r = part.run.trajectory_.events;
    event.kind = static_cast<EventKind>(r.kind[row]);
    scatter(r.contacts, row, places.contacts, mark(event.contacts));
    scatter(r.elements, row, places.elements, mark(event.elements));
    scatter(r.q, row, places.q, into(y_.head(nq)));
    scatter(r.x, row, places.x, into(y_.tail(nx)));
    scatter(r.u_minus, row, places.u, into(event.u_minus));
    scatter(r.u_plus, row, places.u, into(event.u_plus));
    scatter(r.Lambda_N, row, places.contacts, into(event.Lambda_N));
    scatter(r.Lambda_T, row, part.tangents, into(event.Lambda_T));
    scatter(r.Lambda_NC, row, places.contacts, into(event.Lambda_NC));
    scatter(r.Lambda_TC, row, part.tangents, into(event.Lambda_TC));
    scatter(r.work_N, row, places.contacts, into(event.energy.work_N));
    scatter(r.work_T, row, places.contacts, into(event.energy.work_T));
    scatter(r.friction_loss, row, places.contacts, into(work_.friction));
    scatter(r.state_minus, row, places.contacts, state(event.state_minus));
    scatter(r.state_plus, row, places.contacts, state(event.state_plus));
    event.energy.change -= r.energy_loss[row];
    event.energy.compression -= r.compression_loss[row];
    for (std::size_t i = 0; i < places.contacts.size() && !r.features.empty(); ++i) {
      const std::int32_t* pair = r.features.row(row) + 2 * i;
      std::copy(pair, pair + 2,
                whole_features_.begin() + 2 * static_cast<std::ptrdiff_t>(places.contacts[i]));
    }
  }
  trajectory_.add_event(t, y_.head(nq), y_.tail(nx), event, work_.friction);
  trajectory_.events.features.add_row(whole_features_);
}

SimulationStatistics EventDriven::statistics() const {
  SimulationStatistics s;
  if (phase_) s.integrator = phase_->integrator().statistics();
  s.counts = transition_.counts();
  add_counts(outside_.earlier, s);
  s.rest_loss = rest_loss_;
  s.rests = rests_;
  s.events = events_;
  s.impacts = impacts_;
  s.impact_loss = impact_loss_;
  Vector loss = work_.friction;
  s.drive_work = parts_.empty() ? work_.drive : 0.0;
  for (const auto& part : parts_) {
    add_counts(part->run.statistics(), s);
    find_losses(*part, t_);
    const std::vector<Index>& places = part->places.contacts;
    for (std::size_t i = 0; i < places.size(); ++i) {
      loss(places[i]) = part->run.work_.sample_friction(static_cast<Index>(i));
    }
    s.drive_work += part->run.work_.sample_drive;
  }
  s.friction_loss = loss.sum();
  return s;
}

double EventDriven::kept_bytes() const {
  double bytes = trajectory_.size();
  if (!record_) return bytes;
  for (const auto& part : parts_) bytes += part->run.trajectory_.size();
  return bytes + record_->size() +
         static_cast<double>(record_->samples * trajectory_.samples.row_bytes() +
                             record_->events * trajectory_.events.row_bytes());
}

KeptStates EventDriven::kept_states() const {
  KeptStates kept;
  if (phase_) kept = phase_->kept_states();
  for (const auto& part : parts_) {
    const KeptStates of_part = part->run.kept_states();
    kept.count += of_part.count;
    kept.bytes += of_part.bytes;
  }
  return kept;
}

}  // namespace nsmb
