// Properties of the motion of a model without loads.
#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

namespace {

// Return true if the centre of mass lies on the axis of rotation.
bool is_balanced(const Link& link) {
  if (link.kind == JointKind::Revolute) return link.moment.head<2>().isZero(0.0);
  return dynamic_cast<const PlanarJoint*>(link.joint) && link.moment.head<2>().isZero(0.0);
}

}  // namespace

// M is constant for bodies on straight guides whose last bodies rotate about a balanced axis or
// move in a plane. A single body with a fixed axis may have its centre of mass anywhere.
void ModelSystem::find_kind() {
  const Tree& tree = *model_.tree;
  kind_ = Kind::Closed;
  if (tree.rheonomic() || nb() > 0) kind_ = Kind::Bent;
  enum class Way { Rests, Shifts, Turns };
  std::vector<Way> ways;
  for (const Link& link : tree.links()) {
    if (link.elastic >= 0) kind_ = Kind::Whole;
    const Way parent = link.parent < 0 ? Way::Rests : ways[at(link.parent)];
    Way& way = ways.emplace_back(Way::Turns);
    if (link.velocities() == 0 && parent != Way::Turns) {
      way = parent;
    } else if (link.kind == JointKind::Prismatic && parent != Way::Turns) {
      way = Way::Shifts;
    }
    if (kind_ != Kind::Closed || way != Way::Turns) continue;
    bool is_known = false;
    for (const FreeBody& body : free_bodies_) {
      is_known = is_known || (link.velocities() == 6 && body.u == link.first_u_user);
    }
    if (parent != Way::Turns && !link.has_children) {
      const bool about_axis = link.kind == JointKind::Revolute && parent == Way::Rests;
      is_known = is_known || about_axis || is_balanced(link);
    }
    if (!is_known) kind_ = Kind::Bent;
  }
}

void ModelSystem::kinetic_energies(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                   VectorRef energies, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  energies.setZero();
  for (std::size_t clique = 0; clique < clique_links_.size(); ++clique) {
    for (const auto& [first, end] : clique_links_[clique]) {
      energies(static_cast<Index>(clique)) += kinetic_energy(*model_.tree, w.tree, first, end);
    }
  }
}

void ModelSystem::mass_diagonal(double t, const ConstVectorRef& q, VectorRef diagonal,
                                SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  nsmb::mass_diagonal(*model_.tree, w.tree, diagonal);
}

}  // namespace nsmb
