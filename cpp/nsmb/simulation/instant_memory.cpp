#include "nsmb/simulation/instant_memory.hpp"

#include <algorithm>

namespace nsmb {

InstantMemory::InstantMemory(const System& system)
    : exhausted(static_cast<std::size_t>(system.nc()), false),
      left_limit(exhausted),
      keeps(exhausted),
      insists(exhausted),
      from_rest(exhausted),
      restarts(exhausted.size(), 0),
      switched(static_cast<std::size_t>(system.ne()), false) {}

bool InstantMemory::begin(double now) {
  const bool again = is_same_instant(now, t);
  if (!again) {
    for (std::vector<bool>* seen : {&exhausted, &left_limit, &keeps, &insists}) {
      std::fill(seen->begin(), seen->end(), false);
    }
    std::fill(restarts.begin(), restarts.end(), 0);
  }
  t = now;
  return again;
}

void InstantMemory::recall(const Triggers& triggers, const ContactFeatures& features, bool again) {
  for (std::size_t c = 0; c < triggers.contacts.size(); ++c) {
    const Trigger trigger = triggers.contacts[c];
    const bool gone = !features.slots[c].valid;  // its point has left its features
    if (trigger == Trigger::Detaches || gone) exhausted[c] = true;
    if (from_rest[c] && trigger == Trigger::Sticks && again) ++restarts[c];
    if (keeps[c] && slips(trigger)) insists[c] = true;
    keeps[c] = !insists[c] && (keeps[c] || (trigger == Trigger::Sticks && left_limit[c]));
  }
}

}  // namespace nsmb
