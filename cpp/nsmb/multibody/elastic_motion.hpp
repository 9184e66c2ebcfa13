// What deformation adds to the recursions of rigid bodies: inertia of the displaced body, forces
// that are left without accelerations, and the elastic coordinates inside the elimination,
// (11.19)-(11.31).
#pragma once

#include "nsmb/multibody/inertia.hpp"

namespace nsmb {

/// Of the body a node is a section of.
inline ElasticState& elastic_parent(const Tree& tree, const Link& node, TreeWorkspace& work) {
  const Link& body = tree.links()[static_cast<std::size_t>(node.parent)];
  return work.elastic[static_cast<std::size_t>(body.elastic)];
}

/// Moment and inertia of `state`, those at p = 0 so far, become those at p; fills H.
void deform(const ElasticLink& body, LinkState& state, ElasticState& elastic);

/// Fills both biases. After deform, with v and the velocities of the body known.
void elastic_bias(const ElasticLink& body, const LinkState& state, ElasticState& elastic);

/// Momentum of the rates v against the body's frame.
Pair elastic_momentum(const ElasticState& elastic);

/// These sums of all elastic bodies as if nothing hung on their nodes.
void begin_recursion(const Tree& tree, TreeWorkspace& work, ElasticSums ElasticState::* sums);

/// Adds an inertia behind a node, (11.30); with p the force (11.31) besides. Both about O of the
/// node.
void add_behind_node(const ChainInertia& I, const Vector3& rho, const Pair* columns, const Pair* p,
                     ElasticSums& sums);

/// Takes the elastic velocities out of I, last first, as (11.25) does for all at once. False: one
/// moves no mass; `failed` says which.
bool eliminate_elastic(ElasticSums& sums, ChainInertia& I, double* D_inverse, Index& failed);

}  // namespace nsmb
