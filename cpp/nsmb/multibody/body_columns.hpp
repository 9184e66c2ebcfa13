// The effect of each velocity on a point of a body: the recursion for J, unrolled.
#pragma once

#include "nsmb/multibody/tree_workspace.hpp"

namespace nsmb {

/// Call f(k, R, T) for all velocities k of u on the path from a link to the environment. R rotates
/// the link and T moves its point at `place`, both in inertial components (3.5), (3.6).
template <typename F>
void each_column(const Tree& tree, const TreeWorkspace& work, Index link, const Vector3& place,
                 F&& f) {
  const std::vector<Link>& links = tree.links();
  for (Index j = link; j >= 0; j = links[static_cast<std::size_t>(j)].parent) {
    const Link& joint = links[static_cast<std::size_t>(j)];
    const Vector3 arm = place - work.links[static_cast<std::size_t>(j)].r;
    const auto visit = [&](Index k, const Pair& column) {
      f(k, column.R, Vector3(column.T + column.R.cross(arm)));
    };
    if (joint.kind == JointKind::Node) {
      const Link& body = links[static_cast<std::size_t>(joint.parent)];
      for (Index c = 0; c < body.n_el; ++c) {
        visit(body.first_el_user() + c,
              work.node_columns[static_cast<std::size_t>(joint.first_column + c)]);
      }
    }
    for (Index c = 0; c < joint.nu; ++c) {
      visit(joint.first_u_user + c, work.columns[static_cast<std::size_t>(joint.first_u + c)]);
    }
  }
}

}  // namespace nsmb
