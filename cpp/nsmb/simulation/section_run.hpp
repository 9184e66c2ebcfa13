// Run observed at a section: at multiples of a period, or after events of one kind.
#pragma once

#include <optional>
#include <vector>

#include "nsmb/simulation/simulation.hpp"

namespace nsmb {

struct SectionOptions {
  double period = 0.0;            // > 0: times t_0 + k period; 0: events
  double t_0 = 0.0;               // s
  std::optional<EventKind> kind;  // kind of the events, any if not set
  Index contact = -1;             // contact involved in the events; -1: any
  long count = 1;                 // number of points
  double t_max = 0.0;             // s, latest end of the run
  bool keep = false;              // keep all samples and events
};

/// Flat, row-major tables, one row per point.
struct SectionPoints {
  std::vector<double> t;
  std::vector<double> y_minus, y_plus;     // (m, ny) before and after the event
  std::vector<double> Lambda_N, Lambda_T;  // (m, nc), (m, nt) impulses there
};

/// Continue `run` until options.count points are reached. Return Finished, or Ready if t_max came
/// first. Points of one instant count as one. Throws std::invalid_argument for options out of
/// range.
SimulationStatus iterate(Simulation& run, const SectionOptions& options, const Monitor& monitor,
                         SectionPoints& points);

}  // namespace nsmb
