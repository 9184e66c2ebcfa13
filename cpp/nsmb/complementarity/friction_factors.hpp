// The sparse matrix that methods with factorizations renew: by contacts with the pattern of A, by
// bodies with that of M + H Hᵀ.
#pragma once

#include "nsmb/complementarity/friction_contacts.hpp"
#include "nsmb/complementarity/frontal_lu.hpp"

namespace nsmb::internal {

struct ContactFactors {
  FrontalLu lu;
  BlockMatrix K;
  std::vector<Index> size;  // rows of its lists

  /// Pattern, typical sizes, and order of elimination.
  void analyse(const ContactSystem& system);
};

}  // namespace nsmb::internal
