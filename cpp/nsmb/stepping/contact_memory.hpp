// What contacts that a step has found leave for the next one.
#pragma once

#include <array>
#include <unordered_map>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/contact_set.hpp"

namespace nsmb {

/// Of a contact in the last step.
struct KnownContact {
  std::array<double, 6> impulses{};  // N s, N m s; by rows
  bool closed = false;               // pressed, and has not left
  ContactState state = ContactState::Open;
};

/// By identity.
class ContactMemory {
 public:
  void clear();
  /// Those of a step of length h, in place of all others.
  void begin(double h);
  void keep(ContactIdentity identity, const KnownContact& known);
  /// One of a step of length h that was not the last one.
  void recall(ContactIdentity identity, const KnownContact& known, double h);
  const KnownContact* find(ContactIdentity identity) const;
  bool is_closed(const FoundContact& contact) const;
  /// Whether the last step had the contacts of the one before, in the same states.
  bool is_as_before() const;
  // Where steps are tried: as it is, and was then.
  void save() { saved_ = contacts_, saved_h_ = h_; }
  void restore() { contacts_ = saved_, h_ = saved_h_; }
  /// (rows) where a solver of a step of length h starts: forces go on.
  void start(const ContactSet& set, double h, Vector& x) const;

 private:
  using Contacts = std::unordered_map<ContactIdentity, KnownContact>;
  Contacts contacts_, before_, saved_;
  double saved_h_ = 0.0;
  double h_ = 0.0;  // s, of the last step; 0: there is none
};

}  // namespace nsmb
