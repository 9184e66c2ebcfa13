// Sparse matrices of small dense blocks: rows of contacts by rows of bodies, or by rows of
// contacts.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb::internal {

/// Blocks in lists, one list for each contact, in ascending order of `inner`. Entries of a block
/// are stored column by column.
struct BlockMatrix {
  std::vector<Index> start;        // (lists + 1) first block of a list
  std::vector<Index> inner;        // (blocks) row group of H, column group of W
  std::vector<std::size_t> value;  // (blocks + 1) first entry
  std::vector<double> values;

  Index lists() const { return static_cast<Index>(start.size()) - 1; }
  Index begin(Index list) const { return start[static_cast<std::size_t>(list)]; }
  Index end(Index list) const { return start[static_cast<std::size_t>(list) + 1]; }
  Index group(Index block) const { return inner[static_cast<std::size_t>(block)]; }
  const double* entries(Index block) const {
    return &values[value[static_cast<std::size_t>(block)]];
  }
  double* entries(Index block) { return &values[value[static_cast<std::size_t>(block)]]; }
  /// Return the block of a list in column group `group`, or -1.
  Index find(Index list, Index group) const;
};

/// Convert H (n, m) to blocks by column groups: list c holds blocks (rows of node, columns of c).
/// `node` and `place` (n) give the group of each row and its position among all rows. `first` gives
/// the first row of each group.
void gather_columns(const SparseMatrix& H, const std::vector<Index>& columns,
                    const std::vector<Index>& node, const std::vector<Index>& place,
                    const std::vector<Index>& first, BlockMatrix& blocks);

/// Convert W (m, m) to blocks by row groups: list i holds blocks (rows of i, columns of j). Block
/// (j, i) is included even where only (i, j) has entries.
void gather_rows(const SparseMatrix& W, const std::vector<Index>& rows, BlockMatrix& blocks);

/// Set the pattern and allocate the blocks (a, b) of column groups a, b that share a list of H,
/// diagonal blocks included. `first` gives the first row of each group.
void node_pattern(const BlockMatrix& H, const std::vector<Index>& first, BlockMatrix& blocks);

}  // namespace nsmb::internal
