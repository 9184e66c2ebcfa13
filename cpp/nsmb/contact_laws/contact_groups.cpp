#include "nsmb/contact_laws/contact_groups.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

bool couples(const Matrix& G, Index a, Index b) {
  const double entry = G(a, b);
  return entry != 0.0 &&
         entry * entry > rounding::kCoupling * rounding::kCoupling * G(a, a) * G(b, b);
}

bool are_coupled(const ContactRows& rows, const Matrix& G, const std::vector<bool>& rough, Index i,
                 Index j) {
  if (rows.normal_of(i) == j || rows.normal_of(j) == i) return true;
  if (rows.normal_of(i) >= 0 && rows.normal_of(i) == rows.normal_of(j)) return true;
  const bool normal_i = rows.is_unilateral(i), normal_j = rows.is_unilateral(j);
  if (normal_i && normal_j && couples(G, i, j)) return true;
  const Index dim_i = rough[static_cast<std::size_t>(i)] ? rows.dim(i) : 0;
  const Index dim_j = rough[static_cast<std::size_t>(j)] ? rows.dim(j) : 0;
  for (Index d = 0; d < dim_i; ++d) {
    if (normal_j && couples(G, rows.row(i) + d, j)) return true;
    for (Index e = 0; e < dim_j; ++e) {
      if (couples(G, rows.row(i) + d, rows.row(j) + e)) return true;
    }
  }
  for (Index e = 0; e < dim_j; ++e) {
    if (normal_i && couples(G, i, rows.row(j) + e)) return true;
  }
  return false;
}

}  // namespace

void ContactGroups::find(const ContactRows& rows, const Matrix& G,
                         const std::vector<Index>& contacts, const std::vector<bool>& rough) {
  pending_ = contacts;
  order_.clear();
  first_.assign(1, 0);
  while (!pending_.empty()) {
    const std::size_t start = order_.size();
    order_.push_back(pending_.front());
    pending_.erase(pending_.begin());
    for (std::size_t k = start; k < order_.size() && !pending_.empty(); ++k) {
      const Index i = order_[k];
      std::size_t left = 0;
      for (const Index j : pending_) {
        if (are_coupled(rows, G, rough, i, j)) {
          order_.push_back(j);
        } else {
          pending_[left++] = j;
        }
      }
      pending_.resize(left);
    }
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(start), order_.end());
    first_.push_back(order_.size());
  }
}

void ContactGroups::list(std::size_t k, std::vector<Index>& members) const {
  members.assign(order_.begin() + static_cast<std::ptrdiff_t>(first_[k]),
                 order_.begin() + static_cast<std::ptrdiff_t>(first_[k + 1]));
}

}  // namespace nsmb
