// Events a user asks for: where a function crosses zero, or at given times, and what then happens.
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

/// What an effect is given, and may change: u, x and modes.
struct EventInstant {
  double t = 0.0;
  Vector q, u, x;
  ContactStates states;
  ElementModes modes;
};

/// What an effect has done.
enum class EffectResult {
  Unknown,  // nothing to this instant, perhaps to functions of the system
  Changed,  // this instant, as a function of it
  Stop,     // likewise, and the run ends
  Pause,    // the run ends, for whoever changes what is not of this instant, and goes on
};

/// What events of an instant make of the run; the largest counts.
enum class Halt { None, Pause, End };

struct UserEvent {
  std::string name;
  /// f(t, q, u, x): an event where its sign changes. Empty: at the times.
  std::function<double(double, const Vector&, const Vector&, const Vector&)> function;
  int direction = 0;          // 1: upward, -1: downward, 0: both
  std::vector<double> times;  // s, rising
  double start = 0.0;         // s, and
  double period = 0.0;        // s; > 0: at start + k period, k = 0, 1, ...
  /// Empty: nothing happens but a row in the log.
  std::function<EffectResult(EventInstant&)> effect;
  bool terminal = false;
};

/// Keeps which side of zero every function was on last, and which time comes next. A function that
/// touches zero and turns back has no event; one that has jumped over it at an instant has its
/// event behind that instant.
class UserEvents {
 public:
  UserEvents(const System& system, std::vector<UserEvent> events);

  const UserEvent& operator[](std::size_t k) const { return events_[k]; }
  void reset(double t);

  /// Goes on where `before` stands, which has the same events of another system.
  void go_on(const UserEvents& before);

  /// The next of the given times; infinite: there is none.
  double next_time() const { return next_time_; }
  bool is_due(double t) const;
  /// The events of these times fire.
  void take_due(double t);
  /// They have fired in a run before.
  void pass_due(double t) {
    take_due(t);
    clear_fired();
  }

  /// On a step, up to its part `end`: where the first event is, > 1: nowhere. What vanishes where
  /// the step ends counts if `ends_run`.
  double search(StepMotion& step, double end, bool ends_run);
  /// The function whose zero was found first, and the sign it has before that.
  TimedFunction function();
  int sign_before() const;
  /// The step has been taken up to its part `end`, which may be its start.
  void pass(double end);
  /// What search() has found happens at (t, y), the end of the step.
  void fire(double t, const ConstVectorRef& y);

  const std::vector<std::size_t>& fired() const { return fired_; }
  void clear_fired() { fired_.clear(); }
  /// Does anything happen but a row in the log?
  bool have_effects() const;
  double value(std::size_t k, double t, const ConstVectorRef& y);
  /// Names of the events that have fired last, the newest first.
  std::string recent_names() const;
  /// Why there are too many at one instant, and what to do about it.
  std::string why_endless() const;

 private:
  struct Watch {
    std::size_t event = 0;
    int side = 0;           // of zero it was on last; 0: not known yet
    bool at_zero = false;   // it has just fired
    double residual = 0.0;  // what it was then
    bool is_clear = false;  // of zero, where the present step begins
    int side_ahead = 0;     // on the present step
    double turns = 0.0;     // where on it the side changes without an event
    double crossing = 0.0;  // and where with one
    double largest = 0.0;   // value so far
    double noise = 0.0;     // of its value, where that was asked for last
  };

  bool search_watch(Watch& watch, double end, bool ends_run);
  double on_step(double s);
  double noise(double s);
  double time_of(std::size_t k, std::size_t number) const;
  void find_next_time();

  const System& system_;
  std::vector<UserEvent> events_;
  std::vector<Watch> watches_;
  std::vector<std::size_t> next_;  // by event: number of its next time
  double next_time_ = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> fired_;
  std::vector<std::size_t> recent_;
  std::size_t first_ = 0;  // of watches_
  StepMotion* step_ = nullptr;
  Watch* looked_at_ = nullptr;
  CrossingSearch search_;
  Vector y_, moved_, q_, u_, x_, size_;
};

}  // namespace nsmb
