#include "nsmb/geometry/broad_phase.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

constexpr int kGrids = 48;  // starting with the finest; larger boxes are outside the grids
constexpr int kBits = 19;   // for each index of a cell in a key; distant cells may share a key

std::uint64_t key_of(int level, const std::array<std::int64_t, 3>& cell) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << kBits) - 1;
  std::uint64_t key = static_cast<std::uint64_t>(level);
  for (const std::int64_t c : cell) key = (key << kBits) | (static_cast<std::uint64_t>(c) & mask);
  return key;
}

/// Mix the bits of a key, so that neighbouring cells are spread over a table.
std::uint64_t scattered(std::uint64_t key) {
  key ^= key >> 32;
  key *= 0x9e3779b97f4a7c15ULL;
  return key ^ (key >> 29);
}

bool is_few(Index count) { return static_cast<double>(count) <= broad_phase_tuning::kFew; }

}  // namespace

Bounds swept(const Bounds& bounds, const Vector3& travel) {
  return {bounds.low + travel.cwiseMin(0.0), bounds.high + travel.cwiseMax(0.0)};
}

const std::vector<BroadPhase::Pair>& BroadPhase::find(const std::vector<Bounds>& boxes,
                                                      const std::vector<char>& is_fixed) {
  count_ = static_cast<Index>(boxes.size());
  if (!is_fixed.empty() && is_fixed.size() != boxes.size()) {
    reject("is_fixed", "one value per box, " + std::to_string(boxes.size()),
           std::to_string(is_fixed.size()));
  }
  boxes_ = boxes.data();
  is_fixed_ = is_fixed.empty() ? nullptr : is_fixed.data();
  found_.clear();
  choose_grids();
  fill_table();
  for (Index i = 0; i < count_; ++i) {
    const int level = level_[at(i)];
    if (level < 0) continue;
    for (int k = level; k < kGrids; ++k) {
      if (in_level_[static_cast<std::size_t>(k)] > 0) meet_grid(i, k, k == level);
    }
  }
  for (const Index i : beside_) {
    for (Index j = 0; j < count_; ++j) {
      if (level_[at(j)] >= 0 || j > i) compare(i, j);
    }
  }
  sort_pairs();
  return pairs_;
}

void BroadPhase::choose_grids() {
  level_.assign(at(count_), -1);
  in_level_.assign(kGrids, 0);
  beside_.clear();
  const auto extent = [&](Index i) { return (boxes_[i].high - boxes_[i].low).maxCoeff(); };
  finest_ = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < count_; ++i) {
    if (!(boxes_[i].low.array() <= boxes_[i].high.array()).all()) {
      reject("boxes", "low <= high", "box " + std::to_string(i));
    }
    if (const double e = extent(i); e > 0.0) finest_ = std::min(finest_, e);
  }
  if (!std::isfinite(finest_)) finest_ = 1.0;
  for (Index i = 0; i < count_; ++i) {
    const double e = extent(i);
    if (!std::isfinite(e) || e > std::ldexp(finest_, kGrids - 1)) continue;
    int level = e <= finest_ ? 0 : std::ilogb(e / finest_);
    while (std::ldexp(finest_, level) < e) ++level;
    if (level >= kGrids) continue;
    level_[at(i)] = level;
    ++in_level_[static_cast<std::size_t>(level)];
  }
  for (Index i = 0; i < count_; ++i) {
    int& level = level_[at(i)];
    if (level >= 0 && is_few(in_level_[static_cast<std::size_t>(level)])) level = -1;
    if (level < 0) beside_.push_back(i);
  }
  for (Index& count : in_level_) {
    if (is_few(count)) count = 0;
  }
}

BroadPhase::Cell BroadPhase::cell_of(const Vector3& place, double size) const {
  Cell cell;
  for (Index k = 0; k < 3; ++k) {
    const double c = std::floor(place[k] / size);
    cell[at(k)] = static_cast<std::int64_t>(
        std::clamp(c, -broad_phase_tuning::kFarthest, broad_phase_tuning::kFarthest));
  }
  return cell;
}

void BroadPhase::fill_table() {
  entries_.clear();
  for (Index i = 0; i < count_; ++i) {
    const int level = level_[at(i)];
    if (level < 0) continue;
    const Vector3 center = 0.5 * boxes_[i].low + 0.5 * boxes_[i].high;
    entries_.push_back({key_of(level, cell_of(center, std::ldexp(finest_, level))), i});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key < b.key : a.box < b.box;
  });
  std::size_t size = 16;
  while (size < 2 * entries_.size()) size *= 2;
  table_.assign(size, {});
  for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
    const std::uint64_t key = entries_[begin].key;
    while (end < entries_.size() && entries_[end].key == key) ++end;
    std::size_t slot = scattered(key) & (size - 1);
    while (table_[slot].end > 0) slot = (slot + 1) & (size - 1);
    table_[slot] = {key, static_cast<Index>(begin), static_cast<Index>(end)};
  }
}

void BroadPhase::meet_grid(Index i, int level, bool own) {
  // Boxes that overlap this one have their centres within half a cell of it.
  const double size = std::ldexp(finest_, level);
  const Vector3 half = Vector3::Constant(0.5 * size);
  const Cell low = cell_of(boxes_[i].low - half, size), high = cell_of(boxes_[i].high + half, size);
  const std::size_t mask = table_.size() - 1;
  Cell cell;
  for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) {
    for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1]) {
      for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2]) {
        const std::uint64_t key = key_of(level, cell);
        std::size_t slot = scattered(key) & mask;
        while (table_[slot].end > 0 && table_[slot].key != key) slot = (slot + 1) & mask;
        for (Index k = table_[slot].begin; k < table_[slot].end; ++k) {
          const Index j = entries_[at(k)].box;
          if (!own || j > i) compare(i, j);
        }
      }
    }
  }
}

void BroadPhase::compare(Index i, Index j) {
  if (!boxes_[i].overlaps(boxes_[j])) return;
  if (is_fixed_ && is_fixed_[i] && is_fixed_[j]) return;
  found_.emplace_back(std::min(i, j), std::max(i, j));
}

void BroadPhase::sort_pairs() {
  begin_.assign(at(count_) + 1, 0);
  for (const Pair& p : found_) ++begin_[at(p.first) + 1];
  for (Index i = 0; i < count_; ++i) begin_[at(i) + 1] += begin_[at(i)];
  pairs_.resize(found_.size());
  for (const Pair& p : found_) pairs_[at(begin_[at(p.first)]++)] = p;
  Index begin = 0;
  for (Index i = 0; i < count_; ++i) {  // begin_[i] is now the end of the pairs of i
    std::sort(pairs_.begin() + begin, pairs_.begin() + begin_[at(i)]);
    begin = begin_[at(i)];
  }
}

}  // namespace nsmb
