// A run of a system in time steps.
#pragma once

#include <memory>

#include "nsmb/simulation/run.hpp"
#include "nsmb/simulation/step_clock.hpp"
#include "nsmb/stepping/join_rows.hpp"
#include "nsmb/stepping/outline_guard.hpp"
#include "nsmb/stepping/step_curve.hpp"
#include "nsmb/stepping/step_doubling.hpp"
#include "nsmb/stepping/step_events.hpp"
#include "nsmb/stepping/switch_search.hpp"
#include "nsmb/stepping/touch_budget.hpp"

namespace nsmb {

class SteppingRun : public Run {
 public:
  /// Throw std::invalid_argument for options out of range.
  SteppingRun(const System& system, const TimeSteppingOptions& options);

  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
             const ConstVectorRef& x) override;
  void forget() override;
  DiscreteState discrete_state() const override;
  const Recorder& trajectory() override { return trajectory_; }
  SimulationStatistics statistics() const override;
  KeptStates kept_states() const override { return {}; }
  bool is_reset() const override { return stage_ != Stage::Idle; }
  bool has_begun() const override { return stage_ >= Stage::TakenOver; }
  bool is_undecided() const override { return stage_ == Stage::Start; }
  /// Return true if no step has been taken. begin() evaluates the forces at the start, and the
  /// state changes within the first step.
  bool is_at_start() const override { return !has_begun(); }

  bool is_paused() const override { return halt() == Halt::Pause; }

  virtual void set_inputs(const ConstVectorRef& values);
  const Vector& inputs() const { return inputs_; }
  virtual void take_over(SteppingRun& before);
  virtual void begin_as(SteppingRun& other);
  /// Set the user events of a run that has not begun.
  virtual void watch(std::vector<UserEvent> events);

 protected:
  SimulationStatus go(double t_end, bool one_step, const Monitor& monitor) override;
  void lose_phase() override {}
  void complete_samples() override;
  void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const DiscreteState& discrete) override;

  void begin();
  /// Mark the run as begun, with a sample of its start already recorded.
  void mark_begun() { stage_ = Stage::Begun; }
  /// Use these inputs from now on.
  void take_inputs(const ConstVectorRef& values);
  /// Take one step towards t_end. With error control, take two steps of equal length.
  SimulationStatus step(double t_end);
  /// User events, or nullptr if there are none.
  StepEvents* users() { return users_.get(); }
  /// Return true if a user event is due here, by its time or after an exception.
  bool has_user_waiting() const {
    return users_ && (users_->actions().have_fired() || users_->events().is_due(state_.t));
  }
  /// Continue from another state, between the discontinuities there.
  void stand_at(const RunState& state);
  /// Return true if an impact occurred in the last step(), or if the error controls the step
  /// length.
  bool has_struck() const { return struck_; }
  bool is_controlled() const { return doubling_.is_used(); }
  const TimeSteppingOptions& stepping_options() const { return options_; }
  Mechanics& mechanics() { return mechanics_; }
  /// Losses since the start, by any method.
  Losses& losses() { return losses_; }

 private:
  void start_at(const RunState& start);
  void stand_after(SteppingRun& before);
  void find_span();
  double stop(double t_end) const;
  double length(double t_end) const;
  bool looks_at_memory(long count) const;
  void pass_discontinuities();
  SimulationStatus step_once(double t_end);
  void end_at_switch();
  SimulationStatus step_twice(double t_end);
  // `is_coarse`: the step exceeds its allowed error.
  SimulationStatus take_tried(double t_end, bool is_coarse);
  SimulationStatus add(bool is_coarse);
  // User events: stepping_run_events.cpp.
  SimulationStatus end_at_event(double t_end, bool is_coarse);
  SimulationStatus meet_events();
  SimulationStatus act_in_time();
  SimulationStatus act();
  void record_actions();
  Halt halt() const { return users_ ? users_->actions().halt() : Halt::None; }
  // Reasons to stop: stepping_run_failures.cpp.
  SimulationStatus stop_missed();
  SimulationStatus stop_coarse();
  SimulationStatus stop_overlap();
  double longest(double h);
  SimulationStatus fail_to_be_finite(const StepOutcome& outcome);
  std::string missed_contacts() const;
  const FoundContacts* found() const;
  std::string where_not_finite(const Vector& y) const;
  void take();
  void record_impact();
  void record_event(const TransitionEvent& event);
  // Recording: stepping_run_samples.cpp.
  void record_step();
  void record_grid();
  void leave_out_jump(double s);
  void record_sample(double t, const ConstVectorRef& y, const RunState& state, double s);

  const TimeSteppingOptions options_;
  Mechanics mechanics_;
  std::unique_ptr<Stepper> stepper_;
  StepDoubling doubling_;
  TouchBudget touches_;
  SwitchSearch switches_;
  OutlineGuard outlines_;
  StepOutcome outcome_;
  double h_ = 0.0;              // length of the last step, s
  RunState before_;             // start of the last step
  Discontinuity from_, until_;  // the discontinuities before and after the current time
  enum class Stage {
    Idle,       // no start has been set
    Start,      // a start has been set
    TakenOver,  // continued after the last step of another run, before a step of its own
    Begun,
  };
  Stage stage_ = Stage::Idle;
  bool struck_ = false;
  Vector inputs_;
  StepCurve curve_;  // of the last step
  std::unique_ptr<StepEvents> users_;
  Losses losses_;
  SimulationStatistics counts_of_steps_;
  Observation observation_;
  Vector sample_y_;
  StepClock clock_;
};

}  // namespace nsmb
