#include "nsmb/contact_laws/joined_contacts.hpp"

#include <numeric>

namespace nsmb {

JoinedContacts::JoinedContacts(const ContactRows& rows, const Cliques* cliques)
    : rows_(rows), cliques_(cliques) {
  if (!cliques) return;
  for (Index i = 0; i < rows.nc; ++i) contact_of_.push_back(i);
  for (Index i = 0; i < rows.nc; ++i) contact_of_.insert(contact_of_.end(), at(rows.dim(i)), i);
  group_.resize(at(rows.nc));
  leader_.resize(at(cliques->count()));
  numbers_.resize(at(cliques->count()));
}

Index JoinedContacts::leader(Index clique) const {
  while (leader_[at(clique)] != clique) clique = leader_[at(clique)];
  return clique;
}

void JoinedContacts::find(const std::vector<Index>& contacts) {
  if (!cliques_) return;
  std::iota(leader_.begin(), leader_.end(), Index{0});
  numbers_.assign(numbers_.size(), -1);
  for (const Index i : contacts) {
    const std::vector<Index>& own = cliques_->of_contact(i);
    for (const Index clique : own) join(clique, own.front());
    // The normal force bounds friction elsewhere.
    const Index normal = rows_.normal_of(i);
    if (normal < 0 || own.empty()) continue;
    for (const Index clique : cliques_->of_contact(normal)) join(clique, own.front());
  }
  count_ = 0;
  for (const Index i : contacts) {
    const std::vector<Index>& own = cliques_->of_contact(i);
    if (own.empty()) {  // the contact moves nothing
      group_[at(i)] = count_++;
      continue;
    }
    Index& number = numbers_[at(leader(own.front()))];
    if (number < 0) number = count_++;
    group_[at(i)] = number;
  }
}

}  // namespace nsmb
