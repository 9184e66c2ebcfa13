// Detection of impacts that lead nowhere.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "nsmb/simulation/transition_events.hpp"

namespace nsmb {

/// A record of impacts that hardly differ from rest, and of bouncing that neither ends nor
/// accumulates.
class Bouncing {
 public:
  /// Impacts slower than 1e4 times `rest_velocity` are slow.
  explicit Bouncing(double rest_velocity) : rest_velocity_(rest_velocity) {}

  void clear(double t);
  void count(const TransitionEvent& impact, double t);

  /// Return the number of slow impacts in a row, and the approach of the fastest of them, m/s.
  long slow() const { return slow_; }
  double fastest_of_slow() const { return fastest_of_slow_; }
  /// Return true if there are more slow impacts in a row than any accumulation produces.
  bool sinks() const;
  /// Return true if impacts have lost no energy and kept their pace for three blocks. At this pace,
  /// more than ten times `max_events` of them must be left until `t_end`. Slow impacts are left to
  /// sinks().
  bool repeats(long max_events, double t_end) const;
  /// Return the contacts of the last impact, in quotes.
  std::string last_struck(const System& system) const;
  /// Return the mean time between two impacts of the last block, s.
  double pace() const { return pace_; }
  /// Return the contacts of the last impact, in quotes, if all have e_N = 1 and impacts have not
  /// become slower. An empty string means that the bouncing may end. `slowest` is lowered to their
  /// slowest impact.
  std::string endless_contacts(const System& system, double& slowest) const;

 private:
  void end_block(double t);

  double rest_velocity_;
  long slow_ = 0;
  double fastest_of_slow_ = 0.0;  // m/s
  // Slowest approaches of the current block and of the one before (0: none).
  long impacts_of_block_ = 0;
  double slowest_ = std::numeric_limits<double>::infinity(), before_slowest_ = 0.0;
  std::vector<bool> last_struck_;  // (nc) contacts of the last impact
  // Start of the current block, and the energy that its impacts lost and exchanged, J.
  double block_start_ = 0.0, lost_ = 0.0, exchanged_ = 0.0;
  double pace_ = 0.0, t_ = 0.0;  // s
  int steady_blocks_ = 0;        // in a row, with the same pace and no loss
};

}  // namespace nsmb
