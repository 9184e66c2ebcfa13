// Division of a model into bodies that move independently.
#include <algorithm>
#include <numeric>

#include "nsmb/multibody/model_system.hpp"
#include "nsmb/multibody/user_joint.hpp"

namespace nsmb {

namespace {

// Return true if the model has user functions or inputs, whose effects and changes are unknown
// here.
bool has_user_functions(const ModelDescription& model) {
  if (!model.inputs.empty()) return true;
  for (const PlacedForce& force : model.forces) {
    if (force.element->calls_user()) return true;
  }
  for (Index i = 0; i < model.tree->bodies(); ++i) {
    const BodyDescription& body = model.tree->body(i);
    if (!body.motions.empty() || dynamic_cast<const FunctionJoint*>(body.joint.get())) return true;
  }
  return false;
}

// Bodies in groups. -1 is the ground with all bodies fixed to it, which connect nothing.
class Bodies {
 public:
  explicit Bodies(const ModelDescription& model) : model_(model) {
    const Tree& tree = *model.tree;
    leader_.resize(at(tree.bodies()));
    std::iota(leader_.begin(), leader_.end(), Index{0});
    by_velocity_.resize(at(tree.nu()));
    for (Index i = 0; i < tree.bodies(); ++i) {
      const Link& link = tree.links()[at(tree.link(i))];
      for (Index k = 0; k < link.velocities(); ++k) by_velocity_[at(link.first_u_user + k)] = i;
    }
    // In depth-first order, predecessors come before successors.
    std::vector<Index> body_of_link(tree.links().size());
    for (Index i = 0; i < tree.bodies(); ++i) body_of_link[at(tree.link(i))] = i;
    for (std::size_t k = 0; k < tree.links().size(); ++k) {
      const Link& link = tree.links()[k];
      const Index body = body_of_link[k];
      const Index parent = link.parent < 0 ? -1 : body_of_link[at(link.parent)];
      const bool on_ground = parent < 0 || leader_[at(parent)] < 0;
      if (on_ground && link.velocities() == 0) {
        leader_[at(body)] = -1;
      } else if (!on_ground) {
        join(parent, body);
      }
    }
  }

  bool is_ground(Index body) const { return body < 0 || leader_[at(body)] < 0; }
  Index of(Index body) const {
    if (is_ground(body)) return -1;
    while (leader_[at(body)] != body) body = leader_[at(body)];
    return body;
  }
  Index of_marker(Index marker) const { return of(model_.markers[at(marker)].body); }
  Index of_velocity(Index velocity) const { return of(by_velocity_[at(velocity)]); }
  void join(Index a, Index b) {
    a = of(a);
    b = of(b);
    if (a >= 0 && b >= 0) leader_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  const ModelDescription& model_;
  std::vector<Index> leader_, by_velocity_;
};

// Return the group of an element between two markers, or on a velocity.
template <typename Element>
Index group_of(const Element& element, const Bodies& bodies) {
  if constexpr (requires { element.velocity; }) {
    if constexpr (requires { element.marker_1; }) {
      if (element.marker_1 < 0) return bodies.of_velocity(element.velocity);
    } else {
      return bodies.of_velocity(element.velocity);
    }
  }
  if constexpr (requires { element.marker_1; }) {
    const Index group = bodies.of_marker(element.marker_1);
    return group >= 0 ? group : bodies.of_marker(element.marker_2);
  }
}

template <typename Elements>
void join_by(const Elements& elements, const ModelDescription& model, Bodies& bodies) {
  for (const auto& element : elements) {
    if (element.marker_1 < 0) continue;
    bodies.join(model.markers[at(element.marker_1)].body, model.markers[at(element.marker_2)].body);
  }
}

// Return a velocity of each clique that the two sides of a contact belong to. Empty if both are the
// ground.
template <typename Element>
std::vector<Index> velocities_of(const Element& element, const Bodies& bodies,
                                 const std::vector<Index>& velocity_of) {
  std::vector<Index> velocities;
  const auto add = [&](Index group) {
    if (group >= 0 && velocity_of[at(group)] >= 0) velocities.push_back(velocity_of[at(group)]);
  };
  bool on_markers = false;
  if constexpr (requires { element.marker_1; }) {
    on_markers = element.marker_1 >= 0;
    if (on_markers) {
      add(bodies.of_marker(element.marker_1));
      add(bodies.of_marker(element.marker_2));
    }
  }
  if constexpr (requires { element.velocity; }) {
    if (!on_markers) velocities.push_back(element.velocity);
  }
  return velocities;
}

// Join the bodies on which each force element acts.
void join_by_forces(const ModelDescription& model, Bodies& bodies) {
  for (const PlacedForce& force : model.forces) {
    Index first = -1;
    const auto add = [&](Index group) {
      if (first >= 0) bodies.join(first, group);
      first = first >= 0 ? first : group;
    };
    for (const Index marker : force.markers) add(bodies.of_marker(marker));
    for (const JointPlace& joint : force.joints) add(bodies.of_velocity(joint.velocity));
  }
}

Index group_of_force(const PlacedForce& force, const Bodies& bodies) {
  for (const Index marker : force.markers) {
    if (const Index group = bodies.of_marker(marker); group >= 0) return group;
  }
  return force.joints.empty() ? -1 : bodies.of_velocity(force.joints.front().velocity);
}

// Builder of one part: the elements of the model that belong to a group, with their own indices.
struct PartBuilder {
  PartBuilder(const ModelDescription& whole, const Bodies& bodies, Index group_)
      : model(whole), groups(bodies), group(group_), markers(whole.markers.size(), -1) {}

