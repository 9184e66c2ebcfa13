// The sparse matrix that methods with factorizations renew: by contacts with the pattern of A, by
// bodies with that of 1 + H Hᵀ.
#pragma once

#include "nsmb/complementarity/friction_contacts.hpp"
#include "nsmb/complementarity/frontal_lu.hpp"

namespace nsmb::internal {

struct ContactFactors {
  FrontalLu lu;
  BlockMatrix K;
  std::vector<Index> size;  // rows of its lists

  /// Pattern, typical sizes, and order of elimination; nothing where the last one had the pattern.
  void analyse(const ContactSystem& system);

 private:
  bool is_analysed(const ContactSystem& system) const;

  // Of what was analysed last.
  bool split_ = false;
  std::vector<Index> start_, inner_, rows_;
};

/// A block (rows, rows) becomes the identity.
void set_identity(Index rows, double* block);

}  // namespace nsmb::internal
