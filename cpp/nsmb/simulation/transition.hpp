// One instant: impacts until nothing approaches, then the contact state of what follows.
#pragma once

#include <limits>
#include <string>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/simulation/indicators.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/status.hpp"

namespace nsmb {

struct TransitionOptions {
  ImpactLaw impact_law = ImpactLaw::Poisson;
  double gap_tolerance = 1e-11;  // m: |g_N| below it counts as touching
  double rest_velocity = 1e-11;  // m/s: |γ_N|, |γ_T| below it count as zero
};

/// What the indicator that fired says about a contact, before the laws are asked.
enum class Trigger : std::int8_t { None, Closes, Detaches, SlipsPositive, SlipsNegative, Sticks };

struct TransitionEvent {
  explicit TransitionEvent(Index nu, Index nc);
  EventKind kind = EventKind::Impact;
  std::vector<bool> contacts;
  Vector u_minus, u_plus;
  Vector Lambda_N, Lambda_T;
  ContactStates state_minus, state_plus;
  double energy_loss = 0.0;  // J
};

class Transition {
 public:
  Transition(const System& system, const TransitionOptions& options);

  /// Forget counters and what happened at the last instant.
  void reset();

  /// At (t, q, u): apply impacts to u, decide `states`, and choose the frozen equations.
  /// `triggers` (nc) is what fired. On failure `states` and `u` are those reached so far.
  SimulationStatus resolve(double t, const ConstVectorRef& q, VectorRef u, ContactStates& states,
                           const std::vector<Trigger>& triggers);

  /// The velocities with which the next phase really begins, on its closed contacts to rounding.
  void finish(const ConstVectorRef& u) {
    if (event_count_ > 0) events_[event_count_ - 1].u_plus = u;
  }

  /// Of the last resolve():
  const std::vector<TransitionEvent>& events() const { return events_; }
  std::size_t event_count() const { return event_count_; }
  const FrozenRoles& roles() const { return roles_; }
  const std::vector<Indicator>& indicators() const { return indicators_; }
  const std::string& message() const { return message_; }
  double largest_residual() const { return largest_residual_; }
  long dependent_impacts() const { return dependent_impacts_; }
  long contact_problems() const { return contact_problems_; }
  Mechanics& mechanics() { return mechanics_; }

 private:
  SimulationStatus apply_impacts(double t, const ConstVectorRef& q, VectorRef u,
                                 const ContactStates& states, const std::vector<Trigger>& triggers);
  void collect_touching(const ContactStates& states, const std::vector<Trigger>& triggers);
  bool has_approach() const;
  void assign_roles(const std::vector<Trigger>& triggers, bool forced);
  bool forced_roles_hold() const;
  void decide_states(ContactStates& states);
  void decide_tangential(Index i, ContactStates& states) const;
  double slip_resistance(Index contact) const;
  bool is_loaded(Index contact) const;
  bool is_at_limit(Index contact) const;
  double zero_velocity(Index row) const;
  double acceleration_tolerance(Index row) const;
  void list_changes(const ConstVectorRef& u, const ContactStates& before,
                    const ContactStates& after);
  void prepare_indicators();
  TransitionEvent& next_event();
  std::string describe() const;

  TransitionOptions options_;
  Mechanics mechanics_;
  ContactLcp lcp_;
  RowSelection selection_;
  AccelerationResult forces_;
  ImpactResult impact_;
  std::vector<Index> touching_;  // I_S
  std::vector<ContactRole> contact_roles_;
  std::vector<bool> hold_;        // (2nc) rows that others cannot move against
  std::vector<bool> exhausted_;   // (nc) contacts whose normal force ended at instant_t_
  std::vector<bool> left_limit_;  // (nc) contacts that began to slip from their limit then
  std::vector<bool> keeps_;       // (nc) of these, those whose slip ended at once
  double instant_t_ = std::numeric_limits<double>::quiet_NaN();
  FrozenRoles roles_;
  std::vector<Indicator> indicators_;
  std::vector<bool> frictionless_, tangential_direction_;
  std::vector<TransitionEvent> events_;
  std::size_t event_count_ = 0;
  ContactStates before_;
  std::string message_;
  double largest_residual_ = 0.0;
  long dependent_impacts_ = 0, contact_problems_ = 0;
};

}  // namespace nsmb
