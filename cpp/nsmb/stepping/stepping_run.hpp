// The run of a system in steps.
#pragma once

#include <memory>

#include "nsmb/simulation/run.hpp"
#include "nsmb/simulation/step_clock.hpp"
#include "nsmb/stepping/join_rows.hpp"
#include "nsmb/stepping/outline_guard.hpp"
#include "nsmb/stepping/step_curve.hpp"
#include "nsmb/stepping/step_doubling.hpp"
#include "nsmb/stepping/step_events.hpp"
#include "nsmb/stepping/touch_budget.hpp"

namespace nsmb {

class SteppingRun : public Run {
 public:
  /// Throws std::invalid_argument for options out of range.
  SteppingRun(const System& system, const TimeSteppingOptions& options);

  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
             const ConstVectorRef& x) override;
  void forget() override;
  Standing standing() const override;
  const Recorder& trajectory() override { return trajectory_; }
  SimulationStatistics statistics() const override;
  KeptStates kept_states() const override { return {}; }
  bool is_reset() const override { return stage_ != Stage::Idle; }
  bool has_begun() const override { return stage_ >= Stage::TakenOver; }
  bool is_undecided() const override { return stage_ == Stage::Start; }
  /// begin() looks at the forces there; within the first step the state is another one.
  bool is_at_start() const override { return !has_begun(); }

  bool is_paused() const override { return halt() == Halt::Pause; }

  virtual void set_inputs(const ConstVectorRef& values);
  const Vector& inputs() const { return inputs_; }
  virtual void take_over(SteppingRun& before);
  virtual void begin_as(SteppingRun& other);
  /// Of runs that have not begun.
  virtual void watch(std::vector<UserEvent> events);

 protected:
  SimulationStatus go(double t_end, bool one_step, const Monitor& monitor) override;
  void lose_phase() override {}
  void complete_samples() override;
  void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const Standing& standing) override;

  void begin();
  /// A sample of the start is there already.
  void mark_begun() { stage_ = Stage::Begun; }
  /// These hold from now on.
  void take_inputs(const ConstVectorRef& values);
  /// One step towards t_end, or two of one length where their error is controlled, which become
  /// part of the motion.
  SimulationStatus step(double t_end);
  /// nullptr: there are no events of the user.
  StepEvents* users() { return users_.get(); }
  /// Something of the user is to happen here: a time has come, or an exception has left it.
  bool has_user_waiting() const {
    return users_ && (users_->actions().have_fired() || users_->events().is_due(state_.t));
  }
  /// The run stands elsewhere, between discontinuities as they are there.
  void stand_at(const RunState& state);
  /// Something struck in the last step(), and whether error decides how long they are.
  bool has_struck() const { return struck_; }
  bool is_controlled() const { return doubling_.is_used(); }
  const TimeSteppingOptions& stepping_options() const { return options_; }
  Mechanics& mechanics() { return mechanics_; }
  /// Since the start, by whatever method.
  Losses& losses() { return losses_; }

 private:
  void start_at(const RunState& start);
  void stand_behind(SteppingRun& before);
  void find_span();
  double stop(double t_end) const;
  double length(double t_end) const;
  bool looks_at_memory(long count) const;
  void pass_discontinuities();
  SimulationStatus step_once(double t_end);
  SimulationStatus step_twice(double t_end);
  // `is_coarse`: less exact than its error is to be.
  SimulationStatus take_tried(double t_end, bool is_coarse);
  SimulationStatus add(bool is_coarse);
  // Events of the user: stepping_run_events.cpp.
  SimulationStatus end_at_event(double t_end, bool is_coarse);
  SimulationStatus meet_events();
  SimulationStatus act_in_time();
  SimulationStatus act();
  void record_actions();
  Halt halt() const { return users_ ? users_->actions().halt() : Halt::None; }
  // What ends it: stepping_run_failures.cpp.
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
  // What is kept: stepping_run_samples.cpp.
  void record_step();
  void record_grid();
  void leave_out_jump(double s);
  void record_sample(double t, const ConstVectorRef& y, const RunState& state, double s);

  const TimeSteppingOptions options_;
  Mechanics mechanics_;
  std::unique_ptr<Stepper> stepper_;
  StepDoubling doubling_;
  TouchBudget touches_;
  OutlineGuard outlines_;
  StepOutcome outcome_;
  double h_ = 0.0;              // of the last step, s
  RunState before_;             // where it began
  Discontinuity from_, until_;  // the equations are those between these two
  enum class Stage {
    Idle,       // no start is given
    Start,      // one is,
    TakenOver,  // or one behind the last step of another run, and no step is taken
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
