// Rows of one run that go on with those of another method.
#pragma once

#include "nsmb/simulation/trajectory.hpp"

namespace nsmb {

/// Since the start of the whole run, where the rows to come begin.
struct Losses {
  Vector friction;                   // (nc) J
  double impact = 0.0, drive = 0.0;  // J
  double displaced = 0.0;            // J, work of loads where bodies have been put elsewhere
};

/// All rows of an event-driven run behind those of a stepped one; `skip` of its first samples are
/// known there.
void append_rows(const Trajectory& rows, const Losses& before, std::size_t skip,
                 const RowSizes& sizes, Trajectory& whole);

}  // namespace nsmb
