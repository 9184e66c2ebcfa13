// Assignment of contact points to slots: known points keep their slots, new ones get free slots.
#pragma once

#include <span>
#include <vector>

#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Scratch memory of one thread.
struct SlotScratch {
  std::vector<bool> taken, fresh;
};

/// Assign `count` points, at most as many as there are slots, to the slots of one contact.
/// is_same(point, slot) returns true if both are the same contact point. take(point, slot) stores
/// a point in a slot.
template <class IsSame, class Take>
void assign_slots(std::span<ContactFeature> slots, std::size_t count, SlotScratch& work,
                  const IsSame& is_same, const Take& take) {
  std::vector<bool>&taken = work.taken, &fresh = work.fresh;  // slots that were free before
  taken.assign(count, false);
  fresh.assign(slots.size(), false);
  for (std::size_t p = 0; p < slots.size(); ++p) {
    ContactFeature& slot = slots[p];
    fresh[p] = !slot.used();
    if (!slot.used()) continue;
    std::size_t c = 0;
    while (c < count && (taken[c] || !is_same(c, slot))) ++c;
    if (c < count) {
      taken[c] = true;
      take(c, slot);
    } else {
      slot = ContactFeature{};
    }
  }
  // Use slots first that were free before. A slot that has just lost its point should not get
  // another one at the same instant, since its history could not distinguish them.
  for (const bool wanted : {true, false}) {
    for (std::size_t p = 0, c = 0; p < slots.size(); ++p) {
      ContactFeature& slot = slots[p];
      if (slot.used() || fresh[p] != wanted) continue;
      while (c < count && taken[c]) ++c;
      if (c == count) break;
      taken[c] = true;
      take(c, slot);
      slot.valid = false;  // until the simulation has checked it
    }
  }
}

}  // namespace nsmb
