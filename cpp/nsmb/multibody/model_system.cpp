#include "nsmb/multibody/model_system.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/dynamics.hpp"
#include "nsmb/multibody/model_derivatives.hpp"
#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

namespace {

// Measured: with fewer velocities, the entries of M and Cholesky factorisation are as fast.
constexpr Index kManyVelocities = 16;

void check_place(const std::string& what, Index place, std::size_t size) {
  if (place >= 0 && place < static_cast<Index>(size)) return;
  reject(what, "an index below " + std::to_string(size), std::to_string(place));
}

// Check an element between two markers, or on a joint coordinate.
template <typename Element>
void check_element_place(const std::string& what, const Element& element,
                         const ModelDescription& model) {
  if (element.marker_1 < 0) {
    check_place(what + ": coordinate", element.coordinate,
                static_cast<std::size_t>(model.tree->nq()));
    check_place(what + ": velocity", element.velocity, static_cast<std::size_t>(model.tree->nu()));
  } else {
    check_place(what + ": marker_1", element.marker_1, model.markers.size());
    check_place(what + ": marker_2", element.marker_2, model.markers.size());
  }
}

void check_contact(const ContourContact& contact, std::size_t markers) {
  const std::string what = "contact '" + contact.name + "'";
  check_place(what + ": marker_1", contact.marker_1, markers);
  check_place(what + ": marker_2", contact.marker_2, markers);
  if (!contact.contour_1 || !contact.contour_2) reject(what, "two contours", "none");
  check_positive(what + ": points", static_cast<double>(contact.points));
  check_positive(what + ": search_distance", contact.search_distance);
  check_positive(what + ": skin", contact.skin);
  if (contact.law.mu_D != 0.0) {
    reject(what + ": mu_D", "0 in a plane, where nothing turns about the normal",
           to_text(contact.law.mu_D));
  }
  if (contact.law.mu_R != 0.0 && (contact.boundary_1 >= 0 || contact.boundary_2 >= 0)) {
    reject(what + ": mu_R", "0 for contours that deform, whose points turn differently",
           to_text(contact.law.mu_R));
  }
}

void check_boundary(const Boundary& boundary, std::size_t markers) {
  const std::string what = "boundary '" + boundary.name + "'";
  check_place(what + ": marker", boundary.marker, markers);
  for (const Index node : boundary.nodes) check_place(what + ": node", node, markers);
  if (!boundary.chain) reject(what + ": chain", "a chain", "none");
  const auto corners = static_cast<std::size_t>(boundary.chain->vertices());
  if (boundary.nodes.size() != corners) {
    reject(what + ": nodes", std::to_string(corners), std::to_string(boundary.nodes.size()));
  }
}

// Check that the contour belongs to the boundary.
void check_deformed(const std::string& what, Index boundary, const Contour* contour, Index marker,
                    const std::vector<Boundary>& boundaries) {
  if (boundary < 0) return;
  check_place(what, boundary, boundaries.size());
  const Boundary& own = boundaries[static_cast<std::size_t>(boundary)];
  if (own.chain.get() != contour || own.marker != marker) {
    reject(what, "the boundary of its contour and marker", "boundary '" + own.name + "'");
  }
}

void check_force(const PlacedForce& force, const ModelDescription& model) {
  const std::string what = "force '" + force.name + "'";
  if (!force.element) reject(what, "a force element", "none");
  const auto check_count = [&](const std::string& of, std::size_t wanted, std::size_t given) {
    if (wanted == given) return;
    reject(what + ": " + of, std::to_string(wanted), std::to_string(given));
  };
  check_count("markers", force.element->markers(), force.markers.size());
  check_count("joints", force.element->joints(), force.joints.size());
  for (const Index marker : force.markers) {
    check_place(what + ": marker", marker, model.markers.size());
  }
  for (const JointPlace& joint : force.joints) {
    check_place(what + ": coordinate", joint.coordinate,
                static_cast<std::size_t>(model.tree->nq()));
    check_place(what + ": velocity", joint.velocity, static_cast<std::size_t>(model.tree->nu()));
  }
  const Index least = force.element->least_inputs();
  if (least > 0) check_place(what + ": input", least - 1, model.inputs.size());
  const std::size_t states = force.element->states().size();
  check_count("initial states", states, static_cast<std::size_t>(force.element->initial().size()));
  check_finite(what + ": initial states", force.element->initial());
}

void check_model(const ModelDescription& model) {
  if (!model.tree) reject("tree", "a tree of bodies", "none");
  const std::size_t markers = model.markers.size();
  for (const Marker& marker : model.markers) {
    if (marker.body != -1) {
      check_place("marker: body", marker.body, static_cast<std::size_t>(model.tree->bodies()));
    }
  }
  for (const LoopRow& row : model.loops) {
    check_place("loop '" + row.name + "': marker_1", row.marker_1, markers);
    check_place("loop '" + row.name + "': marker_2", row.marker_2, markers);
    check_place("loop '" + row.name + "': axis", row.first, 3);
    check_place("loop '" + row.name + "': axis", row.second, 3);
    if (row.kind == LoopRow::Kind::Distance)
      check_positive("loop '" + row.name + "': length", row.length);
    if (row.kind == LoopRow::Kind::OnCurve && (!row.curve || row.curve->pieces() != 1))
      reject("loop '" + row.name + "': curve", "a curve of one smooth piece", "another curve");
  }
  for (const PlacedForce& force : model.forces) check_force(force, model);
  for (const SwitchingElement& element : model.switching) {
    check_element_place("force '" + element.law.name + "'", element, model);
  }
  for (const Boundary& boundary : model.boundaries) check_boundary(boundary, markers);
  for (const ContourContact& contact : model.contacts) {
    check_contact(contact, markers);
    const std::string what = "contact '" + contact.name + "': boundary_";
    check_deformed(what + "1", contact.boundary_1, contact.contour_1.get(), contact.marker_1,
                   model.boundaries);
    check_deformed(what + "2", contact.boundary_2, contact.contour_2.get(), contact.marker_2,
                   model.boundaries);
  }
  for (const SurfaceContact& surface : model.surfaces) {
    check_place("contact '" + surface.name + "': marker_1", surface.marker_1, markers);
    check_place("contact '" + surface.name + "': marker_2", surface.marker_2, markers);
    check_surfaces(surface);
  }
  for (const ShapePair& pair : model.shape_pairs) {
    check_place("contact '" + pair.name + "': marker_1", pair.marker_1, markers);
    check_place("contact '" + pair.name + "': marker_2", pair.marker_2, markers);
    check_shape_pair(pair);
  }
  for (const JointStop& stop : model.stops) {
    check_element_place("stop '" + stop.name + "'", stop, model);
    check_finite("stop '" + stop.name + "': limit", stop.limit);
    if (stop.law.mu_R != 0.0 || stop.law.mu_D != 0.0) {
      reject("stop '" + stop.name + "': mu_R, mu_D", "0, since nothing rolls", "other values");
    }
    if (std::abs(stop.direction) != 1.0) {
      reject("stop '" + stop.name + "': direction", "1 or -1", to_text(stop.direction));
    }
  }
  for (const JointFriction& friction : model.friction) {
    check_place("friction '" + friction.name + "': velocity", friction.velocity,
                static_cast<std::size_t>(model.tree->nu()));
    check_range("friction '" + friction.name + "': bound", friction.bound, 0.0,
                std::numeric_limits<double>::infinity());
  }
}

std::string name_of_point(const std::string& contact, Index k, Index points) {
  std::string number;
  if (points > 1) number.append("[").append(std::to_string(k)).append("]");
  return contact + number;
}

SystemDescription describe(const ModelDescription& model) {
  check_model(model);
  SystemDescription d;
  d.coordinates = model.tree->coordinates();
  d.nu = model.tree->nu();
  for (const ContourContact& contact : model.contacts) {
    for (Index k = 0; k < contact.points; ++k) {
      d.contacts.push_back({name_of_point(contact.name, k, contact.points), contact.law});
    }
  }
  for (const JointStop& stop : model.stops) d.contacts.push_back({stop.name, stop.law});
  for (const JointFriction& friction : model.friction) {
    d.contacts.push_back({friction.name, {}, ContactKind::Friction});
  }
  for (const SurfaceContact& surface : model.surfaces) {
    d.contacts.push_back({surface.name, surface.law, ContactKind::Unilateral, 2});
  }
  for (const ShapePair& pair : model.shape_pairs) {
    const Index points = feature_slots(*pair.shape_1, *pair.shape_2);
    for (Index k = 0; k < points; ++k) {
      const std::string name = name_of_point(pair.name, k, points);
      d.contacts.push_back({name, pair.law, ContactKind::Unilateral, 2});
    }
  }
  ResistanceRows::describe(d.contacts);
  for (const SwitchingElement& element : model.switching) d.elements.push_back(element.law);
  for (const PlacedForce& force : model.forces) {
    for (const std::string& name : force.element->states()) {
      d.states.push_back(force.name + "." + name);
    }
    for (const WatchedFunction& watched : watched_of(*force.element)) {
      const std::string name = force.name + "." + watched.name;
      const auto place = static_cast<Index>(d.states.size());
      d.elements.push_back({name, ElementLaw::Watched, 0.0, 0.0, watched.resolution, place});
      d.states.push_back(name);
    }
  }
  for (const LoopRow& row : model.loops) d.constraints.push_back(row.name);
  d.discontinuities = model.discontinuities;
  d.inputs = model.inputs;
  return d;
}

}  // namespace

