// The run of a system as a whole: smooth phases with frozen contact state, joined by instants.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/simulation/run.hpp"
#include "nsmb/simulation/run_inputs.hpp"
#include "nsmb/simulation/run_start.hpp"
#include "nsmb/simulation/step_ahead.hpp"
#include "nsmb/simulation/step_clock.hpp"
#include "nsmb/simulation/transition.hpp"
#include "nsmb/simulation/user_actions.hpp"
#include "nsmb/simulation/variation.hpp"
#include "nsmb/simulation/work_book.hpp"

namespace nsmb {

class SingleRun : public Run {
 public:
  /// `roots` may be shared by runs of one thread.
  /// Throws std::invalid_argument for options out of range.
  SingleRun(const System& system, const EventDrivenOptions& options,
            std::shared_ptr<RootFinder> roots);

  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
             const ConstVectorRef& x) override;
  void forget() override;
  Standing standing() const override;
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
  /// nullptr: there are none.
  UserEvents* user_events() { return users_ ? &users_->events() : nullptr; }

  void set_inputs(const ConstVectorRef& values) { inputs_.set(system_, values); }
  const Vector& inputs() const { return inputs_.next(); }
  void take_over(SingleRun& before);
  /// Of runs that have not begun.
  void follow_derivative(std::vector<ParameterShift> shifts);
  const Variation* variation() const { return variation_.get(); }
  /// Likewise.
  void watch(std::vector<UserEvent> events);

  // Step by step, for a run in parts.

  /// Throws std::invalid_argument unless a run may begin, or go on, there.
  void check_start(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x);
  void check_standing(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, const Standing& standing);
  /// From what was checked last.
  void start_from(double t);
  void stand(const Standing& standing);
  /// The first instant.
  SimulationStatus begin();
  /// The phase goes to the end of the next step, or to the first event on it; the state stays.
  SimulationStatus look_ahead(double t_end);
  /// Does the step ahead lead anywhere?
  bool moves_ahead() const { return ahead_.moves(); }
  /// Is its end an instant, and not only the end of a step?
  bool meets_instant() const {
    return ahead_.fires() ? !moves_ahead() || !ends_margin() : phase_->t() >= until_.t;
  }
  /// That step becomes part of the motion. True: an instant is to be decided at its end.
  bool take_step();
  SimulationStatus decide();
  /// The instant is decided anew: an event that was under way is still to come.
  SimulationStatus decide_anew();
  /// Is a discontinuity here?
  bool is_due() const { return until_.t - state_.t <= until_.width; }
  /// Over it: the contacts are decided anew under the forces behind it.
  SimulationStatus enter_next_span();

  const EventDrivenOptions& options() const { return options_; }
  Phase& phase() { return *phase_; }
  const Phase& phase() const { return *phase_; }
  const FrozenRoles& roles() const { return transition_.roles(); }
  const Discontinuity& from() const { return from_; }
  const Discontinuity& until() const { return until_; }
  WorkBook& work() { return work_; }
  const WorkBook& work() const { return work_; }
  Trajectory& tables() { return trajectory_; }
  const Trajectory& tables() const { return trajectory_; }
  const EventCounts& counts() const { return counts_; }
  Observation& observation() { return observation_; }
  const Observation& observation() const { return observation_; }
  /// The start itself failed: there are no forces.
  void observe_failed_start();

 private:
  enum class Stage {
    Idle,        // no start is given
    Start,       // one is,
    Standing,    // and where contacts and force elements stand there
    PhaseStart,  // the phase stands at the present state, where it begins,
    InPhase,     // or on its way
    Deciding,    // something has fired, and the instant is under way: nothing has come of it yet
    Stale,       // the phase stands elsewhere
  };

  SimulationStatus go(double t_end, bool one_event, const Monitor& monitor) override;
  void lose_phase() override;
  void complete_samples() override;
  void break_off() override;
  void end() override;
  void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const Standing& standing) override;

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
  // What is kept: single_run_samples.cpp.
  void record_grid(bool include_end);
  void record_sample(double t, const ConstVectorRef& y);
  void commit_step(bool event);

  const EventDrivenOptions options_;
  std::unique_ptr<Phase> phase_;
  Transition transition_;
  StepAhead ahead_;
  Stage stage_ = Stage::Idle;
  RunState next_;               // behind the instant being decided
  Discontinuity from_, until_;  // the equations are those between these two
  bool crosses_ = false;        // from one such span into the next
  double t_end_ = 0.0;          // of the call of advance()
  RunInputs inputs_;
  bool takes_inputs_ = false;     // at the instant being decided
  bool takes_over_ = false;       // the run of another system goes on,
  SimulationStatistics earlier_;  // and this is what its integrator and its instants have done
  std::unique_ptr<UserActions> users_;
  std::unique_ptr<Variation> variation_;
  bool part_is_open_ = false;  // of the derivative
  WorkBook work_;
  Observation observation_;
  Vector sample_y_;
  StepClock clock_;
};

}  // namespace nsmb
