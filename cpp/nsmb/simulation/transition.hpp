// One instant: impacts until nothing approaches, then the contact state of what follows.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/simulation/indicators.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/status.hpp"

namespace nsmb {

/// What to do where closed contacts leave the accelerations without solution (Painlevé).
enum class OnInconsistent {
  Stop,    // end with a status
  Impact,  // an impact without collision (8.10), then go on
};

struct TransitionOptions {
  ImpactLaw impact_law = ImpactLaw::Poisson;
  double gap_tolerance = 1e-11;  // m: |g_N| below it counts as touching
  double rest_velocity = 1e-11;  // m/s: |γ_N|, |γ_T| below it count as zero
  OnInconsistent on_inconsistent = OnInconsistent::Stop;
  bool check_uniqueness = false;     // enumerate all solutions of small acceleration problems
  ExpansionParameters expansion;     // (8.10); empty: those of the contacts
  FrictionOptions friction;          // how contact problems with friction discs are solved
  bool sliding_compression = false;  // of several compressions take the one in which slip lasts
};

/// Times that rounding may have parted.
inline bool is_same_instant(double t, double before) {
  return t - before <= 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
}

/// What the indicator that fired says about a contact, before the laws are asked.
enum class Trigger : std::int8_t { None, Closes, Detaches, SlipsPositive, SlipsNegative, Sticks };

inline bool slips(Trigger trigger) {
  return trigger == Trigger::SlipsPositive || trigger == Trigger::SlipsNegative;
}

struct Triggers {
  Triggers(Index nc, Index ne);
  void clear();
  std::vector<Trigger> contacts;  // (nc)
  std::vector<bool> switches;     // (ne) force elements whose mode ends
  bool jams = false;              // the frozen equations become singular
  bool features = false;          // contact points come or go
};

struct TransitionEvent {
  explicit TransitionEvent(const System& system);
  EventKind kind = EventKind::Impact;
  std::vector<bool> contacts, elements;
  ImpactCourse course = ImpactCourse::Collision;  // of an impact
  double approach = 0.0;                          // impact: largest -γ_N before it, m/s
  Vector u_minus, u_plus;
  Vector Lambda_N, Lambda_T;    // (nc), (nt)
  Vector Lambda_NC, Lambda_TC;  // end of compression
  ContactStates state_minus, state_plus;
  EnergyBook energy;
};

struct TransitionCounts {
  double largest_residual = 0.0;
  long contact_problems = 0;
  long dependent_impacts = 0;        // the split of impulses is a choice
  long dependent_contacts = 0;       // instants at which the split of forces is a choice
  long ambiguous_accelerations = 0;  // of these, those at which accelerations are one, too
  long nonunique_problems = 0;       // several solutions found by enumeration
  long impacts_without_collision = 0;
  long energy_gains = 0;      // impacts that created energy
  double largest_gain = 0.0;  // J
};

class Transition {
 public:
  Transition(const System& system, const TransitionOptions& options);

  /// Forget counters and what happened at the last instant.
  void reset();

  /// At (t, y): switch force elements, apply impacts to y, decide `states`, and choose the frozen
  /// equations. `triggers` is what fired. On failure states and y are those reached so far.
  SimulationStatus resolve(double t, VectorRef y, ContactStates& states, ElementModes& modes,
                           const ContactFeatures& features, const Triggers& triggers);

  /// What follows at this instant does not continue what was before: forces jump.
  void begin_anew() { instant_t_ = std::numeric_limits<double>::quiet_NaN(); }

  /// Other candidates, as they stand in mechanics(), are watched from (t, y) on; all else lasts.
  void watch(double t, const ConstVectorRef& y);

  /// The velocities with which the next phase really begins, on its closed contacts to rounding.
  void finish(const ConstVectorRef& u) {
    if (event_count_ > 0) events_[event_count_ - 1].u_plus = u;
  }

  /// Of the last resolve():
  const std::vector<TransitionEvent>& events() const { return events_; }
  std::size_t event_count() const { return event_count_; }
  /// I_S
  const std::vector<Index>& touching() const { return touching_; }
  const FrozenRoles& roles() const { return roles_; }
  const std::vector<Indicator>& indicators() const { return indicators_; }
  const std::string& message() const { return message_; }
  const TransitionCounts& counts() const { return counts_; }
  Mechanics& mechanics() { return mechanics_; }
  /// (nc) m/s: slip in a plane that is slower counts as rest, as the integrator cannot tell it.
  Vector& rest_speeds() { return rest_speeds_; }
  const Mechanics& mechanics() const { return mechanics_; }

