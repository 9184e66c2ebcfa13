#include "nsmb/stepping/contact_memory.hpp"

#include <algorithm>
#include <utility>

namespace nsmb {
namespace {

constexpr auto comes_before = [](const auto& entry, ContactIdentity identity) {
  return entry.identity < identity;
};

}  // namespace

void ContactMemory::clear() {
  contacts_.clear();
  pairs_.clear();
  h_ = 0.0;
}

void ContactMemory::begin(double h, double forced) {
  std::swap(contacts_, before_);
  contacts_.clear();
  pairs_.clear();
  h_ = h;
  forced_ = forced;
}

// Contacts arrive pair by pair, so a search is rarely needed.
void ContactMemory::hold(const FoundContact& contact) {
  const Pair pair(contact.shape_1, contact.shape_2);
  if (!pairs_.empty() && pairs_.back() == pair) return;
  const auto place = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
  if (place == pairs_.end() || *place != pair) pairs_.insert(place, pair);
}

void ContactMemory::keep(const FoundContact& contact, const KnownContact& known) {
  contacts_.push_back({contact.identity, known});
  if (known.held) hold(contact);
}

void ContactMemory::sort() {
  std::sort(contacts_.begin(), contacts_.end(),
            [](const Entry& a, const Entry& b) { return a.identity < b.identity; });
}

void ContactMemory::recall(const FoundContact& contact, const KnownContact& known, double h) {
  KnownContact there = known;
  if (h_ > 0.0) {
    for (double& impulse : there.impulses) impulse *= h_ / h;
  }
  const ContactIdentity identity = contact.identity;
  const auto place = std::lower_bound(contacts_.begin(), contacts_.end(), identity, comes_before);
  if (place != contacts_.end() && place->identity == identity) {
    place->known = there;
  } else {
    contacts_.insert(place, {identity, there});
  }
  if (known.held) hold(contact);
}

const KnownContact* ContactMemory::find(ContactIdentity identity) const {
  const auto place = std::lower_bound(contacts_.begin(), contacts_.end(), identity, comes_before);
  return place != contacts_.end() && place->identity == identity ? &place->known : nullptr;
}

bool ContactMemory::is_closed(const FoundContact& contact) const {
  const KnownContact* known = find(contact.identity);
  return known && known->closed;
}

bool ContactMemory::is_pair_held(const FoundContact& contact) const {
  return std::binary_search(pairs_.begin(), pairs_.end(), Pair(contact.shape_1, contact.shape_2));
}

void ContactMemory::start(const ContactSet& set, double h, Vector& x) const {
  x.setZero(set.rows());
  const double longer = h_ > 0.0 ? h / h_ : 1.0;
  for (const FoundContact& contact : set.contacts) {
    const KnownContact* known = find(contact.identity);
    if (!known) continue;
    for (Index k = 0; k < contact.rows; ++k) {
      x(contact.first_row + k) = longer * known->impulses[static_cast<std::size_t>(k)];
    }
  }
}

bool ContactMemory::is_as_before() const {
  return std::equal(contacts_.begin(), contacts_.end(), before_.begin(), before_.end(),
                    [](const Entry& a, const Entry& b) {
                      return a.identity == b.identity && a.known.state == b.known.state;
                    });
}

}  // namespace nsmb
