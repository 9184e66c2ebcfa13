#include "nsmb/multibody/tree_workspace.hpp"

#include <algorithm>

namespace nsmb {

TreeWorkspace::TreeWorkspace(const Tree& tree) {
  const auto n = static_cast<std::size_t>(tree.bodies());
  const auto nu = static_cast<std::size_t>(tree.nu());
  links.resize(n);
  columns.resize(nu);
  applied.resize(n);
  chain.resize(n);
  force.resize(n);
  U.resize(nu);
  D_inverse.resize(nu);
  rest.resize(nu);
  acceleration.resize(n);
  S.setZero(6, tree.nu());
  F.setZero(6, tree.nu());
  if (!tree.same_order()) M.setZero(tree.nu(), tree.nu());
}

void TreeWorkspace::clear_applied() {
  std::fill(applied.begin(), applied.end(), Pair{});
  any_applied = false;
}

}  // namespace nsmb
