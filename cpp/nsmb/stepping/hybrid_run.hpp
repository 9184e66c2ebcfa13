// A run that is event-driven as long as events are isolated, and stepped where they crowd.
#pragma once

#include <deque>

#include "nsmb/simulation/contact_projection.hpp"
#include "nsmb/simulation/single_run.hpp"
#include "nsmb/stepping/join_rows.hpp"
#include "nsmb/stepping/stepping_run.hpp"

namespace nsmb {

class HybridRun final : public SteppingRun {
 public:
  /// Throws std::invalid_argument for options out of range.
  HybridRun(const System& system, const TimeSteppingOptions& options);

  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
             const ConstVectorRef& x) override;
  void forget() override;
  Standing standing() const override {
    return follows_ ? events_.standing() : SteppingRun::standing();
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
                 const ConstVectorRef& x, const Standing& standing) override;

  /// Event-driven until t_end, until events crowd, or until they have no solution.
  SimulationStatus follow(double t_end, bool one_step, const Monitor& monitor);
  void begin_parts();
  void go_on(HybridRun& before);
  bool crowd();
  bool is_quiet() const;
  /// What the event-driven part has left becomes part of this run.
  void collect();
  void leave_events();
  /// Back to events, where the run is quiet and its contacts are as those ask.
  void try_events();

  SingleRun events_;
  ContactProjection projection_;
  bool follows_ = true;           // the event-driven part leads
  std::deque<double> times_;      // of the last impacts
  int quiet_ = 0;                 // steps without impact
  double struck_at_ = 0.0;        // the last impact, or where steps began, s
  SimulationStatistics earlier_;  // of event-driven parts before this one
  Losses before_;                 // when this one began
  std::size_t known_ = 0;         // of its first samples: those the run has
};

}  // namespace nsmb
