// The sparse matrix that methods with factorizations update: by contacts with the pattern of A, by
// bodies with that of 1 + H Hᵀ.
#pragma once

#include "nsmb/complementarity/friction_contacts.hpp"
#include "nsmb/complementarity/frontal_lu.hpp"

namespace nsmb::internal {

struct ContactFactors {
  FrontalLu lu;
  BlockMatrix K;
  std::vector<Index> size;  // rows of its lists

  /// Set pattern, typical sizes, and order of elimination; does nothing if the pattern is
  /// unchanged.
  void analyse(const ContactSystem& system);

 private:
  bool is_analysed(const ContactSystem& system) const;

  // Pattern analysed last.
  bool split_ = false;
  std::vector<Index> start_, inner_, rows_;
};

/// Set a block (rows, rows) to the identity.
void set_identity(Index rows, double* block);

}  // namespace nsmb::internal
