// Sparsity pattern of a square matrix.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Entries of a square matrix that may differ from zero, column by column: rows[begin[j]] ...
/// rows[begin[j + 1] - 1] are those of column j.
struct SparsityPattern {
  std::vector<Index> begin, rows;
};

}  // namespace nsmb
