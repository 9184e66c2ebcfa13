// Record of the motion of a run in parts, from which the whole is made on request.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/simulation/event_merger.hpp"

namespace nsmb {

/// The record of what each part of a divided system did. An event concerns one part, a sample all
/// of them. Samples and rows of the whole system are made on request, in the order of time
/// (SampleBuilder). An event therefore costs only what its own parts cost.
class PartedRecord {
 public:
  /// `whole`: state of the whole system, which the run keeps current.
  PartedRecord(const RunParts& parts, const RunState& whole)
      : ways(parts.size()),
        start(whole),
        parts_(parts),
        state_(whole),
        next_moment_(parts.size(), 0),
        forgetful_(parts.size(), 0) {}

  /// The motion of a part over a step it has taken, for the moments [first, end) on this step.
  struct Way {
    std::size_t first = 0, end = 0;
    double t_start = 0.0, t_old = 0.0, t_new = 0.0;
    Index degree = 0;
    bool in_steps = false;       // the series is stored as a step of the trajectory
    std::size_t end_state = 0;   // position in `numbers` of y at the end
    std::size_t series = 0;      // position of the first coefficient
    std::size_t loss = 0;        // position in `numbers` of the losses, then the powers
    Index power = 0, drive = 0;  // lengths of these series; 0 if nothing slips or is moved
    double work = 0.0;           // J, of drives, at the start
    ContactStates states;        // set only if a contact slips
    ElementModes modes;
    FrozenRoles roles;
    ContactFeatures features;
    Discontinuity from, to;
  };
  /// The state of a part at a moment that no `Way` describes: positions in `numbers`, rows of its
  /// events.
  struct View {
    std::size_t part = 0;
    std::size_t before = 0, after = kNowhere;
    std::size_t first_row = 0, end_row = 0;
  };
  struct Moment {
    double t;
    bool before, after;  // sides of the instant that are samples
    std::size_t first_view, end_view;
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  bool empty() const { return moments.empty() && step_moments.empty(); }
  /// Clear the record once the whole has been made from it.
  void clear();
  /// Clear the record, and the time of the last sample.
  void forget();
  /// Return the approximate size in bytes.
  double size() const;

  /// Keep a moment for a later sample. The caller observes the parts in `taken`.
  void keep_moment(double t, bool before, const std::vector<std::size_t>& taken);
  /// Keep the states of the parts in `taken` before an instant.
  void keep_before(double t, bool moves, const std::vector<std::size_t>& taken);
  /// Keep the events of the last `count` parts. Return the number of events in the whole system.
  std::size_t keep_events(std::size_t count, EventMerger& merger);
  /// Keep the states of these parts after the instant.
  void keep_after(double t, std::size_t count);
  /// Keep the pending step of part k, which is about to be taken.
  void keep_way(std::size_t k, const Trajectory& whole, bool dense_output);
  /// Move the steps that part k has taken to the trajectory of the whole.
  void take_steps(std::size_t k, Trajectory& whole);
  /// Check again whether another phase can replace that of part k.
  void find_forgetful(std::size_t k);
  /// Note that there is a sample at t.
  void note_sample(double t) { last_t_ = t; }
  double last_t() const { return last_t_; }

  std::vector<Moment> moments;
  std::vector<View> views;
  std::vector<double> numbers, series;
  std::vector<std::size_t> step_moments;  // for each step, the moment that follows it
  std::vector<std::vector<Way>> ways;     // for each part
  std::size_t samples = 0, events = 0;    // not yet rows of the whole
  RunState start;                         // state of the whole before the first moment

 private:
  void begin();
  std::size_t keep_view(RunPart& part);
  void keep_powers(std::size_t k);

  const RunParts& parts_;
  const RunState& state_;
  std::vector<std::size_t> next_moment_;  // for each part, the first moment after its ways
  std::vector<char> forgetful_;           // parts that are observed at once
  std::size_t forgetful_count_ = 0;
  double last_t_ = -std::numeric_limits<double>::infinity();  // time of the last sample
};

}  // namespace nsmb
