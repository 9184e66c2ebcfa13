// Where a run may begin, and go on.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/run_state.hpp"

namespace nsmb {

/// What is asked of a start, m.
struct StartTolerances {
  double start = 1e-9;  // one that penetrates deeper is refused
  double gap = 1e-11;   // |g_N| below it counts as touching
};

/// Kinematics at a start, and what is asked of them. All throw std::invalid_argument where a run
/// may not begin, and change nothing but `start` and the workspace.
class RunStart {
 public:
  RunStart(const System& system, const StartTolerances& asked, Mechanics& mechanics)
      : system_(system), asked_(asked), mechanics_(mechanics) {}

  /// A start of which nothing is known: no contact penetrates.
  void check_new(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, RunState& start);
  /// Closed contacts are those that were; all others may not penetrate.
  void check_standing(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, const Standing& standing, RunState& start);
  /// The equations have changed at `present`: contacts that were closed may have opened; no other
  /// may penetrate, and they no more than a run lets them drift.
  void check_changed(const RunState& present, const std::vector<ContactFeature>& slots,
                     RunState& start);

  /// Modes of the force elements; no wall begins beyond the mass.
  void find_modes(RunState& start);

 private:
  void find(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
            const std::vector<ContactFeature>& slots, RunState& start);
  void check_constraints() const;
  void check_gap(Index i) const;
  void check_closed(Index i) const;
  void check_stick(Index i) const;
  std::string at(Index i) const;

  const System& system_;
  const StartTolerances asked_;
  Mechanics& mechanics_;
};

}  // namespace nsmb
