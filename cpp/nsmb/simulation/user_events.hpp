// Events requested by the user, at zeros of a function or at given times, and their effects.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/simulation/crossing_search.hpp"
#include "nsmb/simulation/status.hpp"
#include "nsmb/simulation/step_motion.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The instant passed to an effect, which may change u, x and modes.
struct EventInstant {
  double t = 0.0;
  Vector q, u, x;
  ContactStates states;
  ElementModes modes;
};

/// The result of an effect.
enum class EffectResult {
  Unknown,  // this instant is unchanged, but perhaps not functions of the system
  Changed,  // this instant has changed, as a function of it
  Stop,     // likewise, and the run ends
  Pause,    // the run ends so that the caller can change something else and continue
};

/// The consequences of the events of an instant for the run. The largest counts.
enum class Halt { None, Pause, End };

struct UserEvent {
  std::string name;
  /// f(t, q, u, x), with an event where its sign changes. If empty, events are at the times.
  std::function<double(double, const Vector&, const Vector&, const Vector&)> function;
  int direction = 0;          // 1: upward, -1: downward, 0: both
  std::vector<double> times;  // s, increasing
  double start = 0.0;         // s
  double period = 0.0;        // s; if > 0, events at start + k period, k = 0, 1, ...
  /// If empty, the event only adds a row to the log.
  std::function<EffectResult(EventInstant&)> effect;
  bool terminal = false;
};

/// The user's events, with the last side of zero of every function and the next given time. A
/// function that touches zero and turns back has no event. A function that has jumped over zero at
/// an instant has its event after that instant.
class UserEvents {
 public:
  UserEvents(const System& system, std::vector<UserEvent> events);

  const UserEvent& operator[](std::size_t k) const { return events_[k]; }
  void reset(double t);

  /// Continue from the state of `before`, which holds the same events of another system.
  void go_on(const UserEvents& before);

  /// Return the next of the given times, or infinity.
  double next_time() const { return next_time_; }
  bool is_due(double t) const;
  /// Fire the events due at t.
  void take_due(double t);
  /// Skip the events due at t, which have fired in an earlier run.
  void pass_due(double t) {
    take_due(t);
    clear_fired();
  }

  /// Search a step up to its fraction `end`. Return the position of the first event, which is > 1
  /// if there is none. A zero at the end of the step counts if `ends_run`.
  double search(StepMotion& step, double end, bool ends_run);
  /// Return the function whose zero was found first, and its sign before that zero.
  TimedFunction function();
  int sign_before() const;
  /// Take over a step up to its fraction `end`, which may be its start.
  void pass(double end);
  /// Fire what search() has found, at (t, y), the end of the step.
  void fire(double t, const ConstVectorRef& y);

  const std::vector<std::size_t>& fired() const { return fired_; }
  void clear_fired() { fired_.clear(); }
  /// Return true if an event does more than add a row to the log.
  bool have_effects() const;
  double value(std::size_t k, double t, const ConstVectorRef& y);
  /// Return the names of the events that have fired last, the newest first.
  std::string recent_names() const;
  /// Explain why there are too many events at one instant, and name a remedy.
  std::string why_endless() const;

 private:
  struct Watch {
    std::size_t event = 0;
    int side = 0;           // last side of zero; 0: not known yet
    bool at_zero = false;   // has just fired
    double residual = 0.0;  // value when it fired
    bool is_clear = false;  // clearly not zero at the start of the current step
    int side_ahead = 0;     // side on the current step
    double turns = 0.0;     // position where the side changes without an event
    double crossing = 0.0;  // position where it changes with an event
    double largest = 0.0;   // largest value so far
    double noise = 0.0;     // noise of the value, as last measured
  };

  bool search_watch(Watch& watch, double end, bool ends_run);
  double on_step(double s);
  double noise(double s);
  double time_of(std::size_t k, std::size_t number) const;
  void find_next_time();

  const System& system_;
  std::vector<UserEvent> events_;
  std::vector<Watch> watches_;
  std::vector<std::size_t> next_;  // for each event, the number of its next time
  double next_time_ = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> fired_;
  std::vector<std::size_t> recent_;
  std::size_t first_ = 0;  // index in watches_
  StepMotion* step_ = nullptr;
  Watch* looked_at_ = nullptr;
  CrossingSearch search_;
  Vector y_, moved_, q_, u_, x_, size_;
};

}  // namespace nsmb
