#include "nsmb/simulation/variation_record.hpp"

#include <algorithm>

namespace nsmb {

void VariationRecord::note(double time, VariationNote kind, Index label) {
  note_t.push_back(time);
  note_kind.push_back(static_cast<std::int8_t>(kind));
  note_contact.push_back(static_cast<std::int32_t>(label));
}

void VariationRecord::forget(Index ny) {
  const std::size_t n = static_cast<std::size_t>(ny);
  if (rate.size() > n) std::copy(rate.end() - ny, rate.end(), rate.begin());
  rate.resize(std::min(n, rate.size()));
  t.clear();
  is_event.clear();
  factors.clear();
  flows.clear();
  time_factors.clear();
  lost.clear();
  note_t.clear();
  note_kind.clear();
  note_contact.clear();
}

}  // namespace nsmb
