#include "nsmb/complementarity/block_matrix.hpp"

#include <algorithm>

namespace nsmb::internal {
namespace {

/// Convert lists to start and inner, sorted and without duplicates.
void set_pattern(std::vector<std::vector<Index>>& lists, BlockMatrix& blocks) {
  blocks.start.assign(lists.size() + 1, 0);
  blocks.inner.clear();
  for (std::size_t k = 0; k < lists.size(); ++k) {
    std::sort(lists[k].begin(), lists[k].end());
    lists[k].erase(std::unique(lists[k].begin(), lists[k].end()), lists[k].end());
    blocks.inner.insert(blocks.inner.end(), lists[k].begin(), lists[k].end());
    blocks.start[k + 1] = static_cast<Index>(blocks.inner.size());
  }
}

/// Insert a group into the sorted list without duplicates that starts at `from` and is the last
/// one.
void add_to_list(Index from, Index group, std::vector<Index>& inner) {
  const auto found = std::lower_bound(inner.begin() + from, inner.end(), group);
  if (found == inner.end() || *found != group) inner.insert(found, group);
}

/// Allocate the entries: rows of a block from one list of groups, columns from another one.
template <typename Rows, typename Columns>
void set_values(const Rows& rows_of, const Columns& columns_of, BlockMatrix& blocks) {
  blocks.value.assign(blocks.inner.size() + 1, 0);
  for (Index list = 0; list < blocks.lists(); ++list) {
    for (Index b = blocks.begin(list); b < blocks.end(list); ++b) {
      const Index size = rows_of(list, blocks.group(b)) * columns_of(list, blocks.group(b));
      blocks.value[at(b) + 1] = blocks.value[at(b)] + at(size);
    }
  }
  blocks.values.assign(blocks.value.back(), 0.0);
}

}  // namespace

Index BlockMatrix::find(Index list, Index wanted) const {
  const auto from = inner.begin() + begin(list);
  const auto to = inner.begin() + end(list);
  const auto found = std::lower_bound(from, to, wanted);
  return found != to && *found == wanted ? static_cast<Index>(found - inner.begin()) : -1;
}

void gather_columns(const SparseMatrix& H, const std::vector<Index>& columns,
                    const std::vector<Index>& node, const std::vector<Index>& place,
                    const std::vector<Index>& first, BlockMatrix& blocks) {
  const std::size_t groups = columns.size() - 1;
  blocks.start.assign(groups + 1, 0);
  blocks.inner.clear();
  for (std::size_t c = 0; c < groups; ++c) {
    for (Index j = columns[c]; j < columns[c + 1]; ++j) {
      for (SparseMatrix::InnerIterator it(H, j); it; ++it) {
        if (it.value() != 0.0) add_to_list(blocks.start[c], node[at(it.row())], blocks.inner);
      }
    }
    blocks.start[c + 1] = static_cast<Index>(blocks.inner.size());
  }
  const auto size = [&](Index g) { return first[at(g) + 1] - first[at(g)]; };
  set_values([&](Index, Index g) { return size(g); },
             [&](Index c, Index) { return columns[at(c) + 1] - columns[at(c)]; }, blocks);
  for (std::size_t c = 0; c < groups; ++c) {
    for (Index j = columns[c]; j < columns[c + 1]; ++j) {
      for (SparseMatrix::InnerIterator it(H, j); it; ++it) {
        if (it.value() == 0.0) continue;
        const Index g = node[at(it.row())];
        double* entries = blocks.entries(blocks.find(static_cast<Index>(c), g));
        entries[place[at(it.row())] - first[at(g)] + size(g) * (j - columns[c])] += it.value();
      }
    }
  }
}

void gather_rows(const SparseMatrix& W, const std::vector<Index>& rows, BlockMatrix& blocks) {
  const std::size_t groups = rows.size() - 1;
  std::vector<Index> group(at(W.rows()));
  for (std::size_t g = 0; g < groups; ++g) {
    std::fill(group.begin() + rows[g], group.begin() + rows[g + 1], static_cast<Index>(g));
  }
  std::vector<std::vector<Index>> lists(groups);
  for (std::size_t g = 0; g < groups; ++g) lists[g].push_back(static_cast<Index>(g));
  for (Index j = 0; j < W.cols(); ++j) {
    const Index g = group[at(j)];
    Index last = -1;
    for (SparseMatrix::InnerIterator it(W, j); it; ++it) {
      const Index row = group[at(it.row())];
      if (it.value() == 0.0 || row == last) continue;
      last = row;
      lists[at(row)].push_back(g);
      lists[at(g)].push_back(row);
    }
  }
  set_pattern(lists, blocks);
  const auto size = [&](Index g) { return rows[at(g) + 1] - rows[at(g)]; };
  set_values([&](Index i, Index) { return size(i); }, [&](Index, Index j) { return size(j); },
             blocks);
  for (Index j = 0; j < W.cols(); ++j) {
    const Index g = group[at(j)];
    Index last = -1;
    double* entries = nullptr;
    for (SparseMatrix::InnerIterator it(W, j); it; ++it) {
      if (it.value() == 0.0) continue;
      const Index row = group[at(it.row())];
      if (row != last) entries = blocks.entries(blocks.find(row, g));
      last = row;
      entries[it.row() - rows[at(row)] + size(row) * (j - rows[at(g)])] += it.value();
    }
  }
}

void node_pattern(const BlockMatrix& H, const std::vector<Index>& first, BlockMatrix& blocks) {
  std::vector<std::vector<Index>> lists(first.size() - 1);
  for (std::size_t g = 0; g < lists.size(); ++g) lists[g].push_back(static_cast<Index>(g));
  for (Index c = 0; c < H.lists(); ++c) {
    for (Index a = H.begin(c); a < H.end(c); ++a) {
      for (Index b = H.begin(c); b < H.end(c); ++b) lists[at(H.group(a))].push_back(H.group(b));
    }
  }
  set_pattern(lists, blocks);
  const auto size = [&](Index g) { return first[at(g) + 1] - first[at(g)]; };
  set_values([&](Index i, Index) { return size(i); }, [&](Index, Index j) { return size(j); },
             blocks);
}

}  // namespace nsmb::internal
