// Independent groups of contacts: no force of one group changes a velocity of another one. Laws are
// solved group by group, so that each problem has its own scale and excludes contacts at rest
// elsewhere.
#pragma once

#include <vector>

#include "nsmb/system/contact.hpp"

namespace nsmb {

class ContactGroups {
 public:
  /// Find the groups of `contacts`. Contacts are coupled by entries of G between their rows, or by
  /// a normal force that bounds friction. Tangential rows count only for contacts marked `rough`
  /// (nc). Entries of G within rounding are ignored.
  void find(const ContactRows& rows, const Matrix& G, const std::vector<Index>& contacts,
            const std::vector<bool>& rough);

  std::size_t count() const { return first_.size() - 1; }
  /// List the contacts of group k, ascending.
  void list(std::size_t k, std::vector<Index>& members) const;

 private:
  std::vector<Index> order_, pending_;
  std::vector<std::size_t> first_ = {0};  // (count + 1)
};

}  // namespace nsmb