  bool belongs(Index group_of_element) const { return group_of_element == group; }

  void add_bodies() {
    const Tree& tree = *model.tree;
    std::vector<BodyDescription> descriptions;
    std::vector<Index> numbers(at(tree.bodies()), -1);
    q_places.assign(at(tree.nq()), -1);
    u_places.assign(at(tree.nu()), -1);
    for (Index i = 0; i < tree.bodies(); ++i) {
      if (!groups.is_ground(i) && groups.of(i) != group) continue;
      numbers[at(i)] = static_cast<Index>(descriptions.size());
      descriptions.push_back(tree.body(i));
      const Link& link = tree.links()[at(tree.link(i))];
      for (Index k = 0; k < link.joint->nq() + link.n_el; ++k) {
        q_places[at(link.first_q + k)] = static_cast<Index>(part.q.size());
        part.q.push_back(link.first_q + k);
      }
      for (Index k = 0; k < link.velocities(); ++k) {
        u_places[at(link.first_u_user + k)] = static_cast<Index>(part.u.size());
        part.u.push_back(link.first_u_user + k);
      }
    }
    description.tree = std::make_shared<Tree>(std::move(descriptions), tree.gravity());
    for (std::size_t k = 0; k < model.markers.size(); ++k) {
      Marker marker = model.markers[k];
      if (marker.body >= 0 && numbers[at(marker.body)] < 0) continue;
      if (marker.body >= 0) marker.body = numbers[at(marker.body)];
      markers[k] = static_cast<Index>(description.markers.size());
      description.markers.push_back(marker);
    }
  }

  template <typename Element>
  Element moved(Element element) const {
    if constexpr (requires { element.marker_1; }) {
      if (element.marker_1 >= 0) {
        element.marker_1 = markers[at(element.marker_1)];
        element.marker_2 = markers[at(element.marker_2)];
      }
    }
    if constexpr (requires { element.coordinate; }) {
      if (element.coordinate >= 0) element.coordinate = q_places[at(element.coordinate)];
    }
    if constexpr (requires { element.velocity; }) {
      if (element.velocity >= 0) element.velocity = u_places[at(element.velocity)];
    }
    return element;
  }

  // Return the contact with the boundaries it needs.
  ContourContact moved_contact(const ContourContact& contact) {
    ContourContact result = moved(contact);
    for (Index* boundary : {&result.boundary_1, &result.boundary_2}) {
      if (*boundary < 0) continue;
      Boundary own = model.boundaries[at(*boundary)];
      own.marker = markers[at(own.marker)];
      for (Index& node : own.nodes) node = markers[at(node)];
      *boundary = static_cast<Index>(description.boundaries.size());
      description.boundaries.push_back(std::move(own));
    }
    return result;
  }

  PlacedForce moved_force(PlacedForce force) const {
    for (Index& marker : force.markers) marker = markers[at(marker)];
    for (JointPlace& joint : force.joints) {
      joint = {q_places[at(joint.coordinate)], u_places[at(joint.velocity)]};
    }
    return force;
  }

