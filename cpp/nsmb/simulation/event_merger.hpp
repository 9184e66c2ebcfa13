// Events of the parts of a run at one instant, as events of the whole.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nsmb/simulation/whole_state.hpp"

namespace nsmb {

/// A merger of the events of several parts, in the order of each part. Events of one kind become
/// one event of the whole, as in an undivided run.
class EventMerger {
 public:
  EventMerger(const System& system, const RunParts& parts)
      : system_(system), parts_(parts), event_(system) {}

  void clear() { count_ = 0; }
  /// Add these rows of part k.
  void group(std::size_t k, std::size_t first_row, std::size_t end_row);
  std::size_t count() const { return count_; }
  void add_to(EventCounts& counts) const;
  /// Append the events to `trajectory`, with the state and the friction of `whole`.
  void write(double t, WholeState& whole, Trajectory& trajectory);

 private:
  void merge(std::size_t slot, WholeState& whole);

  const System& system_;
  const RunParts& parts_;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> merged_;  // (part, row) of events
  std::size_t count_ = 0;
  TransitionEvent event_;
  std::vector<std::int32_t> features_;
};

}  // namespace nsmb
