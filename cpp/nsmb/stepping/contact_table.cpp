#include "nsmb/stepping/contact_table.hpp"

namespace nsmb {

void FoundContacts::clear() {
  contacts.clear();
  impulses.clear();
  states.clear();
}

void ContactTable::add(double h, const FoundContacts& found) {
  for (std::size_t k = 0; k < found.contacts.size(); ++k) {
    const FoundContact& contact = found.contacts[k];
    identity.push_back(contact.identity);
    shapes.push_back(static_cast<std::int32_t>(contact.shape_1));
    shapes.push_back(static_cast<std::int32_t>(contact.shape_2));
    law.push_back(static_cast<std::int32_t>(contact.law));
    g_N.push_back(contact.g_N);
    point.insert(point.end(), contact.point.data(), contact.point.data() + 3);
    axes.insert(axes.end(), contact.axes.data(), contact.axes.data() + 9);
    for (const double impulse : found.impulses[k]) force.push_back(impulse / h);
    state.push_back(static_cast<std::int8_t>(found.states[k]));
  }
  first.push_back(static_cast<std::int64_t>(identity.size()));
}

std::size_t ContactTable::bytes() const {
  constexpr std::size_t kRow =
      sizeof(std::uint64_t) + 3 * sizeof(std::int32_t) + 19 * sizeof(double) + sizeof(std::int8_t);
  return identity.capacity() * kRow + first.capacity() * sizeof(std::int64_t);
}

}  // namespace nsmb