ModelWorkspace::ModelWorkspace(const ModelDescription& model)
    : tree(*model.tree),
      markers(*model.tree, model.markers, tree),
      t_(std::numeric_limits<double>::quiet_NaN()),
      q_(model.tree->nq()),
      u_(Vector::Zero(model.tree->nu())) {
  std::size_t points = 0;
  for (const ContourContact& contact : model.contacts) {
    points += static_cast<std::size_t>(contact.points);
  }
  slots.resize(points);
  for (const ShapePair& pair : model.shape_pairs) {
    const auto own = at(feature_slots(*pair.shape_1, *pair.shape_2));
    shape_pairs.slots.resize(shape_pairs.slots.size() + own);
  }
  std::size_t joints = 0, states = 0;
  for (const PlacedForce& force : model.forces) {
    elements.push_back(force.element->make_workspace());
    joints += force.joints.size();
    states += force.element->states().size() + watched_of(*force.element).size();
  }
  joint_forces.reserve(joints);
  x = xdot = Vector::Zero(static_cast<Index>(states));
  for (const Boundary& boundary : model.boundaries) boundaries.push_back(*boundary.chain);
}

void ModelWorkspace::deform(const ModelDescription& model) {
  for (std::size_t k = 0; k < boundaries.size(); ++k) {
    const Boundary& boundary = model.boundaries[k];
    const MarkerKinematics& frame = markers[static_cast<std::size_t>(boundary.marker)];
    points_.resize(2, static_cast<Index>(boundary.nodes.size()));
    for (std::size_t i = 0; i < boundary.nodes.size(); ++i) {
      const Vector3 d = markers[static_cast<std::size_t>(boundary.nodes[i])].r - frame.r;
      points_.col(static_cast<Index>(i)) = frame.A.leftCols<2>().transpose() * d;
    }
    boundaries[k].move_to(points_);
  }
}

