// Base class of the run of a system, common to all methods, as a whole and in parts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "nsmb/simulation/event_counts.hpp"
#include "nsmb/simulation/output_times.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/recorder.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/status.hpp"
#include "nsmb/simulation/transition_options.hpp"

namespace nsmb {

/// A callback that a run calls now and then with the time reached. It returns false to stop the
/// run.
using Monitor = std::function<bool(double)>;

struct SimulationStatistics {
  IntegratorStatistics integrator;
  long events = 0;
  long impacts = 0;
  TransitionCounts counts;     // summed over the instants
  double impact_loss = 0.0;    // J
  double friction_loss = 0.0;  // J
  double drive_work = 0.0;     // J, of moving contacts and constraints
  double rest_loss = 0.0;      // J, discarded where slow contacts were brought to rest
  long rests = 0;              // number of rests above rounding
  long solver_iterations = 0;  // for contact problems
  long asleep = 0;             // cliques at rest that stepped runs leave out, at the end
  long steps_asleep = 0;       // the same, summed over all steps
  // Numbers of steps in stepped runs. missed_steps: the problem was left above its tolerance.
  // locked_steps: of these, the contacts were brought to rest instead. coarse_steps: the length is
  // the minimum, and the requested accuracy is missed.
  long missed_steps = 0, locked_steps = 0, coarse_steps = 0;

  /// Add the statistics of integrator, instants and rests of a part, or of a run that this one
  /// continues.
  void add(const SimulationStatistics& other);
};

/// The limits of a run, common to all methods.
struct RunLimits {
  double max_memory = 2e9;       // bytes that samples, events and steps may take
  double rest_velocity = 1e-11;  // m/s, scale of the impacts that lead nowhere
};

class Run {
 public:
  /// `system` must outlive this object.
  Run(const System& system, const RunLimits& limits);
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // See Simulation for these functions.
  virtual void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x) = 0;
  void resume(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              const DiscreteState& discrete);
  SimulationStatus advance(double t_end, bool one_event, const Monitor& monitor);
  SimulationStatus interrupt();
  virtual void forget() = 0;
  void record(Passing passing) { trajectory_.set(std::move(passing)); }
  const Passing& passing() const { return trajectory_.passing(); }
  virtual bool pass_on() { return !trajectory_.passes() || trajectory_.pass_on(0); }

  virtual DiscreteState discrete_state() const = 0;
  virtual const Recorder& trajectory() = 0;
  virtual SimulationStatistics statistics() const = 0;
  virtual KeptStates kept_states() const = 0;
  /// Return the bytes of samples, events and steps, including those to come.
  virtual double kept_bytes() const { return trajectory_.size(); }
  /// Return true if a start was given.
  virtual bool is_reset() const = 0;
  /// Return true if the contact states at the start were determined.
  virtual bool has_begun() const = 0;
  /// Return true if the run has paused so that the caller can change something for an effect. It is
  /// to be continued afterwards.
  virtual bool is_paused() const { return false; }
  virtual bool is_undecided() const { return !has_begun() && status_ == SimulationStatus::Ready; }

  const System& system() const { return system_; }
  const RunState& state() const { return state_; }
  double t_start() const { return t_start_; }
  OutputTimes& output() { return output_; }
  SimulationStatus status() const { return status_; }
  const std::string& message() const { return message_; }

 protected:
  // Parts of advance().
  /// Return true if the state is still the one given. A function without value there is a misuse.
  virtual bool is_at_start() const { return !has_begun() || !(state_.t > t_start_); }
  virtual SimulationStatus go(double t_end, bool one_event, const Monitor& monitor) = 0;
  /// Discard the phase, which may have been left beyond t.
  virtual void lose_phase() = 0;
  /// Add a sample where a run stops early.
  virtual void complete_samples() = 0;
  /// End a call of advance() in which a function of the system has thrown.
  virtual void break_off() {}
  virtual void end() {}

  /// Resume with a standing of the right size.
  virtual void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, const DiscreteState& discrete) = 0;

  /// Throw std::invalid_argument unless this run can continue `before`, a run of another system.
  void check_takes_over(const Run& before) const;
  void check_state(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x) const;
  /// Clear all results, for a run that starts at t.
  void clear(double t);
  /// End the run because of an exception.
  void give_up(std::string_view why);
  /// Return "t = ... s: ", the start of messages.
  std::string at_present() const;
  /// Pass on rows if there are enough of them. Check that the rest fits into the memory allowed.
  SimulationStatus make_room();
  /// Check that the samples up to t fit, if they are many.
  SimulationStatus check_samples(double t);
  SimulationStatus fail_memory();
  /// Return the number of samples and events that trajectory() has still to make.
  virtual std::size_t rows_to_come() const { return 0; }

  const System& system_;
  const RunLimits limits_;
  RunState state_;
  double t_start_ = 0.0;
  Recorder trajectory_;
  OutputTimes output_;
  EventCounts counts_;
  SimulationStatus status_ = SimulationStatus::Ready;
  std::string message_;
};

}  // namespace nsmb
