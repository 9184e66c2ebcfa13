#include "nsmb/stepping/contact_memory.hpp"

#include <algorithm>

namespace nsmb {

void ContactMemory::clear() {
  contacts_.clear();
  h_ = 0.0;
}

void ContactMemory::begin(double h) {
  contacts_.clear();
  h_ = h;
}

void ContactMemory::keep(ContactIdentity identity, const KnownContact& known) {
  contacts_.emplace(identity, known);
}

void ContactMemory::recall(ContactIdentity identity, const KnownContact& known, double h) {
  KnownContact there = known;
  if (h_ > 0.0) {
    for (double& impulse : there.impulses) impulse *= h_ / h;
  }
  contacts_.insert_or_assign(identity, there);
}

const KnownContact* ContactMemory::find(ContactIdentity identity) const {
  const auto known = contacts_.find(identity);
  return known == contacts_.end() ? nullptr : &known->second;
}

bool ContactMemory::is_closed(const FoundContact& contact) const {
  const KnownContact* known = find(contact.identity);
  return known && known->closed;
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

bool ContactMemory::is_like(const ContactMemory& other) const {
  return contacts_.size() == other.contacts_.size() &&
         std::all_of(contacts_.begin(), contacts_.end(), [&](const auto& one) {
           const KnownContact* same = other.find(one.first);
           return same && same->state == one.second.state;
         });
}

}  // namespace nsmb
