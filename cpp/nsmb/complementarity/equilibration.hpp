// Scaling of a complementarity problem by powers of two, which are exact.
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Scratch of `equilibrate`, which keeps its storage between calls.
struct EquilibrationScratch {
  std::vector<std::int16_t> exponents;  // of |A|, columns padded to `stride`
  std::vector<std::int16_t> row, column, largest;
};

/// Compute positive `row` and `column` (n each) such that the nonzero rows and columns of
/// diag(row) A diag(column) have a largest entry near one. The scaled problem has the solutions
/// x / column, y · row. Entries below 2.3e-308 count as zero. Return false, and write nothing, when
/// an entry of A is not finite.
bool equilibrate(const ConstMatrixRef& A, EquilibrationScratch& scratch, VectorRef row,
                 VectorRef column);

/// Equilibrate with local scratch.
void equilibrate(const ConstMatrixRef& A, VectorRef row, VectorRef column);

/// Return the smallest power of two that is not below 1 / |value|, with an exponent limited to
/// ±500. Return 1 for value = 0.
double reciprocal_power_of_two(double value);

}  // namespace nsmb
