// What contacts that a step has found leave for the next one.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/contact_set.hpp"

namespace nsmb {

/// Of a contact in the last step.
struct KnownContact {
  std::array<double, 6> impulses{};  // N s, N m s; by rows
  bool pressed = false;              // had a force; friction alone has
  bool closed = false;               // pressed, and has not left
  bool held = false;  // pressed, and would not have left but for what a solver leaves
  ContactState state = ContactState::Open;
};

/// By identity, in vectors that steps use again.
class ContactMemory {
 public:
  void clear();
  /// Those of a step of length h, in place of all others, in which forces closed contacts by as
  /// much as `forced`, m/s.
  void begin(double h, double forced);
  /// There has been a step.
  bool has_step() const { return h_ > 0.0; }
  /// m/s, the same in a step of length h; 0: there was none.
  double forced(double h) const { return h_ > 0.0 ? h / h_ * forced_ : 0.0; }
  void keep(const FoundContact& contact, const KnownContact& known);
  /// Behind the last keep(), before anything is asked.
  void sort();
  /// One of a step of length h that was not the last one.
  void recall(const FoundContact& contact, const KnownContact& known, double h);
  const KnownContact* find(ContactIdentity identity) const;
  bool is_closed(const FoundContact& contact) const;
  /// Whether any contact of its two shapes is held: one answer for all of them.
  bool is_pair_held(const FoundContact& contact) const;
  /// Whether the last step had the contacts of the one before, in the same states.
  bool is_as_before() const;
  // Where steps are tried: as it is, and was then.
  void save() { saved_ = contacts_, saved_pairs_ = pairs_, saved_h_ = h_, saved_forced_ = forced_; }
  void restore() {
    contacts_ = saved_, pairs_ = saved_pairs_, h_ = saved_h_, forced_ = saved_forced_;
  }
  /// (rows) where a solver of a step of length h starts: forces go on.
  void start(const ContactSet& set, double h, Vector& x) const;

 private:
  struct Entry {
    ContactIdentity identity = 0;
    KnownContact known;
  };
  using Pair = std::pair<Index, Index>;

  void hold(const FoundContact& contact);

  std::vector<Entry> contacts_, before_, saved_;  // ascending
  std::vector<Pair> pairs_, saved_pairs_;         // of shapes with held contacts, ascending
  double saved_h_ = 0.0, saved_forced_ = 0.0;
  double forced_ = 0.0;
  double h_ = 0.0;  // s, of the last step; 0: there is none
};

}  // namespace nsmb
