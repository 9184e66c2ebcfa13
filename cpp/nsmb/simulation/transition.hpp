// Resolution of one instant: impacts until nothing approaches, then the next contact state.
#pragma once

#include <string>
#include <vector>

#include "nsmb/simulation/instant_choices.hpp"
#include "nsmb/simulation/instant_forces.hpp"
#include "nsmb/simulation/instant_impacts.hpp"
#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_states.hpp"
#include "nsmb/simulation/instant_workspace.hpp"
#include "nsmb/simulation/next_indicators.hpp"

namespace nsmb {

/// The sequence of steps that resolve an instant. Each step is a class of its own, and all of them
/// share one InstantWorkspace.
class Transition {
 public:
  Transition(const System& system, const TransitionOptions& options);
  Transition(const Transition&) = delete;
  Transition& operator=(const Transition&) = delete;

  /// Clear the counters and the results of the last instant.
  void reset();

  /// Resolve the instant at (t, y): switch force elements, apply impacts to y, determine `states`,
  /// and choose the frozen equations. `triggers` is what fired. After a failure, states and y are
  /// those reached so far.
  SimulationStatus resolve(double t, VectorRef y, ContactStates& states, ElementModes& modes,
                           const ContactFeatures& features, const Triggers& triggers);

  /// Forget the instants before this one, at which forces jump.
  void begin_anew() { work_.memory.begin_anew(); }

  /// Watch other candidates, as set in mechanics(), from (t, y) on. Everything else stays.
  void watch(double t, const ConstVectorRef& y);

  /// Set the velocities at the start of the next phase, which hold its closed contacts up to
  /// rounding.
  void finish(const ConstVectorRef& u) { work_.events.finish(u); }

  /// Results of the last resolve():
  const TransitionEvents& events() const { return work_.events; }
  /// Energy of slip that was removed because it counts as rest, in J.
  double taken_by_rest() const { return work_.taken_by_rest; }
  /// Contacts in I_S of (8.1).
  const std::vector<Index>& touching() const { return work_.touching; }
  const FrozenRoles& roles() const { return work_.roles; }
  const std::vector<Indicator>& indicators() const { return indicators_.list(); }
  const std::string& message() const { return work_.message; }
  const TransitionCounts& counts() const { return work_.counts; }
  Mechanics& mechanics() { return work_.mechanics; }
  const Mechanics& mechanics() const { return work_.mechanics; }
  /// (nc) m/s: slower slip in a plane counts as rest, because the integrator cannot resolve it.
  Vector& rest_speeds() { return resolution_.rest_speeds; }

 private:
  void begin(double t, const ConstVectorRef& y, const ContactStates& states,
             const ContactFeatures& features, const Triggers& triggers);
  void collect_touching(const ContactStates& states, const Triggers& triggers);
  void apply_switches(double t, VectorRef y, const ContactStates& states, ElementModes& modes,
                      const Triggers& triggers);
  SimulationStatus apply_impacts_and_switches(double t, VectorRef y, const ContactStates& states,
                                              ElementModes& modes, const Triggers& triggers);
  SimulationStatus find_forces(double t, VectorRef y, const ContactStates& states,
                               const Triggers& triggers);
  void drop_rounding_forces();
  bool is_squeezed() const;
  bool rest_turns_slips() const;
  void bring_to_rest(double t, VectorRef y);
  std::string remedy_of_jam(double t, const ConstVectorRef& y, const ContactStates& states);
  bool has_motion_after_jam(double t, const ConstVectorRef& y, const ContactStates& states);
  void update(double t, const ConstVectorRef& y);

  InstantWorkspace work_;
  InstantResolution resolution_;
  InstantImpacts impacts_;
  InstantForces forces_;
  InstantStates states_;
  InstantChoices choices_;
  NextIndicators indicators_;
  AccelerationResult less_friction_;
  const Triggers none_;
};

}  // namespace nsmb
