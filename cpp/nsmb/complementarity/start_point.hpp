// Warm start without a path: the point defined by the positive entries of x_start.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Scratch of `solve_start_point`; keeps its storage between calls.
struct StartPointScratch {
  std::vector<double> rows;          // equations [A_rS, -b_r], one after the other
  std::vector<double> inverse_size;  // inverse of the largest coefficient of each row
  std::vector<double> distance;      // of y_i at x_start from zero; zero for S
  std::vector<Index> positive;       // S
  std::vector<Index> equation;       // r of each row
  std::vector<Index> row_order;      // rows; the first `done` are pivot rows
  std::vector<Index> column_order;
  Vector y_start, size_start;
};

/// With S the positive entries of x_start, compute x with x_S determined by y_S = 0 for the new
/// data, and zero elsewhere. Where A_SS is singular, as for an open contact of (6.35), whose
/// friction rows hold no slip, equations y_i = 0 of other pairs are added. Those with y_i nearest
/// to zero at x_start are chosen.
/// Return true when x and y = A x + b (n each) are complementary and nonnegative to rounding. False
/// makes no statement about the problem.
bool solve_start_point(const ConstMatrixRef& A, const ConstVectorRef& b, const Vector& x_start,
                       StartPointScratch& scratch, Vector& x, Vector& y);

}  // namespace nsmb
