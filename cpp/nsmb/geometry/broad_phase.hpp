// Overlapping pairs among many boxes: a hierarchy of grids, each with cells as large as its boxes.
//
// A box belongs to the grid whose cells are just larger than it is, and to the cell of its centre.
// It is compared with the boxes in the surrounding cells, in its own grid and in coarser ones.
// Infinite boxes, and sizes with only a few boxes, are kept outside the grids and compared with all
// others.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

/// Return a box around all positions of a box that moves by `travel` on a line, so that fast bodies
/// are not missed.
Bounds swept(const Bounds& bounds, const Vector3& travel);

/// Search for overlapping boxes. Repeated searches with one object do not allocate; one per thread.
class BroadPhase {
 public:
  using Pair = std::pair<Index, Index>;  // first < second

  /// Return all pairs of boxes that overlap, ascending. Pairs of two boxes marked in `is_fixed` are
  /// omitted; `is_fixed` may be empty. Throws std::invalid_argument for a box with NaN.
  const std::vector<Pair>& find(const std::vector<Bounds>& boxes,
                                const std::vector<char>& is_fixed);

 private:
  using Cell = std::array<std::int64_t, 3>;
  struct Entry {
    std::uint64_t key = 0;  // of grid and cell
    Index box = 0;
  };
  struct Slot {
    std::uint64_t key = 0;
    Index begin = 0, end = 0;  // of its entries; empty: a free slot
  };

  void choose_grids();
  void fill_table();
  Cell cell_of(const Vector3& place, double size) const;
  void meet_grid(Index i, int level, bool own);
  void compare(Index i, Index j);
  void sort_pairs();

  const Bounds* boxes_ = nullptr;
  const char* is_fixed_ = nullptr;  // null: no box is fixed
  Index count_ = 0;
  double finest_ = 1.0;     // m, cells of grid 0; those of each following one are twice as large
  std::vector<int> level_;  // of each box; -1: outside the grids
  std::vector<Index> in_level_;  // number of boxes in each grid
  std::vector<Index> beside_;
  std::vector<Entry> entries_;
  std::vector<Slot> table_;
  std::vector<Pair> found_, pairs_;
  std::vector<Index> begin_;
};

}  // namespace nsmb