ContourPair ModelWorkspace::contours(const ContourContact& contact) const {
  const auto contour = [&](Index boundary, const Contour& rigid) -> const Contour& {
    if (boundary < 0) return rigid;
    return boundaries[static_cast<std::size_t>(boundary)];
  };
  return {contour(contact.boundary_1, *contact.contour_1),
          contour(contact.boundary_2, *contact.contour_2)};
}

void ModelWorkspace::refit(const ContourContact& contact) {
  for (const Index boundary : {contact.boundary_1, contact.boundary_2}) {
    if (boundary >= 0) boundaries[static_cast<std::size_t>(boundary)].refit();
  }
}

void ModelWorkspace::update(const ModelDescription& model, double t, const ConstVectorRef& q,
                            const ConstVectorRef& u) {
  if (t == t_ && q == q_ && u == u_) return;
  t_ = std::numeric_limits<double>::quiet_NaN();  // a user function may throw during the update
  knows_rates = false;
  markers.leave();
  evaluate_state(*model.tree, t, q, u, tree);
  deform(model);
  t_ = t;
  q_ = q;
  u_ = u;
}

void ModelWorkspace::update(const ModelDescription& model, double t, const ConstVectorRef& q) {
  update(model, t, q, u_);
}

ModelWorkspace& model_workspace(SystemWorkspace& work) {
  return static_cast<ModelWorkspace&>(work);
}

