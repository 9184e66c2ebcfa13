// System of a run, and systems with other values of its parameters.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "nsmb/simulation/jump.hpp"
#include "nsmb/simulation/neighbours.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

/// A parameter, given by the system with two of its values. One of them may be the system itself.
struct ParameterShift {
  std::shared_ptr<const System> plus, minus;
  double distance = 0.0;  // between the two values
};

/// Throw std::invalid_argument unless these systems have the shape of the one that runs.
void check_shifts(const System& system, const std::vector<ParameterShift>& shifts);

using PhaseFactory = std::function<std::unique_ptr<Phase>(const System&)>;

/// The choices that determine the equations of a run, apart from (t, y). They are those of the
/// phase, and the decisions of the instant between two phases.
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
  /// Number of columns of a derivative: ny + np.
  Index columns() const { return own.system.ny() + parameters(); }
  /// Systems with the two values of parameter p, and the distance of these values.
  Follower& plus(Index p) { return *plus_[static_cast<std::size_t>(p)]; }
  Follower& minus(Index p) { return *minus_[static_cast<std::size_t>(p)]; }
  double distance(Index p) const { return shifts_[static_cast<std::size_t>(p)].distance; }
  /// Return true if q̇ = u.
  bool has_plain_rates() const { return plain_rates_; }

  /// Take over what the phase of the run has found on its motion.
  void adopt(const Phase& phase);
  void set_inputs(const ConstVectorRef& values);
  /// Use the equations between these discontinuities from now on.
  void set_span(const Discontinuity& from, const Discontinuity& to);
  void freeze(const FrozenRoles& roles, const ElementModes& modes, const ContactFeatures& features);
  /// Return the longest step of a velocity that preserves the direction of slip, at the last update
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
