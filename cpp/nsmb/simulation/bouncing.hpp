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

  void clear();
  void count(const TransitionEvent& impact);

  /// Slow impacts in a row, and the approach of the fastest of them, m/s.
  long slow() const { return slow_; }
  double fastest_of_slow() const { return fastest_of_slow_; }
  /// So many that no accumulation makes them.
  bool sinks() const;
  /// Contacts that gave back all they took at the last impact, while impacts have not got slower.
  /// Empty: it may end. `slowest` falls to their slowest impact.
  std::string endless_contacts(const System& system, double& slowest) const;

 private:
  double rest_velocity_;
  long slow_ = 0;
  double fastest_of_slow_ = 0.0;  // m/s
  // By blocks: the slowest approach of the present one and of the one before, 0: none.
  long impacts_of_block_ = 0;
  double slowest_ = std::numeric_limits<double>::infinity(), before_slowest_ = 0.0;
  std::vector<bool> last_struck_;  // (nc) contacts of the last impact
};

}  // namespace nsmb