Capabilities ModelSystem::offer(const ModelDescription& model, const ModelSystem* system) {
  Capabilities can;
  if (!model.tree->has_plain_rates()) can.coordinate_map = system;
  can.internal_states = system;
  for (const PlacedForce& force : model.forces) {
    if (force.element->may_be_stepped_over()) can.step_limits = system;
  }
  can.element_set = system;
  can.watched_functions = system;
  can.constraint_set = system;
  if (model.tree->nu() >= kManyVelocities) can.mass_solver = system;
  if (knows_derivatives(model)) can.derivatives = system;
  if (!model.contacts.empty() || !model.shape_pairs.empty()) can.feature_search = system;
  can.division = system;
  can.cliques = &system->cliques_;
  can.free_bodies = &system->free_bodies_;
  can.free_motion = system;
  if (!model.shapes.shapes.empty()) can.contact_finder = &system->shapes_;
  return can;
}

ModelSystem::ModelSystem(ModelDescription model)
    : System{describe(model), offer(model, this)}, model_(std::move(model)) {  // checked first
  for (std::size_t k = 0; k < model_.contacts.size(); ++k) {
    rules_.push_back(candidate_rule(model_.contacts[k]));
    rules_.back().first = noted_;
    noted_ += notes_of(model_.contacts[k]);
    first_slot_.push_back(static_cast<Index>(contact_of_.size()));
    const auto points = static_cast<std::size_t>(model_.contacts[k].points);
    contact_of_.insert(contact_of_.end(), points, static_cast<Index>(k));
  }
  first_stop_ = static_cast<Index>(contact_of_.size());
  resistances_ = ResistanceRows(rows());
  find_cliques();
  find_free_bodies();
  find_kind();
  shapes_ = ShapeContacts(model_, cliques_);
  first_friction_ = first_stop_ + static_cast<Index>(model_.stops.size());
  first_surface_ = first_friction_ + static_cast<Index>(model_.friction.size());
  contact_of_.resize(static_cast<std::size_t>(nc()), -1);
  shape_pairs_ =
      ShapePairs(model_, first_surface_ + static_cast<Index>(model_.surfaces.size()), noted_);
  noted_ += shape_pairs_.notes();
  Index place = 0, watched = static_cast<Index>(model_.switching.size());
  for (const PlacedForce& force : model_.forces) {
    calls_user_ = calls_user_ || force.element->calls_user();
    const auto own = static_cast<Index>(force.element->states().size());
    const auto modes = static_cast<Index>(watched_of(*force.element).size());
    state_places_.push_back({place, own, modes, watched});
    place += own + modes;
    watched += modes;
  }
}

ModelSystem::~ModelSystem() = default;

std::unique_ptr<SystemWorkspace> ModelSystem::make_workspace() const {
  return std::make_unique<ModelWorkspace>(model_);
}

void ModelSystem::mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                              SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  nsmb::mass_matrix(*model_.tree, w.tree, M);
}

void ModelSystem::factorise_mass(double t, const ConstVectorRef& q, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  const InertiaResult result = factorise_inertia(*model_.tree, w.tree);
  if (!result.ok()) {
    throw std::domain_error("mass matrix: velocity " + std::to_string(result.massless) +
                            " moves no mass at t = " + to_text(t) + " s");
  }
}

