#include "nsmb/simulation/event_merger.hpp"

#include <algorithm>

namespace nsmb {

namespace {

// Copy row `row` of a column to its positions in a vector of the whole.
template <typename T, typename Whole>
void scatter(const Column<T>& column, std::size_t row, const std::vector<Index>& places,
             Whole&& whole) {
  const T* values = column.row(row);
  for (std::size_t i = 0; i < places.size(); ++i) whole(places[i], values[i]);
}

auto into(VectorRef whole) {
  return [whole](Index place, double value) mutable { whole(place) = value; };
}

}  // namespace

void EventMerger::group(std::size_t k, std::size_t first_row, std::size_t end_row) {
  const EventTable& r = parts_[k]->run.tables().events;
  std::size_t place = 0;
  for (std::size_t row = first_row; row < end_row; ++row, ++place) {
    const auto same_kind = [&](std::size_t slot) {
      const auto& [other, other_row] = merged_[slot].front();
      return parts_[other]->run.tables().events.kind[other_row] == r.kind[row];
    };
    std::size_t slot = place;
    while (slot < count_ && !same_kind(slot)) ++slot;
    if (slot == count_) {
      slot = place;
      if (count_ == merged_.size()) merged_.emplace_back();
      merged_[count_].clear();
      std::rotate(merged_.begin() + static_cast<std::ptrdiff_t>(slot),
                  merged_.begin() + static_cast<std::ptrdiff_t>(count_),
                  merged_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
      ++count_;
    }
    merged_[slot].emplace_back(k, row);
    place = slot;
  }
}

void EventMerger::add_to(EventCounts& counts) const {
  for (std::size_t slot = 0; slot < count_; ++slot) {
    double change = 0.0;
    for (const auto& [k, row] : merged_[slot]) {
      change -= parts_[k]->run.tables().events.energy_loss[row];
    }
    const auto& [k, row] = merged_[slot].front();
    counts.count(static_cast<EventKind>(parts_[k]->run.tables().events.kind[row]), change);
  }
}

void EventMerger::write(double t, WholeState& whole, Trajectory& trajectory) {
  if (count_ == 0) return;
  const RunState& instant = whole.state();
  event_.u_plus = instant.y.segment(system_.nq(), system_.nu());
  event_.state_plus = instant.states;
  for (std::size_t slot = 0; slot < count_; ++slot) {
    merge(slot, whole);
    trajectory.add_event(t, instant.y.head(system_.nq()), instant.y.tail(system_.nx()), event_,
                         whole.friction());
    trajectory.events.features.add_row(features_);
  }
}

void EventMerger::merge(std::size_t slot, WholeState& whole) {
  TransitionEvent& event = event_;
  RunState& instant = whole.state();
  // Each event starts where the one before it ended.
  event.u_minus = event.u_plus;
  event.state_minus = event.state_plus;
  std::fill(event.contacts.begin(), event.contacts.end(), false);
  std::fill(event.elements.begin(), event.elements.end(), false);
  for (Vector* impulse : {&event.Lambda_N, &event.Lambda_T, &event.Lambda_NC, &event.Lambda_TC,
                          &event.energy.work_N, &event.energy.work_T}) {
    impulse->setZero();
  }
  event.energy.change = event.energy.compression = event.energy.drive = 0.0;
  features_.clear();
  if (system_.feature_search()) {
    for (const ContactFeature& feature : instant.features.slots) {
      features_.push_back(static_cast<std::int32_t>(feature.first));
      features_.push_back(static_cast<std::int32_t>(feature.second));
    }
  }
  const auto mark = [](std::vector<bool>& all) {
    return [&all](Index place, std::uint8_t value) {
      all[static_cast<std::size_t>(place)] = value != 0;
    };
  };
  const auto state = [](ContactStates& all) {
    return [&all](Index place, std::int8_t value) {
      all[static_cast<std::size_t>(place)] = static_cast<ContactState>(value);
    };
  };
  const Index nq = system_.nq(), nx = system_.nx();
  for (const auto& [k, row] : merged_[slot]) {
    const RunPart& part = *parts_[k];
    const SystemPart& places = part.places;
    const EventTable& r = part.run.tables().events;
    event.kind = static_cast<EventKind>(r.kind[row]);
    scatter(r.contacts, row, places.contacts, mark(event.contacts));
    scatter(r.elements, row, places.elements, mark(event.elements));
    scatter(r.q, row, places.q, into(instant.y.head(nq)));
    scatter(r.x, row, places.x, into(instant.y.tail(nx)));
    scatter(r.u_minus, row, places.u, into(event.u_minus));
    scatter(r.u_plus, row, places.u, into(event.u_plus));
    scatter(r.Lambda_N, row, places.contacts, into(event.Lambda_N));
    scatter(r.Lambda_T, row, part.tangents, into(event.Lambda_T));
    scatter(r.Lambda_NC, row, places.contacts, into(event.Lambda_NC));
    scatter(r.Lambda_TC, row, part.tangents, into(event.Lambda_TC));
    scatter(r.work_N, row, places.contacts, into(event.energy.work_N));
    scatter(r.work_T, row, places.contacts, into(event.energy.work_T));
    scatter(r.friction_loss, row, places.contacts, into(whole.friction()));
    scatter(r.state_minus, row, places.contacts, state(event.state_minus));
    scatter(r.state_plus, row, places.contacts, state(event.state_plus));
    event.energy.change -= r.energy_loss[row];
    event.energy.compression -= r.compression_loss[row];
    event.energy.drive += r.drive_work[row];
    for (std::size_t i = 0; i < places.contacts.size() && !r.features.empty(); ++i) {
      const std::int32_t* pair = r.features.row(row) + 2 * i;
      std::copy(pair, pair + 2,
                features_.begin() + 2 * static_cast<std::ptrdiff_t>(places.contacts[i]));
    }
  }
}

}  // namespace nsmb
