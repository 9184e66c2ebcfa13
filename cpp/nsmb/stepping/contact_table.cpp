#include "nsmb/stepping/contact_table.hpp"

namespace nsmb {

void FoundContacts::clear() {
  contacts.clear();
  impulses.clear();
  states.clear();
}

void add_found(double h, const FoundContacts& found, Trajectory& trajectory) {
  trajectory.samples.found.add(static_cast<std::int32_t>(found.contacts.size()));
  FoundTable& table = trajectory.found;
  for (std::size_t k = 0; k < found.contacts.size(); ++k) {
    const FoundContact& contact = found.contacts[k];
    table.identity.add(contact.identity);
    table.shape_1.add(static_cast<std::int32_t>(contact.shape_1));
    table.shape_2.add(static_cast<std::int32_t>(contact.shape_2));
    table.law.add(static_cast<std::int32_t>(contact.law));
    table.g_N.add(contact.g_N);
    table.point.add_row(contact.point);
    table.normal.add_row(contact.axes.col(0));
    table.tangent.add_row(contact.axes.col(1));
    for (std::size_t i = 0; i < 3; ++i) table.force.add(found.impulses[k][i] / h);
    for (std::size_t i = 3; i < 6; ++i) table.moment.add(found.impulses[k][i] / h);
    table.state.add(static_cast<std::int8_t>(found.states[k]));
  }
}

}  // namespace nsmb
