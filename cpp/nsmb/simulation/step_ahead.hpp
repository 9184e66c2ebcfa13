// The next step of a run: how far it goes, and what happens at its end.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/simulation/event_search.hpp"
#include "nsmb/simulation/run_state.hpp"
#include "nsmb/simulation/user_events.hpp"

namespace nsmb {

/// The phase has gone to the end of the step, or to the first event on it, and the run has not:
/// all of it is known before anything of it becomes part of the motion.
class StepAhead {
 public:
  StepAhead(const System& system, const TransitionOptions& options,
            std::shared_ptr<RootFinder> roots);

  /// Nothing is known of it yet, but how far it may go, and the run.
  void set_out(double t_stop, double t_end);
  void stop_at(double t_stop) { t_stop_ = t_stop; }
  double t_stop() const { return t_stop_; }

  /// Something happens where it begins: it leads nowhere.
  void stand();
  /// The same because sliding contacts jam.
  void jam();
  /// The first event on the step that `phase` has taken from `state`, the first of the phase if it
  /// `starts`, and the phase to there. `users`: nullptr, if there are no events of the user.
  StepStatus find(Phase& phase, const std::vector<Indicator>& indicators, bool starts,
                  const RunState& state, UserEvents* users);

  /// Does it end with an event?
  bool fires() const { return fires_; }
  /// Does it lead anywhere, or has an indicator crossed zero at its start?
  bool moves() const { return !fires_ || s_event_ > 0.0; }
  /// The way out of an instant that does not settle.
  bool leaves() const { return leaves_; }
  /// Force elements that switch to and fro for ever where the step begins.
  const std::vector<Index>& torn() const { return torn_; }
  /// Has nothing fired but margins of contact points?
  bool only_searches() const;
  /// The part of the step that was searched for events.
  double searched() const;

  Triggers& triggers() { return triggers_; }
  const Triggers& triggers() const { return triggers_; }
  const std::vector<Indicator>& fired() const { return fired_; }
  void clear_fired() { fired_.clear(); }
  /// Nothing fires.
  void clear();
  /// A run begins anew.
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
  double t_end_ = 0.0, t_stop_ = 0.0;  // of the run, of the step
  bool fires_ = false;
  double s_event_ = 2.0;  // the part of the step at which an event ends it
  bool leaves_ = false;
  std::vector<Index> torn_;
};

}  // namespace nsmb
