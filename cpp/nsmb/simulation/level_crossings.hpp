// Where a component of the state crosses a level, in the steps a run has kept.
#pragma once

#include "nsmb/simulation/section_run.hpp"
#include "nsmb/simulation/trajectory.hpp"

namespace nsmb {

struct Level {
  Index component = 0;  // of y
  double value = 0.0;
  int direction = 1;  // 1: upward, -1: downward, 0: both
};

/// Appends the crossings in `steps`, which are those of all components, to t, y_minus and y_plus:
/// zeros of the polynomials, to rounding, and jumps from one step to the next. Two crossings
/// between neighbours of eight looks on a step are not seen. What lies no further behind `t_last`
/// than rounding is the crossing found before.
void find_crossings(const StepTable& steps, const Level& level, double t_last,
                    SectionPoints& points);

}  // namespace nsmb
