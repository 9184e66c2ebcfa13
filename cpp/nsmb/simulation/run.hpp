// The run of a system: what is the same for all methods, as a whole and in parts.
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

/// Called now and then while a run goes on, with the time reached; false stops the run.
using Monitor = std::function<bool(double)>;

struct SimulationStatistics {
  IntegratorStatistics integrator;
  long events = 0;
  long impacts = 0;
  TransitionCounts counts;     // of the instants
  double impact_loss = 0.0;    // J
  double friction_loss = 0.0;  // J
  double drive_work = 0.0;     // J, of moving contacts and constraints
  double rest_loss = 0.0;      // J, discarded where slow contacts were brought to rest
  long rests = 0;              // how often that was more than rounding
  long solver_iterations = 0;  // of contact problems, and
  long asleep = 0;             // cliques at rest that stepped runs leave out: at the end,
  long steps_asleep = 0;       // and summed over all steps
  // Steps of stepped runs: whose problem was left above its tolerance, those of them whose contacts
  // were brought to rest instead, and those that are as short as allowed and less exact than asked.
  long missed_steps = 0, locked_steps = 0, coarse_steps = 0;

  /// Of a part, or of a run that this one goes on with: integrator, instants and rests.
  void add(const SimulationStatistics& other);
};

/// What every method asks of a run.
struct RunLimits {
  double max_memory = 2e9;       // bytes that samples, events and steps may take
  double rest_velocity = 1e-11;  // m/s: impacts slower than that lead nowhere
};

class Run {
 public:
  /// `system` must outlive this object.
  Run(const System& system, const RunLimits& limits);
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // As those of Simulation.
  virtual void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x) = 0;
  void resume(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              const Standing& standing);
  SimulationStatus advance(double t_end, bool one_event, const Monitor& monitor);
  SimulationStatus interrupt();
  virtual void forget() = 0;
  void record(Passing passing) { trajectory_.set(std::move(passing)); }
  const Passing& passing() const { return trajectory_.passing(); }
  virtual bool pass_on() { return !trajectory_.passes() || trajectory_.pass_on(0); }

  virtual Standing standing() const = 0;
  virtual const Recorder& trajectory() = 0;
  virtual SimulationStatistics statistics() const = 0;
  virtual KeptStates kept_states() const = 0;
  /// Bytes of samples, events and steps, those to come included.
  virtual double kept_bytes() const { return trajectory_.size(); }
  /// A start is given.
  virtual bool is_reset() const = 0;
  /// Its contacts have been decided.
  virtual bool has_begun() const = 0;
  /// Stopped for what an effect changes from outside: the run is to go on behind it.
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
  /// The state is still the one given: a function without value there is misuse.
  virtual bool is_at_start() const { return !has_begun() || !(state_.t > t_start_); }
  virtual SimulationStatus go(double t_end, bool one_event, const Monitor& monitor) = 0;
  /// The motion may have been left beyond t.
  virtual void lose_phase() = 0;
  /// A run that stops early has a sample where it stopped, too.
  virtual void complete_samples() = 0;
  /// A function of the system has thrown; a call of advance() ends.
  virtual void break_off() {}
  virtual void end() {}

  /// resume() with a standing that fits.
  virtual void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, const Standing& standing) = 0;

  /// Can this run go on with `before`, of another system? Throws std::invalid_argument.
  void check_takes_over(const Run& before) const;
  void check_state(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x) const;
  /// Nothing has happened yet.
  void clear(double t);
  /// An exception ends the run.
  void give_up(std::string_view why);
  /// "t = ... s: ", the head of messages.
  std::string at_present() const;
  /// Rows go on when there are enough of them; what stays must not take more memory than it may.
  SimulationStatus make_room();
  /// Samples and events that trajectory() has still to make.
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
