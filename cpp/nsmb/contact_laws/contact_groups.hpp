// Independent groups of contacts: no force of one group changes a velocity of another. Laws are
// asked group by group, so that each problem has its own size and what rests elsewhere takes no
// part in it.
#pragma once

#include <vector>

#include "nsmb/system/contact.hpp"

namespace nsmb {

class ContactGroups {
 public:
  /// The groups of `contacts`: coupled by entries of G between their rows, or by a normal force
  /// that bounds friction. Tangential rows count of contacts marked `rough` (nc) alone. Entries of
  /// G that are nothing but rounding couple nothing.
  void find(const ContactRows& rows, const Matrix& G, const std::vector<Index>& contacts,
            const std::vector<bool>& rough);

  std::size_t count() const { return first_.size() - 1; }
  /// The contacts of group k, ascending.
  void list(std::size_t k, std::vector<Index>& members) const;

 private:
  std::vector<Index> order_, pending_;
  std::vector<std::size_t> first_ = {0};  // (count + 1)
};

}  // namespace nsmb
