#include "nsmb/multibody/resistance_rows.hpp"

namespace nsmb {

namespace {

// "pair[2]" and "rolling" give "pair.rolling[2]", so that all points of a pair are one contact.
std::string name_of(const std::string& contact, const std::string& what) {
  const bool is_point = contact.ends_with(']');
  const std::size_t end = is_point ? contact.rfind('[') : contact.size();
  return contact.substr(0, end) + "." + what + contact.substr(end);
}

}  // namespace

void ResistanceRows::describe(std::vector<ContactDescription>& contacts) {
  const std::size_t own = contacts.size();
  const auto append = [&](std::size_t i, const char* what, double coefficient, Index tangents) {
    if (!(coefficient > 0.0)) return;
    ContactDescription resistance{name_of(contacts[i].name, what), {},
                                  ContactKind::Friction,           tangents,
                                  static_cast<Index>(i),           false};
    resistance.law.mu = coefficient;
    contacts.push_back(std::move(resistance));
  };
  for (std::size_t i = 0; i < own; ++i) {
    const UnilateralContact law = contacts[i].law;
    append(i, "rolling", law.mu_R, contacts[i].tangents);
    append(i, "drilling", law.mu_D, 1);
  }
}

ResistanceRows::ResistanceRows(const ContactRows& rows) : first_(rows.nc), all_(rows.nc) {
  while (first_ > 0 && rows.required_by(first_ - 1) >= 0) --first_;
  if (none()) return;
  rolling_.assign(at(all_), -1);
  drilling_.assign(at(all_), -1);
  for (Index i = first_; i < all_; ++i) {
    const Index contact = rows.required_by(i);
    const bool rolls = rows.dim(i) == rows.dim(contact);
    (rolls ? rolling_ : drilling_)[at(contact)] = i;
  }
}

ContactPlace ResistanceRows::place(const ContactRows& rows, Index contact) const {
  const Index rolls = rolling(contact), drills = drilling(contact);
  return {contact, rows.tangent(contact), rolls < 0 ? -1 : rows.tangent(rolls),
          drills < 0 ? -1 : rows.tangent(drills)};
}

void rolling_in_plane(const MarkerKinematics& m1, const MarkerKinematics& m2, Index row,
                      ContactKinematics& c) {
  const Vector3 e = m1.A.col(2);
  clear_turn_row(m1, m2, row, c);
  fill_turn_row(e, m1.Omega.cross(e), m1, m2, row, c);
}

}  // namespace nsmb
