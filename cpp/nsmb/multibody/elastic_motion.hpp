// Contributions of deformation to the recursions of rigid bodies, (11.19)-(11.31): inertia of the
// displaced body, forces at zero acceleration, and elimination of the elastic coordinates.
#pragma once

#include "nsmb/multibody/inertia.hpp"

namespace nsmb {

/// Return the state of the elastic body to which a node belongs.
inline ElasticState& elastic_parent(const Tree& tree, const Link& node, TreeWorkspace& work) {
  const Link& body = tree.links()[static_cast<std::size_t>(node.parent)];
  return work.elastic[static_cast<std::size_t>(body.elastic)];
}

/// Update moment and inertia of `state` from p = 0 to p, and fill H.
void deform(const ElasticLink& body, LinkState& state, ElasticState& elastic);

/// Fill both biases. Call after deform, with v and the velocities of the body known.
void elastic_bias(const ElasticLink& body, const LinkState& state, ElasticState& elastic);

/// Return the momentum of the rates v relative to the body's frame.
Pair elastic_momentum(const ElasticState& elastic);

/// Initialise the given sums of all elastic bodies as if nothing were attached to their nodes.
void begin_recursion(const Tree& tree, TreeWorkspace& work, ElasticSums ElasticState::* sums);

/// Add an inertia beyond a node, (11.30), and with `p` also the force (11.31). Both are about O of
/// the node.
void add_behind_node(const ChainInertia& I, const Vector3& rho, const Pair* columns, const Pair* p,
                     ElasticSums& sums);

/// Eliminate the elastic velocities from I, last first, as (11.25) does for all at once. Return
/// false if one of them moves no mass, with its index in `failed`.
bool eliminate_elastic(ElasticSums& sums, ChainInertia& I, double* D_inverse, Index& failed);

}  // namespace nsmb
