// Run of a whole system: smooth phases with frozen contact state, joined by instants.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/simulation/pending_step.hpp"
#include "nsmb/simulation/run.hpp"
#include "nsmb/simulation/run_inputs.hpp"
#include "nsmb/simulation/run_start.hpp"
#include "nsmb/simulation/step_clock.hpp"
#include "nsmb/simulation/transition.hpp"
#include "nsmb/simulation/user_actions.hpp"
#include "nsmb/simulation/variation.hpp"
#include "nsmb/simulation/work_integrals.hpp"

namespace nsmb {

class SingleRun : public Run {
 public:
  /// `roots` may be shared by runs of one thread. Throws std::invalid_argument for options out of
  /// range.
  SingleRun(const System& system, const EventDrivenOptions& options,
            std::shared_ptr<RootFinder> roots);

  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
             const ConstVectorRef& x) override;
  void forget() override;
  DiscreteState discrete_state() const override;
  const Recorder& trajectory() override { return trajectory_; }
  SimulationStatistics statistics() const override;
  KeptStates kept_states() const override { return phase_->kept_states(); }
  bool is_reset() const override { return stage_ != Stage::Idle; }
  bool has_begun() const override { return stage_ >= Stage::PhaseStart; }
  bool is_undecided() const override {
    return has_begun() ? inputs_.differ() && !is_final(status_)
                       : Run::is_undecided() || takes_over_;
  }
  bool is_paused() const override { return users_ && users_->halt() == Halt::Pause; }
  /// Return the events of the user, or nullptr.
  UserEvents* user_events() { return users_ ? &users_->events() : nullptr; }

  void set_inputs(const ConstVectorRef& values) { inputs_.set(system_, values); }
  const Vector& inputs() const { return inputs_.next(); }
  void take_over(SingleRun& before);
  /// Follow the derivative. The run must not have started.
  void follow_derivative(std::vector<ParameterShift> shifts);
  const Variation* variation() const { return variation_.get(); }
  /// Watch the events of the user. The run must not have started.
  void watch(std::vector<UserEvent> events);

  // Step-by-step interface for a run in parts.

  /// Throw std::invalid_argument unless a run can start, or continue, there.
  void check_start(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x);
  void check_resumed(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x, const DiscreteState& discrete);
  /// Start from the state that was checked last.
  void start_from(double t);
  void resume_in(const DiscreteState& discrete);
  /// Resolve the first instant.
  SimulationStatus begin();
  /// Move the phase to the end of the next step, or to the first event on it. The state does not
  /// change.
  SimulationStatus look_ahead(double t_end);
  /// Return true if the pending step advances.
  bool moves_ahead() const { return ahead_.moves(); }
  /// Return true if the pending step ends at an instant.
  bool meets_instant() const {
    return ahead_.fires() ? !moves_ahead() || !ends_margin() : phase_->t() >= until_.t;
  }
  /// Make the pending step part of the motion. Return true if an instant is to be resolved at its
  /// end.
  bool take_step();
  SimulationStatus decide();
  /// Recompute the contact states. An event that was under way is still to come.
  SimulationStatus decide_anew();
  /// Return true if there is a discontinuity at the current time.
  bool is_due() const { return until_.t - state_.t <= until_.width; }
  /// Cross the discontinuity, and recompute the contact states under the forces after it.
  SimulationStatus enter_next_span();

  const EventDrivenOptions& options() const { return options_; }
  Phase& phase() { return *phase_; }
  const Phase& phase() const { return *phase_; }
  const FrozenRoles& roles() const { return transition_.roles(); }
  const Discontinuity& from() const { return from_; }
  const Discontinuity& until() const { return until_; }
  WorkIntegrals& work() { return work_; }
  const WorkIntegrals& work() const { return work_; }
  Trajectory& tables() { return trajectory_; }
  const Trajectory& tables() const { return trajectory_; }
  const EventCounts& counts() const { return counts_; }
  Observation& observation() { return observation_; }
  const Observation& observation() const { return observation_; }
  /// Observe a start that has failed. There are no forces.
  void observe_failed_start();

 private:
  enum class Stage {
    Idle,        // no start is given
    Start,       // a start is given
    Resumed,     // a start is given, with states of contacts and force elements
    PhaseStart,  // the phase starts at the current state
    InPhase,     // the phase has moved to the current state
    Deciding,    // an instant is being resolved, and has no result yet
    Stale,       // the phase is at another state
  };

  SimulationStatus go(double t_end, bool one_event, const Monitor& monitor) override;
  void lose_phase() override;
  void complete_samples() override;
  void break_off() override;
  void end() override;
  void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const DiscreteState& discrete) override;

  SimulationStatus find_ahead(double t_end);
  SimulationStatus move(double t_end, bool one_event, const Monitor& monitor);
  SimulationStatus step(double t_end, bool& event);
  bool is_in_phase() const { return stage_ == Stage::PhaseStart || stage_ == Stage::InPhase; }
  bool ends_margin() const;
  bool search_candidates();
  bool is_user_due() const { return users_ && users_->events().is_due(state_.t); }
  bool ends_at_user_time(double t) const { return users_ && t >= users_->events().next_time(); }
  bool user_fires() const { return users_ && users_->have_fired(); }
  SimulationStatus act_in_time(bool& event);
  SimulationStatus cross(bool& event);
  void expect_jump(double t);
  bool take_inputs();
  bool functions_changed();
  void begin_with(const Vector& inputs, const std::function<void()>& check);
  RunStart start_here() {
    const StartTolerances asked{options_.start_tolerance, options_.transition.gap_tolerance};
    return {system_, asked, transition_.mechanics()};
  }
  SimulationStatus check_limits();
  SimulationStatus fail_integration(StepStatus status);
  std::string name_of(Index contact) const;
  // Instants: single_run_instants.cpp.
  SimulationStatus decide_instant();
  SimulationStatus handle_instant(bool record_changes);
  void tell_variation();
  SimulationStatus act();
  bool counts_instant();
  void enter_phase();
  bool record_events(bool record_changes);
  void record_event(const TransitionEvent& event);
  void record_user_rows(bool changes);
  SimulationStatus fail_missed(Index contact);
  SimulationStatus fail_overlap(const OutlineOverlap& deepest);
  Index find_jump() const;
  SimulationStatus fail_jump(Index contact);
  SimulationStatus fail_switches();
  // Samples and steps: single_run_samples.cpp.
  void record_grid(bool include_end);
  void record_sample(double t, const ConstVectorRef& y);
  void commit_step(bool event);

  const EventDrivenOptions options_;
  std::unique_ptr<Phase> phase_;
  Transition transition_;
  PendingStep ahead_;
  Stage stage_ = Stage::Idle;
  RunState next_;               // state after the instant being resolved
  Discontinuity from_, until_;  // the equations hold between these two
  bool crosses_ = false;        // from one such span to the next
  double t_end_ = 0.0;          // end of the call of advance()
  RunInputs inputs_;
  bool takes_inputs_ = false;     // at the instant being resolved
  bool takes_over_ = false;       // continues the run of another system
  SimulationStatistics earlier_;  // statistics of integrator and instants of that run
  std::unique_ptr<UserActions> users_;
  std::unique_ptr<Variation> variation_;
  bool part_is_open_ = false;  // part of the derivative
  WorkIntegrals work_;
  Observation observation_;
  Vector sample_y_;
  StepClock clock_;
};

}  // namespace nsmb
