// The system of a run, and beside it those with other values of its parameters.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nsmb/simulation/jump.hpp"
#include "nsmb/simulation/neighbours.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

/// One parameter: the system with two values of it. One of them may be the system itself.
struct ParameterShift {
  std::shared_ptr<const System> plus, minus;
  double distance = 0.0;  // between the two values
};

/// Throws std::invalid_argument unless these are systems like the one that runs.
void check_shifts(const System& system, const std::vector<ParameterShift>& shifts);

using PhaseFactory = std::function<std::unique_ptr<Phase>(const System&)>;

/// What the equations of a run depend on beside (t, y): those of the phase, and the decisions of
/// the instant between two of them.
struct FrozenChoices {
  FrozenRoles roles;
  ElementModes modes;
  ContactFeatures features;
  InstantDecisions decisions;
};

/// A system with the frozen equations and the jumps of the run.
struct Follower {
  Follower(const System& s, const TransitionOptions& options, const PhaseFactory& make_phase);
  const System& system;
  std::unique_ptr<Phase> phase;
  JumpMechanics mechanics;
};

class VariedSystems {
 public:
  VariedSystems(const System& system, const TransitionOptions& options,
                const PhaseFactory& make_phase, std::vector<ParameterShift> shifts);

  const System& system() const { return own.system; }
  Index parameters() const { return static_cast<Index>(shifts_.size()); }
  /// Columns of a derivative: ny + np.
  Index columns() const { return own.system.ny() + parameters(); }
  /// Of parameter p: the systems with its two values, and how far these are apart.
  Follower& plus(Index p) { return *plus_[static_cast<std::size_t>(p)]; }
  Follower& minus(Index p) { return *minus_[static_cast<std::size_t>(p)]; }
  double distance(Index p) const { return shifts_[static_cast<std::size_t>(p)].distance; }
  /// q̇ = u
  bool has_plain_rates() const { return plain_rates_; }

  /// Take over what the phase of the run has found on its way.
  void adopt(const Phase& phase);
  void set_inputs(const ConstVectorRef& values);
  /// The equations from now on are those between these discontinuities.
  void set_span(const Discontinuity& from, const Discontinuity& to);
  void freeze(const FrozenRoles& roles, const ElementModes& modes, const ContactFeatures& features);
  /// The longest step of a velocity that leaves the direction of slip as it is, at the last update
  /// of the mechanics.
  double slip_step(const FrozenRoles& roles, Index component) const;

  Follower own;
  Neighbours near;

 private:
  template <typename Do>
  void for_all(const Do& one);

  std::vector<ParameterShift> shifts_;
  std::vector<std::unique_ptr<Follower>> plus_, minus_;
  bool plain_rates_;
};

}  // namespace nsmb
