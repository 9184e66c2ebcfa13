// What a run in parts keeps of its motion until somebody asks for the whole (internal).
#pragma once

#include "nsmb/simulation/event_driven_part.hpp"

namespace nsmb {

/// An event concerns one part, a sample all of them. So that events cost what their parts cost, a
/// run keeps what each part did; samples and rows of the whole system are made, in the order of
/// time, when they are asked for.
struct EventDriven::Record {
  explicit Record(std::size_t parts)
      : ways(parts),
        next_way(parts, 0),
        next_moment(parts, 0),
        phases(parts),
        forgetful(parts, 0) {}

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

  std::vector<Moment> moments;
  std::vector<View> views;
  std::vector<double> numbers, series;
  std::vector<std::size_t> step_moments;       // of each step: the moment that follows it
  std::vector<std::vector<Way>> ways;          // of each part
  std::vector<std::size_t> next_way;           // of each part: to be told
  std::vector<std::size_t> next_moment;        // of each part: the first behind its ways
  std::vector<std::unique_ptr<Phase>> phases;  // of each part: evaluates its ways
  std::vector<std::size_t> view_of;            // of each part at the moment that is told
  std::vector<char> forgetful;                 // parts that are looked at at once
  std::size_t forgetful_count = 0;
  std::size_t samples = 0, events = 0;                       // to be told
  double last_t = -std::numeric_limits<double>::infinity();  // of the last sample
  bool shows = false;                                        // steps that are not complete yet
  // Before the first moment.
  ContactStates states;
  ElementModes modes;
  ContactFeatures features;

  bool empty() const { return moments.empty() && step_moments.empty(); }
  void clear();
  double size() const;
};

}  // namespace nsmb
