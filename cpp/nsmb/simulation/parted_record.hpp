// What a run in parts keeps of its motion until somebody asks for the whole.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/simulation/event_merger.hpp"

namespace nsmb {

/// An event concerns one part, a sample all of them. So that events cost what their parts cost, a
/// run keeps what each part did; samples and rows of the whole system are made, in the order of
/// time, when they are asked for (RecordTeller).
class PartedRecord {
 public:
  /// `whole`: its present state, as the run goes on.
  PartedRecord(const RunParts& parts, const RunState& whole)
      : ways(parts.size()),
        start(whole),
        parts_(parts),
        state_(whole),
        next_moment_(parts.size(), 0),
        forgetful_(parts.size(), 0) {}

  /// A part over a step it has taken, for the moments [first, end) on it.
  struct Way {
    std::size_t first = 0, end = 0;
    double t_start = 0.0, t_old = 0.0, t_new = 0.0;
    Index degree = 0;
    bool in_steps = false;       // its series is that of a step of the trajectory
    std::size_t end_state = 0;   // in `numbers`: y at its end
    std::size_t series = 0;      // where its coefficients begin
    std::size_t loss = 0;        // in `numbers`: losses at its start, then series of powers
    Index power = 0, drive = 0;  // lengths of these series; 0: nothing slips, or is moved
    double work = 0.0;           // J, at its start
    ContactStates states;        // where something slips
    ElementModes modes;
    FrozenRoles roles;
    ContactFeatures features;
    Discontinuity from, to;
  };
  /// A part at a moment that none of its ways describes: places in `numbers`, rows of its events.
  struct View {
    std::size_t part = 0;
    std::size_t before = 0, after = kNowhere;
    std::size_t first_row = 0, end_row = 0;
  };
  struct Moment {
    double t;
    bool before, after;  // samples of either side
    std::size_t first_view, end_view;
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  bool empty() const { return moments.empty() && step_moments.empty(); }
  /// All of it has been told.
  void clear();
  /// Nor was there a sample.
  void forget();
  /// Bytes, about.
  double size() const;

  /// A sample to come; parts of `taken` are looked at by who calls.
  void keep_moment(double t, bool before, const std::vector<std::size_t>& taken);
  /// The side of an instant the parts come from.
  void keep_before(double t, bool moves, const std::vector<std::size_t>& taken);
  /// The events of `count` parts between both sides; how many of the whole they are.
  std::size_t keep_events(std::size_t count, EventMerger& merger);
  /// The side these parts go on from.
  void keep_after(double t, std::size_t count);
  /// The step ahead of a part, which is about to be taken.
  void keep_way(std::size_t k, const Trajectory& whole, bool dense_output);
  /// Steps that part k has taken become those of the whole.
  void take_steps(std::size_t k, Trajectory& whole);
  /// Can another phase take the place of that of part k? It may have changed.
  void find_forgetful(std::size_t k);
  /// There is a sample at t.
  void note_sample(double t) { last_t_ = t; }
  double last_t() const { return last_t_; }

  std::vector<Moment> moments;
  std::vector<View> views;
  std::vector<double> numbers, series;
  std::vector<std::size_t> step_moments;  // of each step: the moment that follows it
  std::vector<std::vector<Way>> ways;     // of each part
  std::size_t samples = 0, events = 0;    // to be told
  RunState start;                         // of the whole before the first moment

 private:
  void begin();
  std::size_t keep_view(RunPart& part);
  void keep_powers(std::size_t k);

  const RunParts& parts_;
  const RunState& state_;
  std::vector<std::size_t> next_moment_;  // of each part: the first behind its ways
  std::vector<char> forgetful_;           // parts that are looked at at once
  std::size_t forgetful_count_ = 0;
  double last_t_ = -std::numeric_limits<double>::infinity();  // of the last sample
};

}  // namespace nsmb
