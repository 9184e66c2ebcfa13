// A run that is event-driven while events are isolated, and uses time steps where they accumulate.
#pragma once

#include <deque>

#include "nsmb/simulation/contact_projection.hpp"
#include "nsmb/simulation/single_run.hpp"
#include "nsmb/stepping/join_rows.hpp"
#include "nsmb/stepping/stepping_run.hpp"

namespace nsmb {

class HybridRun final : public SteppingRun {
 public:
  /// Throw std::invalid_argument for options out of range.
  HybridRun(const System& system, const TimeSteppingOptions& options);

  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
             const ConstVectorRef& x) override;
  void forget() override;
  DiscreteState discrete_state() const override {
    return follows_ ? events_.discrete_state() : SteppingRun::discrete_state();
  }
  SimulationStatistics statistics() const override;
  bool is_paused() const override {
    return follows_ ? events_.is_paused() : SteppingRun::is_paused();
  }
  void set_inputs(const ConstVectorRef& values) override;
  void take_over(SteppingRun& before) override;
  void begin_as(SteppingRun& other) override;
  void watch(std::vector<UserEvent> events) override;

 private:
  SimulationStatus go(double t_end, bool one_step, const Monitor& monitor) override;
  void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const DiscreteState& discrete) override;

  /// Advance event-driven until t_end, until events accumulate, or until they have no solution.
  SimulationStatus follow(double t_end, bool one_step, const Monitor& monitor);
  void begin_parts();
  void go_on(HybridRun& before);
  bool crowd();
  bool is_quiet() const;
  /// Append the results of the event-driven part to this run.
  void collect();
  void leave_events();
  /// Return to event-driven simulation if the run is quiet and its contacts satisfy its conditions.
  void try_events();

  SingleRun events_;
  ContactProjection projection_;
  bool follows_ = true;           // the event-driven part is active
  std::deque<double> times_;      // of the last impacts, s
  int quiet_ = 0;                 // number of steps without impact
  double struck_at_ = 0.0;        // time of the last impact, or the start of time stepping, s
  SimulationStatistics earlier_;  // of earlier event-driven parts
  Losses before_;                 // losses at the start of the current event-driven part
  std::size_t known_ = 0;         // number of its first samples that the run already has
};

}  // namespace nsmb
