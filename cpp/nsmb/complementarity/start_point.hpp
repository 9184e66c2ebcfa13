// Warm start without a path: the point that the positive entries of x_start name.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Scratch of `solve_start_point`; keeps its storage between calls.
struct StartPointScratch {
  std::vector<double> rows;          // equations [A_rS, -b_r], one after the other
  std::vector<double> inverse_size;  // of the largest coefficient of each row
  std::vector<double> distance;      // of y_i at x_start from zero; zero for S
  std::vector<Index> positive;       // S
  std::vector<Index> equation;       // r of each row
  std::vector<Index> row_order;      // rows; the first `done` are pivot rows
  std::vector<Index> column_order;
  Vector y_start, size_start;
};

/// With S the positive entries of x_start, look for x with x_S determined by y_S = 0 for the new
/// data, and zero elsewhere. Where A_SS is singular, as for an open contact of (6.35), whose
/// friction rows hold no slip, equations y_i = 0 of other pairs take part, those with y_i nearest
/// to zero at x_start.
/// True when x and y = A x + b (n each) are complementary and nonnegative to rounding. Nothing is
/// said about the problem otherwise.
bool solve_start_point(const ConstMatrixRef& A, const ConstVectorRef& b, const Vector& x_start,
                       StartPointScratch& scratch, Vector& x, Vector& y);

}  // namespace nsmb
