// Do the impacts of a run lead anywhere?
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "nsmb/simulation/transition_events.hpp"

namespace nsmb {

/// Impacts that hardly differ from rest, and bouncing that neither ends nor accumulates.
class Bouncing {
 public:
  /// Impacts slower than 1e4 times `rest_velocity` are slow.
  explicit Bouncing(double rest_velocity) : rest_velocity_(rest_velocity) {}

  void clear(double t);
  void count(const TransitionEvent& impact, double t);

  /// Slow impacts in a row, and the approach of the fastest of them, m/s.
  long slow() const { return slow_; }
  double fastest_of_slow() const { return fastest_of_slow_; }
  /// So many that no accumulation makes them.
  bool sinks() const;
  /// Impacts have lost nothing and followed one another at the same pace for three blocks, and at
  /// this pace more than ten times `max_events` of them are left until `t_end`. Slow impacts end by
  /// sinks().
  bool repeats(long max_events, double t_end) const;
  /// The contacts of the last impact, in quotes.
  std::string last_struck(const System& system) const;
  /// The mean time between two impacts of the last block, s.
  double pace() const { return pace_; }
  /// Contacts that gave back all they took at the last impact, while impacts have not got slower.
  /// Empty: it may end. `slowest` falls to their slowest impact.
  std::string endless_contacts(const System& system, double& slowest) const;

 private:
  void end_block(double t);

  double rest_velocity_;
  long slow_ = 0;
  double fastest_of_slow_ = 0.0;  // m/s
  // By blocks: the slowest approach of the present one and of the one before, 0: none.
  long impacts_of_block_ = 0;
  double slowest_ = std::numeric_limits<double>::infinity(), before_slowest_ = 0.0;
  std::vector<bool> last_struck_;  // (nc) contacts of the last impact
  // Of the present block: when it began, what its impacts lost and exchanged, J.
  double block_start_ = 0.0, lost_ = 0.0, exchanged_ = 0.0;
  double pace_ = 0.0, t_ = 0.0;  // s
  int steady_blocks_ = 0;        // like the one before, without loss
};

}  // namespace nsmb
