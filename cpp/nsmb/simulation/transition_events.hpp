// Events of an instant: one for each impact, kind of change of state, or switch.
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/simulation/status.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

struct TransitionEvent {
  explicit TransitionEvent(const System& system);
  EventKind kind = EventKind::Impact;
  std::int32_t user = -1;  // index among the events of the user
  std::vector<bool> contacts, elements;
  ImpactCourse course = ImpactCourse::Collision;  // of an impact
  double approach = 0.0;                          // impact: largest -γ_N before it, m/s
  Vector u_minus, u_plus;
  Vector Lambda_N, Lambda_T;    // (nc), (nt)
  Vector Lambda_NC, Lambda_TC;  // at the end of compression
  ContactStates state_minus, state_plus;
  EnergyBook energy;
};

/// The events of one instant, in their order. Memory is kept from one instant to the next.
class TransitionEvents {
 public:
  explicit TransitionEvents(const System& system) : system_(system) {}

  std::size_t size() const { return count_; }
  const TransitionEvent& operator[](std::size_t k) const { return events_[k]; }
  bool ends_with_impact() const {
    return count_ > 0 && events_[count_ - 1].kind == EventKind::Impact;
  }
  void clear() { count_ = 0; }
  /// Discard all but the first `count`.
  void keep(std::size_t count) { count_ = count; }

  /// Add an event without effect so far. The reference is valid until the next call.
  TransitionEvent& next(EventKind kind, const ConstVectorRef& u, const ContactStates& states);
  /// Let the last impact lead to the states `after`. Later events happen in these states.
  void close_impacts(const ContactStates& after);
  /// Add one event for each kind of change of state that occurs.
  void list_changes(const ConstVectorRef& u, const ContactStates& before,
                    const ContactStates& after);
  /// Set the velocities with which the next phase starts.
  void finish(const ConstVectorRef& u) {
    if (count_ > 0) events_[count_ - 1].u_plus = u;
  }

 private:
  const System& system_;
  std::vector<TransitionEvent> events_;
  std::size_t count_ = 0;
};

}  // namespace nsmb
