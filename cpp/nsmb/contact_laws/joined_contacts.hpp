// Groups of contacts that share cliques, directly or through others, found from the structure
// alone.
#pragma once

#include <vector>

#include "nsmb/system/cliques.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// A workspace that finds joined contacts. Forces of one group change no velocity of another one,
/// so equations of closed contacts form blocks.
class JoinedContacts {
 public:
  /// `cliques` null: all contacts are in one group.
  JoinedContacts(const ContactRows& rows, const Cliques* cliques);

  /// Find the groups of some contacts in any order. Groups are numbered in the order of their first
  /// contacts.
  void find(const std::vector<Index>& contacts);
  Index count() const { return count_; }
  bool is_whole() const { return cliques_ == nullptr; }
  /// Return the group of a contact passed to find().
  Index of(Index contact) const { return cliques_ ? group_[at(contact)] : 0; }
  Index of_row(Index row) const { return cliques_ ? group_[at(contact_of(row))] : 0; }
  Index contact_of(Index row) const { return contact_of_[at(row)]; }

 private:
  Index leader(Index clique) const;
  void join(Index a, Index b) { leader_[at(leader(a))] = leader(b); }

  const ContactRows& rows_;
  const Cliques* cliques_;
  Index count_ = 1;
  std::vector<Index> contact_of_;        // (nc + nt)
  std::vector<Index> group_;             // (nc)
  std::vector<Index> leader_, numbers_;  // (cliques)
};

}  // namespace nsmb
