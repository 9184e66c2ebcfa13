// Motion of a system by any method.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "nsmb/simulation/run.hpp"
#include "nsmb/simulation/user_events.hpp"
#include "nsmb/simulation/variation.hpp"

namespace nsmb {

class Simulation {
 public:
  using Monitor = nsmb::Monitor;

  virtual ~Simulation() = default;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Start a new run. Throws std::invalid_argument for wrong sizes, NaN, or a start that
  /// penetrates. `x` has size nx_own, or nx if it includes the positions of the walls. Otherwise,
  /// walls are at rest or at the mass.
  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x) {
    run_->reset(t, q, u, x);
  }
  /// Start where another run ended, with its states of contacts and force elements. `x` has size
  /// nx. Throws std::invalid_argument like reset(), and where a closed contact does not touch or
  /// moves.
  void resume(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              const DiscreteState& discrete) {
    run_->resume(t, q, u, x, discrete);
  }
  DiscreteState discrete_state() const { return run_->discrete_state(); }

  /// Take samples at multiples of `step` after the start, in addition to those at events. 0: none.
  void set_output_step(double step) { run_->output().set_step(step); }
  /// Take samples at these increasing times instead.
  void set_output_times(std::vector<double> times) { run_->output().set_times(std::move(times)); }

  /// Run to t_end, or with `one_event` at most to the next instant with an event. Time-stepping
  /// methods then take one step. If the system throws an exception, everything computed so far is
  /// kept.
  SimulationStatus advance(double t_end, bool one_event, const Monitor& monitor) {
    return run_->advance(t_end, one_event, monitor);
  }

  /// Set the inputs (ni) of the run from its current time on. If they differ from those so far, the
  /// contact states are recomputed when the run continues. reset() restores the inputs of the
  /// system.
  virtual void set_inputs(const ConstVectorRef& values) = 0;
  virtual Vector inputs() const = 0;

  /// Continue the run of `before` from its current state, with all its results. Then `before` must
  /// be reset. Throws std::invalid_argument, and changes nothing, if the system has another shape,
  /// or if its contacts or constraints do not admit the state.
  virtual void take_over(Simulation& before) = 0;
  /// Start from the current state of `other`, a run of the same system by the same method, without
  /// its results. Throws std::invalid_argument if it cannot continue.
  virtual void begin_as(Simulation& other) = 0;
  /// Follow the derivative of future runs, also with respect to parameters. It does not change the
  /// runs. Throws std::invalid_argument during a run, for systems of another kind, and for methods
  /// without derivatives.
  virtual void follow_derivative(std::vector<ParameterShift> shifts);
  /// Return the derivative, or nullptr if it is not followed.
  virtual const Variation* variation() const { return nullptr; }
  /// Set the events of the user in future runs. Throws std::invalid_argument during a run.
  virtual void watch(std::vector<UserEvent> events) = 0;

  /// Return the number of independent parts, 0 if the system is not divided.
  virtual std::size_t part_count() const { return 0; }
  /// Return the number of the part to which each component of y, or each contact, belongs.
  virtual std::vector<std::int32_t> parts_of_y() const { return {}; }
  virtual std::vector<std::int32_t> parts_of_contacts() const { return {}; }

  /// Leave the run as if it was interrupted from outside.
  SimulationStatus interrupt() { return run_->interrupt(); }

  /// Set how the rows of this and future runs are passed on. By default, all of them stay.
  void record(Passing passing) { run_->record(std::move(passing)); }
  /// Pass on all rows so far. Return false if the sink has refused them.
  bool pass_on() { return run_->pass_on(); }

  /// Drop all samples and events so far, except for a sample of the current state. The motion
  /// continues.
  void forget() { run_->forget(); }

  const System& system() const { return system_; }
  double t() const { return run_->state().t; }
  const Vector& y() const { return run_->state().y; }
  const ContactStates& states() const { return run_->state().states; }
  const ElementModes& modes() const { return run_->state().modes; }
  /// Return the number and size of the contact states stored by the closed-form flow.
  KeptStates kept_states() const { return run_->kept_states(); }
  /// Return the trajectory. A run in parts first completes it with what was recorded since the last
  /// call.
  const Recorder& trajectory() { return run_->trajectory(); }
  SimulationStatistics statistics() const { return run_->statistics(); }
  /// Return the bytes of samples, events and steps, including those to come.
  double kept_bytes() const { return run_->kept_bytes(); }
  /// Return true if the run has paused so that the caller can change something for an effect. It is
  /// to be continued afterwards.
  bool is_paused() const { return run_->is_paused(); }
  /// Return true if the next advance() has to determine the contact states at t().
  bool is_undecided() const { return run_->is_undecided(); }
  SimulationStatus status() const { return run_->status(); }
  const std::string& message() const { return run_->message(); }

 protected:
  /// Throw std::invalid_argument during a run.
  void check_not_begun(const char* argument) const;
  /// Throw std::invalid_argument unless `other` is a run of the same system that can continue.
  void check_goes_on(const Simulation& other) const;
  /// `system` must outlive this object.
  explicit Simulation(const System& system, std::unique_ptr<Run> run = nullptr)
      : system_(system), run_(std::move(run)) {}

  const System& system_;
  std::unique_ptr<Run> run_;
};

}  // namespace nsmb
