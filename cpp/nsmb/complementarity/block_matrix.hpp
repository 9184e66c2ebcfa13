// Sparse matrices of small dense blocks: rows of contacts by rows of bodies, or by rows of
// contacts.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb::internal {

/// Blocks in lists, one list for each contact; those of a list in ascending order of `inner`.
/// Entries of a block column by column.
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
  /// Block of a list in column group `group`; -1: none.
  Index find(Index list, Index group) const;
};

/// H (n, m) by column groups: list c holds blocks (rows of node, columns of c). `node` and `place`
/// (n) say to which group a row belongs and where it stands in all; `first` where groups begin.
void gather_columns(const SparseMatrix& H, const std::vector<Index>& columns,
                    const std::vector<Index>& node, const std::vector<Index>& place,
                    const std::vector<Index>& first, BlockMatrix& blocks);

/// W (m, m) by row groups: list i holds blocks (rows of i, columns of j), of (j, i) as well where
/// only (i, j) has entries.
void gather_rows(const SparseMatrix& W, const std::vector<Index>& rows, BlockMatrix& blocks);

/// Pattern and room of the blocks (a, b) of column groups a, b that share a list of H, diagonal
/// ones included; `first` where groups begin.
void node_pattern(const BlockMatrix& H, const std::vector<Index>& first, BlockMatrix& blocks);

}  // namespace nsmb::internal
