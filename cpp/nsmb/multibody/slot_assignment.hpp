// Contact points that are found again keep their slots, new ones get slots that are free.
#pragma once

#include <span>
#include <vector>

#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Scratch of one thread.
struct SlotScratch {
  std::vector<bool> taken, fresh;
};

/// `count` points for the slots of one contact, no more than there are slots. is_same(point, slot):
/// they mean the same contact point; take(point, slot) puts one into the other.
template <class IsSame, class Take>
void assign_slots(std::span<ContactFeature> slots, std::size_t count, SlotScratch& work,
                  const IsSame& is_same, const Take& take) {
  std::vector<bool>&taken = work.taken, &fresh = work.fresh;  // fresh: slots that were free before
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
  // Slots that were free first: one that has just lost its point is not to get another one in the
  // same instant, where its history could not tell them apart.
  for (const bool wanted : {true, false}) {
    for (std::size_t p = 0, c = 0; p < slots.size(); ++p) {
      ContactFeature& slot = slots[p];
      if (slot.used() || fresh[p] != wanted) continue;
      while (c < count && taken[c]) ++c;
      if (c == count) break;
      taken[c] = true;
      take(c, slot);
      slot.valid = false;  // until whoever simulates has looked
    }
  }
}

}  // namespace nsmb
