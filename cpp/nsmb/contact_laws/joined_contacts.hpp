// Which of some contacts share cliques, directly or through others: known before any number is.
#pragma once

#include <vector>

#include "nsmb/system/cliques.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Workspace. Forces of one group change no velocity of another: equations of closed contacts fall
/// into blocks.
class JoinedContacts {
 public:
  /// `cliques` null: all contacts are in one group.
  JoinedContacts(const ContactRows& rows, const Cliques* cliques);

  /// Of some contacts, any order; groups are numbered in the order of their first contacts.
  void find(const std::vector<Index>& contacts);
  Index count() const { return count_; }
  bool is_whole() const { return cliques_ == nullptr; }
  /// Of a contact that was asked about.
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
