// LU factorization with row exchanges, in place, for matrices whose size changes from one call to
// the next. Does not allocate below the size where Eigen's products allocate blocking buffers.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb::internal {

/// Factorize and solve K x = rhs; K and rhs are overwritten, rhs with the solution. `pivots` holds
/// at least as many entries as K has rows. Return false if a pivot vanishes.
bool solve_in_place(Eigen::Ref<Matrix> K, VectorRef rhs, std::vector<Index>& pivots);

}  // namespace nsmb::internal
