#include "nsmb/multibody/tree_workspace.hpp"

#include <algorithm>

namespace nsmb {

ElasticSums::ElasticSums(Index n)
    : U(static_cast<std::size_t>(n)), M(Matrix::Zero(n, n)), force(Vector::Zero(n)) {}

ElasticState::ElasticState(Index n)
    : p(Vector::Zero(n)),
      v(p),
      H(static_cast<std::size_t>(n)),
      bias_el(p),
      articulated(n),
      composite(n),
      N(Matrix::Zero(3 * n, 3)),
      displacement(Rows3::Zero(3, n)) {}

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
  for (const Index size : tree.elastic_sizes()) elastic.emplace_back(size);
  node_columns.resize(static_cast<std::size_t>(tree.node_columns()));
  S.setZero(6, tree.nu());
  F.setZero(6, tree.nu());
}

void TreeWorkspace::clear_applied() {
  std::fill(applied.begin(), applied.end(), Pair{});
  any_applied = false;
}

}  // namespace nsmb
