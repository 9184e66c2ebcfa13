// Crossings of a level by a component of the state, in the recorded steps of a run.
#pragma once

#include "nsmb/simulation/section_run.hpp"
#include "nsmb/simulation/trajectory.hpp"

namespace nsmb {

struct Level {
  Index component = 0;  // of y
  double value = 0.0;
  int direction = 1;  // 1: upward, -1: downward, 0: both
};

/// Append the crossings in `steps`, which are those of all components, to t, y_minus and y_plus.
/// Crossings are zeros of the polynomials, to rounding, and jumps from one step to the next. A step
/// is sampled at eight points, and two crossings between neighbouring points are not seen. A
/// crossing that is no more than rounding after `t_last` is the one found before.
void find_crossings(const StepTable& steps, const Level& level, double t_last,
                    SectionPoints& points);

}  // namespace nsmb