void ModelSystem::solve_mass(MatrixRef B, SystemWorkspace& work) const {
  solve_inertia(*model_.tree, model_workspace(work).tree, B);
}

void ModelSystem::solve_mass(Index clique, VectorRef b, SystemWorkspace& work) const {
  for (const auto& [first, end] : clique_links_[static_cast<std::size_t>(clique)]) {
    solve_inertia(*model_.tree, model_workspace(work).tree, first, end, b);
  }
}

void ModelSystem::contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                     ContactKinematics& contacts, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  if (contacts.asked) {
    for (const Index i : *contacts.asked) find_contact(i, t, q, w, contacts);
    return;
  }
  for (Index i = 0; i < nc(); ++i) find_contact(i, t, q, w, contacts);
  for (std::size_t k = 0; k < model_.contacts.size(); ++k) {
    if (rules_[k].permanent) continue;
    contacts.margin(first_slot_[k]) = 1.0 - way_used(static_cast<Index>(k), w, contacts.features);
  }
  shape_pairs_.find_margins(w, contacts);
}

void ModelSystem::find_contact(Index i, double t, const ConstVectorRef& q, ModelWorkspace& work,
                               ContactKinematics& contacts) const {
  if (resistances_.has(i)) return;  // found with the contact it belongs to
  if (shape_pairs_.has(i)) {
    shape_pairs_.find_contact(resistances_.place(rows(), i), work, contacts);
  } else if (i < first_stop_) {
    const ContourContact& contact = model_.contacts[at(contact_of(i))];
    contour_contact(model_, contact, t, work, i, contacts);
    if (const Index rolling = resistances_.rolling(i); rolling >= 0) {
      rolling_in_plane(work.markers[at(contact.marker_1)], work.markers[at(contact.marker_2)],
                       rows().tangent(rolling), contacts);
    }
  } else if (i < first_friction_) {
    joint_stop(model_.stops[at(i - first_stop_)], t, q, work, i, contacts);
  } else if (i < first_surface_) {
    const JointFriction& friction = model_.friction[at(i - first_friction_)];
    contacts.W_T.col(i).setZero();
    contacts.W_T(friction.velocity, i) = 1.0;
    contacts.bound(i) = friction.bound;
  } else {
    const SurfaceContact& surface = model_.surfaces[at(i - first_surface_)];
    surface_contact(surface, work.markers[at(surface.marker_1)], work.markers[at(surface.marker_2)],
                    resistances_.place(rows(), i), contacts);
  }
}

void ModelSystem::constraint_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                        ConstraintKinematics& constraints,
                                        SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  for (std::size_t k = 0; k < model_.loops.size(); ++k) {
    loop_row(model_.loops[k], w, static_cast<Index>(k), constraints);
  }
}

void ModelSystem::coordinate_rates(double /*t*/, const ConstVectorRef& q, const ConstVectorRef& u,
                                   VectorRef qdot, SystemWorkspace& /*work*/) const {
  model_.tree->coordinate_rates(q, u, qdot);
}

bool ModelSystem::normalise(VectorRef q) const { return model_.tree->normalise(q); }

void ModelSystem::element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                                     SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  for (std::size_t k = 0; k < model_.switching.size(); ++k) {
    const SwitchingElement& element = model_.switching[k];
    const auto i = static_cast<Index>(k);
    if (element.marker_1 < 0) {
      e.gamma(i) = element.direction * (q(element.coordinate) - element.rest);
      e.W.col(i).setZero();
      e.W(element.velocity, i) = element.direction;
      e.w_tilde(i) = 0.0;
      continue;
    }
    const MarkerKinematics& first = w.markers[static_cast<std::size_t>(element.marker_1)];
    const MarkerKinematics& second = w.markers[static_cast<std::size_t>(element.marker_2)];
    const Line line(first, second);
    e.gamma(i) = line.distance - element.rest;
    relative_direction(first, second, &MarkerKinematics::J_S, line.e, e.W.col(i));
    e.w_tilde(i) = line.e.dot(second.j_tilde_S - first.j_tilde_S);
  }
}

}  // namespace nsmb
