// Stored data of the contacts of a step, for use in the next step.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/contact_set.hpp"

namespace nsmb {

/// Data of a contact in the last step.
struct KnownContact {
  std::array<double, 6> impulses{};  // N s, N m s; ordered by rows
  bool pressed = false;              // carried a force; always true for friction-only contacts
  bool closed = false;               // has not separated
  bool held = false;                 // closed, or has separated without restitution
  ContactState state = ContactState::Open;
};

/// Contacts of the last step, found by identity. The vectors are reused from step to step.
class ContactMemory {
 public:
  void clear();
  /// Replace all stored contacts by those of a step of length h. `forced` is the largest speed in
  /// m/s at which forces alone closed a contact in that step.
  void begin(double h, double forced);
  /// Return true if a step has been stored.
  bool has_step() const { return h_ > 0.0; }
  /// Return `forced` scaled to a step of length h, in m/s, or 0 if no step has been stored.
  double forced(double h) const { return h_ > 0.0 ? h / h_ * forced_ : 0.0; }
  void keep(const FoundContact& contact, const KnownContact& known);
  /// Sort the contacts. Call this after the last keep() and before any query.
  void sort();
  /// Add or replace a contact of an earlier step of length h.
  void recall(const FoundContact& contact, const KnownContact& known, double h);
  const KnownContact* find(ContactIdentity identity) const;
  bool is_closed(const FoundContact& contact) const;
  /// Return true if any contact between the two shapes of `contact` is held.
  bool is_pair_held(const FoundContact& contact) const;
  /// Return true if the last step had the same contacts as the step before it, in the same states.
  bool is_as_before() const;
  // Save and restore the memory around trial steps.
  void save() { saved_ = contacts_, saved_pairs_ = pairs_, saved_h_ = h_, saved_forced_ = forced_; }
  void restore() {
    contacts_ = saved_, pairs_ = saved_pairs_, h_ = saved_h_, forced_ = saved_forced_;
  }
  /// Set x (rows) to the starting point of a solver for a step of length h. Forces are assumed to
  /// stay the same.
  void start(const ContactSet& set, double h, Vector& x) const;

 private:
  struct Entry {
    ContactIdentity identity = 0;
    KnownContact known;
  };
  using Pair = std::pair<Index, Index>;

  void hold(const FoundContact& contact);

  std::vector<Entry> contacts_, before_, saved_;  // sorted by identity
  std::vector<Pair> pairs_, saved_pairs_;         // pairs of shapes with held contacts, sorted
  double saved_h_ = 0.0, saved_forced_ = 0.0;
  double forced_ = 0.0;
  double h_ = 0.0;  // s, length of the last step; 0: no step is stored
};

}  // namespace nsmb