 private:
  // Impacts and switches.
  SimulationStatus apply_impacts(double t, VectorRef y, const ContactStates& states);
  bool apply_impact(VectorRef y, const ContactStates& states, ImpactCourse course);
  void apply_switches(double t, VectorRef y, const ContactStates& states, ElementModes& modes,
                      const Triggers& triggers);
  void collect_touching(const ContactStates& states, const Triggers& triggers);
  bool has_approach() const;
  // What the acceleration level says.
  SimulationStatus decide(double t, VectorRef y, const ContactStates& states,
                          const Triggers& triggers);
  AccelerationProblem problem() const;
  void solve_law();
  void look_for_others();
  void assign_roles(const Triggers& triggers, bool forced);
  void assign_role(Index i, const Triggers& triggers, bool forced);
  bool forced_roles_hold() const;
  void decide_states(ContactStates& states);
  void decide_tangential(Index i, ContactStates& states);
  void decide_in_plane(Index i, ContactStates& states);
  void take_limits(ContactStates& states);
  bool keeps_limits(ContactStates& states);
  bool is_slight(Index contact, double rate) const;
  double slip_resistance(Index contact) const;
  bool is_loaded(Index contact) const;
  bool is_at_limit(Index contact) const;
  double gammadot_T(Index contact) const;
  double zero_velocity(Index row) const;
  double rest_speed(Index contact) const;
  double zero_slip(Index contact) const;
  bool has_come_to_rest() const;
  double acceleration_tolerance(Index row) const;
  double slip_acceleration_tolerance(Index contact) const;
  double force_tolerance(Index contact) const;
  double switch_tolerance(Index element) const;
  void count_dependence(const ContactStates& states);
  bool order_decides();
  void recall(double t, const ContactFeatures& features, const Triggers& triggers);
  void perturb(double t, const ConstVectorRef& y);
  void drop_rounding_forces();
  // What follows.
  void close_impacts(const ContactStates& after);
  void list_changes(const ConstVectorRef& u, const ContactStates& before,
                    const ContactStates& after);
  void prepare_indicators();
  void prepare_indicator(Indicator& indicator) const;
  bool starts_from_rest(const Indicator& slip) const;
  Index order_of_slip(Index contact) const;
  TransitionEvent& next_event(EventKind kind, const ConstVectorRef& u, const ContactStates& states);
  std::string describe(const std::vector<Index>& contacts) const;
  static std::string verdict(LcpStatus status);
  std::vector<Index> contacts_that_close_in() const;
  std::string remedy();
  std::string remedy_of_jam(double t, const ConstVectorRef& y, const ContactStates& states);
  bool has_motion_behind_jam(double t, const ConstVectorRef& y, const ContactStates& states);
  bool solve_on_the_border();

  TransitionOptions options_;
  Mechanics mechanics_;
  const ContactRows& rows_;
  ContactSolver solver_;
  RowSelection selection_;
  AccelerationResult forces_;
  AccelerationResult other_forces_;
  ImpactResult impact_;
  Vector resolution_;            // (rows) m/s: velocities below it count as zero
  Vector free_resolution_;       // (rows) m/s²: free accelerations below it may be zero
  Vector rest_speeds_;           // (nc)
  std::vector<Index> touching_;  // I_S, unilateral contacts only
  std::vector<Index> active_;    // these, and friction alone
  std::vector<ContactRole> contact_roles_;
  Vector friction_;               // (nt) of contacts that slip
  Vector less_mu_, less_bound_;   // (nc)
  std::vector<bool> hold_;        // rows that others cannot move against
  std::vector<bool> exhausted_;   // (nc) contacts whose normal force ended at instant_t_
  std::vector<bool> left_limit_;  // (nc) contacts that began to slip from their limit then
  std::vector<bool> keeps_;       // (nc) of these, those whose slip ended at once
  std::vector<bool> insists_;     // (nc) and of these, those whose rest ended at once, too
  std::vector<bool> at_limit_;    // (nc) contacts that would begin to slip from their limit
  std::vector<bool> from_rest_;   // (nc) contacts that begin to slip in a plane
  std::vector<Index> restarts_;   // (nc) how often such a slip ended at once
  std::vector<bool> switched_;    // (ne) force elements that switched at this instant
  const Triggers none_;
  double instant_t_ = std::numeric_limits<double>::quiet_NaN();
  Vector rounding_terms_;  // (nc + nt) m/s², what rounding of t and y makes of accelerations
  FrozenRoles roles_;
  std::vector<Indicator> indicators_;
  std::vector<bool> frictionless_, tangential_direction_;
  std::vector<TransitionEvent> events_;
  std::size_t event_count_ = 0;
  ContactStates before_;
  bool had_impact_ = false;
  bool takes_rest_ = true;  // slip below rest_speeds_ counts as rest
  std::string message_;
  TransitionCounts counts_;
};

}  // namespace nsmb
