// Rows of one run that continue with those of another method.
#pragma once

#include "nsmb/simulation/trajectory.hpp"

namespace nsmb {

/// Losses since the start of the whole run, up to the first of the rows that follow.
struct Losses {
  Vector friction;                   // (nc) J
  double impact = 0.0, drive = 0.0;  // J
  double displaced = 0.0;            // J, work of loads on bodies that a projection has displaced
};

/// Append all rows of an event-driven run to those of a stepped run. The first `skip` samples are
/// already contained there.
void append_rows(const Trajectory& rows, const Losses& before, std::size_t skip,
                 const RowSizes& sizes, Trajectory& whole);

}  // namespace nsmb
