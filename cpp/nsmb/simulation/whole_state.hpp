// State of all parts of a run together at one instant.
#pragma once

#include "nsmb/simulation/run_part.hpp"

namespace nsmb {

class WholeState {
 public:
  /// Collect into `state`.
  WholeState(const System& system, RunState& state)
      : state_(state), observation_(system), friction_(Vector::Zero(system.nc())) {}

  /// Collect y, observation and friction of a part, as last observed.
  void collect(const RunPart& part);
  void collect_states(const RunPart& part);
  void collect_y(const RunParts& parts, double t);
  void observe(const RunParts& parts, double t);
  /// Record a sample of what was collected.
  void record(const System& system, const RunParts& parts, double t, Trajectory& trajectory);

  RunState& state() { return state_; }
  Vector& friction() { return friction_; }
  const Vector& friction() const { return friction_; }

 private:
  RunState& state_;
  Observation observation_;
  Vector friction_;  // (nc) J
};

}  // namespace nsmb
