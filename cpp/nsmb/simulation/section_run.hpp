// A run seen at a section: at multiples of a period, or behind events of one kind.
#pragma once

#include <optional>
#include <vector>

#include "nsmb/simulation/simulation.hpp"

namespace nsmb {

struct SectionOptions {
  double period = 0.0;            // > 0: times t_0 + k period; 0: events
  double t_0 = 0.0;               // s
  std::optional<EventKind> kind;  // of the events; none: any
  Index contact = -1;             // that takes part in them; -1: any
  long count = 1;                 // points to be met
  double t_max = 0.0;             // s, the run ends there at the latest
  bool keep = false;              // keep samples and events met on the way
};

/// Flat, row-major tables, one row per point.
struct SectionPoints {
  std::vector<double> t;
  std::vector<double> y_minus, y_plus;     // (m, ny) before and behind the event
  std::vector<double> Lambda_N, Lambda_T;  // (m, nc), (m, nt) impulses there
};

/// Go on from where `run` stands until options.count points are met: Finished; Ready when t_max
/// came first. Points of one instant are one. Throws std::invalid_argument for options out of
/// range.
SimulationStatus iterate(Simulation& run, const SectionOptions& options, const Monitor& monitor,
                         SectionPoints& points);

}  // namespace nsmb
