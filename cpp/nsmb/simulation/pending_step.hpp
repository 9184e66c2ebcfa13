// The next step of a run: its end, and the events there.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/simulation/event_search.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/user_events.hpp"

namespace nsmb {

/// A pending step. The phase has moved to the end of the step, or to the first event on it, but the
/// run has not. The outcome is known before it becomes part of the motion.
class PendingStep {
 public:
  PendingStep(const System& system, const TransitionOptions& options,
              std::shared_ptr<RootFinder> roots);

  /// Start a look-ahead, given the latest ends of the step and of the run.
  void set_out(double t_stop, double t_end);
  void stop_at(double t_stop) { t_stop_ = t_stop; }
  double t_stop() const { return t_stop_; }

  /// End the step at its start, where an event occurs.
  void stop_at_start();
  /// Do the same because sliding contacts jam.
  void jam();
  /// Find the first event on the step that `phase` has taken from `state`, and move the phase
  /// there. `starts`: the step is the first of the phase. `users`: nullptr if there are no events
  /// of the user.
  StepStatus find(Phase& phase, const std::vector<Indicator>& indicators, bool starts,
                  const RunState& state, UserEvents* users);

  /// Return true if the step ends with an event.
  bool fires() const { return fires_; }
  /// Return false if an indicator has crossed zero at the start of the step.
  bool moves() const { return !fires_ || s_event_ > 0.0; }
  /// Return true if the step leaves an instant that does not settle.
  bool leaves() const { return leaves_; }
  /// Force elements that switch back and forth indefinitely at the start of the step.
  const std::vector<Index>& torn() const { return torn_; }
  /// Return true if nothing has fired but margins of contact points.
  bool only_searches() const;
  /// Return the fraction of the step that was searched for events.
  double searched() const;

  Triggers& triggers() { return triggers_; }
  const Triggers& triggers() const { return triggers_; }
  const std::vector<Indicator>& fired() const { return fired_; }
  void clear_fired() { fired_.clear(); }
  /// Clear what has fired.
  void clear();
  /// Start a new run.
  void reset();

 private:
  bool find_user_event(Phase& phase, UserEvents& users);
  StepStatus locate_user_event(Phase& phase, const RunState& state, UserEvents& users);
  void tell_rest(Phase& phase);

  const TransitionOptions& options_;
  EventSearch search_;
  Triggers triggers_;
  std::vector<Indicator> fired_;
  std::vector<bool> at_rest_;          // (nc)
  double t_end_ = 0.0, t_stop_ = 0.0;  // latest ends of the run and of the step
  bool fires_ = false;
  double s_event_ = 2.0;  // fraction of the step at which an event ends it
  bool leaves_ = false;
  std::vector<Index> torn_;
};

}  // namespace nsmb
