// Admissible starts of runs, new and continued.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

/// The tolerances of a start in m.
struct StartTolerances {
  double start = 1e-9;  // deeper penetration is rejected
  double gap = 1e-11;   // smaller |g_N| counts as touching
};

/// Checks of a start by its kinematics. All throw std::invalid_argument where a run cannot start.
/// They change only `start` and the workspace.
class RunStart {
 public:
  RunStart(const System& system, const StartTolerances& asked, Mechanics& mechanics)
      : system_(system), asked_(asked), mechanics_(mechanics) {}

  /// Check a new start: no contact may penetrate.
  void check_new(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, RunState& start);
  /// Check a continued start: closed contacts must still be closed, the others may not penetrate.
  void check_resumed(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x, const DiscreteState& discrete, RunState& start);
  /// Check the state `present` under changed equations. Contacts that were closed may have opened,
  /// and may penetrate by the drift of a run. No other contact may penetrate.
  void check_changed(const RunState& present, const std::vector<ContactFeature>& slots,
                     RunState& start);

  /// Find the modes of the force elements. No wall starts beyond the mass.
  void find_modes(RunState& start);

 private:
  void find(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
            const std::vector<ContactFeature>& slots, RunState& start);
  void check_constraints() const;
  void check_gap(Index i) const;
  void check_closed(Index i) const;
  void check_stick(Index i) const;
  std::string at(Index i, const char* state = "") const;

  const System& system_;
  const StartTolerances asked_;
  Mechanics& mechanics_;
};

}  // namespace nsmb
