#include "nsmb/simulation/transition_events.hpp"

#include <algorithm>

namespace nsmb {

TransitionEvent::TransitionEvent(const System& system)
    : contacts(static_cast<std::size_t>(system.nc()), false),
      elements(static_cast<std::size_t>(system.ne()), false),
      u_minus(system.nu()),
      u_plus(system.nu()),
      Lambda_N(Vector::Zero(system.nc())),
      Lambda_T(Vector::Zero(system.nt())),
      Lambda_NC(Lambda_N),
      Lambda_TC(Lambda_T),
      energy(system.rows()) {}

TransitionEvent& TransitionEvents::next(EventKind kind, const ConstVectorRef& u,
                                        const ContactStates& states) {
  if (count_ == events_.size()) events_.emplace_back(system_);
  TransitionEvent& event = events_[count_++];
  event.kind = kind;
  event.course = ImpactCourse::Collision;
  event.approach = 0.0;
  std::fill(event.contacts.begin(), event.contacts.end(), false);
  std::fill(event.elements.begin(), event.elements.end(), false);
  event.u_minus = u;
  event.u_plus = u;
  for (Vector* impulse : {&event.Lambda_N, &event.Lambda_T, &event.Lambda_NC, &event.Lambda_TC}) {
    impulse->setZero();
  }
  event.state_minus = states;
  event.state_plus = states;
  event.energy.change = event.energy.compression = event.energy.drive = 0.0;
  event.energy.work_N.setZero();
  event.energy.work_T.setZero();
  return event;
}

// Set the states around impacts. The last impact of an instant leads to the new states, and force
// elements switch after it.
void TransitionEvents::close_impacts(const ContactStates& after) {
  for (std::size_t k = count_; k-- > 0;) {
    events_[k].state_plus = after;
    if (events_[k].kind == EventKind::Impact) return;
    events_[k].state_minus = after;
  }
}

void TransitionEvents::list_changes(const ConstVectorRef& u, const ContactStates& before,
                                    const ContactStates& after) {
  const auto kind_of = [](ContactState a, ContactState b) {
    if (!is_closed(a)) return EventKind::Touch;
    if (!is_closed(b)) return EventKind::Detach;
    if (b == ContactState::Stick) return EventKind::Stick;
    return a == ContactState::Stick ? EventKind::Slip : EventKind::Reversal;
  };
  for (const EventKind kind : {EventKind::Touch, EventKind::Detach, EventKind::Stick,
                               EventKind::Slip, EventKind::Reversal}) {
    TransitionEvent* event = nullptr;
    for (std::size_t c = 0; c < before.size(); ++c) {
      if (before[c] == after[c] || kind_of(before[c], after[c]) != kind) continue;
      if (!event) {
        event = &next(kind, u, before);
        event->state_plus = after;
      }
      event->contacts[c] = true;
    }
  }
}

}  // namespace nsmb
