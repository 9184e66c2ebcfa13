#include "nsmb/complementarity/friction_factors.hpp"

#include <algorithm>

namespace nsmb::internal {

bool ContactFactors::is_analysed(const ContactSystem& system) const {
  const BlockMatrix& shared = system.split ? system.H : system.A;
  return split_ == system.split && size == rows_ && start_ == shared.start &&
         inner_ == shared.inner;
}

void ContactFactors::analyse(const ContactSystem& system) {
  size.clear();
  if (system.split) {
    for (Index g = 0; g < system.nodes(); ++g) size.push_back(system.node_size(g));
  } else {
    for (const ContactUnit& unit : system.units) size.push_back(unit.rows);
  }
  if (is_analysed(system)) return;
  if (system.split) {
    node_pattern(system.H, system.node_first, K);
  } else {
    K = system.A;
  }
  lu.analyse(K, size);
  const BlockMatrix& shared = system.split ? system.H : system.A;
  split_ = system.split;
  start_ = shared.start;
  inner_ = shared.inner;
  rows_ = size;
}

void set_identity(Index rows, double* block) {
  std::fill_n(block, rows * rows, 0.0);
  for (Index i = 0; i < rows; ++i) block[i + rows * i] = 1.0;
}

}  // namespace nsmb::internal
