// The set of pairs of numbers that have been visited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// A set of pairs of numbers below 2³². Allocates only when it holds more pairs than ever before.
class PairSet {
 public:
  void clear() {
    ++round_;
    size_ = 0;
  }
  /// Insert a pair. Return false if it was present.
  bool insert(Index first, Index second) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    const std::uint64_t key =
        (static_cast<std::uint64_t>(first) << 32) | static_cast<std::uint64_t>(second);
    Slot& slot = find(key);
    if (slot.round == round_) return false;
    slot = {key, round_};
    ++size_;
    return true;
  }

 private:
  struct Slot {
    std::uint64_t key = 0, round = 0;  // of an earlier round: empty
  };

  Slot& find(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    // Multiplicative hashing by the golden ratio.
    std::size_t i = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (slots_[i].round == round_ && slots_[i].key != key) i = (i + 1) & mask;
    return slots_[i];
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(2 * slots_.size(), 256));
    std::swap(old, slots_);
    for (const Slot& slot : old) {
      if (slot.round == round_) find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;  // their number is a power of two
  std::uint64_t round_ = 1;
  std::size_t size_ = 0;
};

}  // namespace nsmb