  const ModelDescription& model;
  const Bodies& groups;
  Index group;
  std::vector<Index> markers, q_places, u_places;  // indices in the part; -1: absent
  ModelDescription description;
  SystemPart part;
};

}  // namespace

void ModelSystem::find_cliques() {
  Bodies bodies(model_);
  join_by(model_.loops, model_, bodies);
  const Tree& tree = *model_.tree;
  std::vector<Index> of_velocity(at(tree.nu())), velocity_of(at(tree.bodies()), -1);
  for (Index k = 0; k < tree.nu(); ++k) {
    const Index group = bodies.of_velocity(k);
    of_velocity[at(k)] = group;
    velocity_of[at(group)] = k;
  }
  std::vector<std::vector<Index>> contacts;
  for (const ContourContact& contact : model_.contacts) {
    contacts.resize(contacts.size() + at(contact.points),
                    velocities_of(contact, bodies, velocity_of));
  }
  for (const JointStop& stop : model_.stops) {
    contacts.push_back(velocities_of(stop, bodies, velocity_of));
  }
  for (const JointFriction& friction : model_.friction) {
    contacts.push_back(velocities_of(friction, bodies, velocity_of));
  }
  for (const SurfaceContact& surface : model_.surfaces) {
    contacts.push_back(velocities_of(surface, bodies, velocity_of));
  }
  for (const ShapePair& pair : model_.shape_pairs) {
    contacts.resize(contacts.size() + at(feature_slots(*pair.shape_1, *pair.shape_2)),
                    velocities_of(pair, bodies, velocity_of));
  }
  for (Index i = resistances_.first(); i < nc(); ++i) {
    contacts.push_back(contacts[at(rows().required_by(i))]);
  }
  cliques_ = Cliques(of_velocity, contacts);
  clique_links_.resize(at(cliques_.count()));
  // In depth-first order, a tree extends from its root to the next root.
  std::vector<bool> moves(tree.links().size(), false);
  std::pair<Index, Index>* last = nullptr;
  for (std::size_t j = 0; j < tree.links().size(); ++j) {
    const Link& link = tree.links()[j];
    const bool hangs = link.parent >= 0 && moves[at(link.parent)];
    moves[j] = hangs || link.velocities() > 0;
    if (!moves[j]) continue;
    if (!hangs) {
      auto& links = clique_links_[at(cliques_.of_velocity(link.first_u_user))];
      links.emplace_back(static_cast<Index>(j), 0);
      last = &links.back();
    }
    last->second = static_cast<Index>(j) + 1;
  }
}

std::vector<std::vector<Index>> ModelSystem::loaded() const {
  Bodies bodies(model_);
  join_by(model_.loops, model_, bodies);
  join_by_forces(model_, bodies);
  join_by(model_.switching, model_, bodies);
  std::vector<std::vector<Index>> groups(at(model_.tree->bodies()));
  std::vector<bool> is_loaded(groups.size(), kind_ == Kind::Whole);
  const auto load = [&](Index group) {
    if (group >= 0) is_loaded[at(group)] = true;
  };
  for (const PlacedForce& force : model_.forces) load(group_of_force(force, bodies));
  for (const SwitchingElement& element : model_.switching) load(group_of(element, bodies));
  for (Index clique = 0; clique < cliques_.count(); ++clique) {
    const Index group = bodies.of_velocity(cliques_.members(clique).front().first);
    if (is_loaded[at(group)]) groups[at(group)].push_back(clique);
  }
  std::erase_if(groups, [](const std::vector<Index>& group) { return group.empty(); });
  return groups;
}

void ModelSystem::find_free_bodies() {
  const Tree& tree = *model_.tree;
  std::vector<bool> is_held(tree.links().size(), false);
  for (const LoopRow& loop : model_.loops) {
    for (const Index marker : {loop.marker_1, loop.marker_2}) {
      const Index body = model_.markers[at(marker)].body;
      if (body >= 0) is_held[at(tree.link(body))] = true;
    }
  }
  for (std::size_t j = 0; j < is_held.size(); ++j) {
    const Link& link = tree.links()[j];
    const bool is_alone = link.parent < 0 && !link.has_children && link.elastic < 0;
    if (!is_alone || is_held[j] || !(link.mass > 0.0) ||
        !dynamic_cast<const FreeJoint*>(link.joint))
      continue;
    const Vector3 c = link.moment / link.mass;
    const Matrix3 about_S =
        link.inertia - link.mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
    free_bodies_.push_back({link.first_q, link.first_u_user, c, about_S});
  }
}

std::vector<SystemPart> ModelSystem::split(std::size_t fewest) const {
  // Shapes may touch anywhere.
  if (has_user_functions(model_) || !model_.shapes.shapes.empty()) return {};
  Bodies bodies(model_);
  join_by(model_.loops, model_, bodies);
  join_by_forces(model_, bodies);
  join_by(model_.switching, model_, bodies);
  join_by(model_.contacts, model_, bodies);
  join_by(model_.stops, model_, bodies);
  join_by(model_.surfaces, model_, bodies);
  join_by(model_.shape_pairs, model_, bodies);
  std::vector<Index> groups;
  for (Index i = 0; i < model_.tree->bodies(); ++i) {
    if (!bodies.is_ground(i) && bodies.of(i) == i) groups.push_back(i);
  }
  if (groups.size() < fewest) return {};
  std::vector<SystemPart> parts;
  for (const Index group : groups) {
    PartBuilder builder(model_, bodies, group);
    builder.add_bodies();
    ModelDescription& description = builder.description;
    description.discontinuities = model_.discontinuities;
    // Elements between bodies of the ground belong to the first part.
    const auto is_here = [&](const auto& element) {
      const Index of_element = group_of(element, bodies);
      return of_element == group || (of_element < 0 && group == groups.front());
    };
    for (std::size_t k = 0; k < model_.loops.size(); ++k) {
      if (!is_here(model_.loops[k])) continue;
      description.loops.push_back(builder.moved(model_.loops[k]));
      builder.part.constraints.push_back(static_cast<Index>(k));
    }
    std::vector<Index> watched;
    for (std::size_t k = 0; k < model_.forces.size(); ++k) {
      const Index of_force = group_of_force(model_.forces[k], bodies);
      if (of_force != group && !(of_force < 0 && group == groups.front())) continue;
      description.forces.push_back(builder.moved_force(model_.forces[k]));
      const StatePlaces& place = state_places_[k];
      for (Index i = 0; i < place.own + place.modes; ++i) builder.part.x.push_back(place.first + i);
      for (Index i = 0; i < place.modes; ++i) watched.push_back(place.watched + i);
    }
    for (std::size_t k = 0; k < model_.switching.size(); ++k) {
      if (!is_here(model_.switching[k])) continue;
      description.switching.push_back(builder.moved(model_.switching[k]));
      builder.part.elements.push_back(static_cast<Index>(k));
      const Index place = wall(static_cast<Index>(k));
      if (place >= 0) builder.part.x.push_back(place);
    }
    builder.part.elements.insert(builder.part.elements.end(), watched.begin(), watched.end());
    for (std::size_t k = 0; k < model_.contacts.size(); ++k) {
      if (!is_here(model_.contacts[k])) continue;
      description.contacts.push_back(builder.moved_contact(model_.contacts[k]));
      for (Index p = 0; p < model_.contacts[k].points; ++p) {
        builder.part.contacts.push_back(first_slot_[k] + p);
      }
    }
    for (std::size_t k = 0; k < model_.stops.size(); ++k) {
      if (!is_here(model_.stops[k])) continue;
      description.stops.push_back(builder.moved(model_.stops[k]));
      builder.part.contacts.push_back(first_stop_ + static_cast<Index>(k));
    }
    for (std::size_t k = 0; k < model_.friction.size(); ++k) {
      if (!is_here(model_.friction[k])) continue;
      description.friction.push_back(builder.moved(model_.friction[k]));
      builder.part.contacts.push_back(first_friction_ + static_cast<Index>(k));
    }
    for (std::size_t k = 0; k < model_.surfaces.size(); ++k) {
      if (!is_here(model_.surfaces[k])) continue;
      description.surfaces.push_back(builder.moved(model_.surfaces[k]));
      builder.part.contacts.push_back(first_surface_ + static_cast<Index>(k));
    }
    Index slot = first_surface_ + static_cast<Index>(model_.surfaces.size());
    for (const ShapePair& pair : model_.shape_pairs) {
      const Index end = slot + feature_slots(*pair.shape_1, *pair.shape_2);
      if (is_here(pair)) {
        description.shape_pairs.push_back(builder.moved(pair));
        for (Index i = slot; i < end; ++i) builder.part.contacts.push_back(i);
      }
      slot = end;
    }
    const std::size_t own = builder.part.contacts.size();
    for (std::size_t k = 0; k < own; ++k) {
      const Index i = builder.part.contacts[k];
      for (const Index resistance : {resistances_.rolling(i), resistances_.drilling(i)}) {
        if (resistance >= 0) builder.part.contacts.push_back(resistance);
      }
    }
    builder.part.system = std::make_shared<ModelSystem>(std::move(description));
    parts.push_back(std::move(builder.part));
  }
  return parts;
}

}  // namespace nsmb
