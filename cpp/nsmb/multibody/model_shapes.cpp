// Contacts of shapes: pairs that may touch, contact points and directions.
#include "nsmb/multibody/model_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/broad_phase.hpp"
#include "nsmb/geometry/shape_sweep.hpp"
#include "nsmb/multibody/body_columns.hpp"
#include "nsmb/multibody/model_workspace.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

using PairOfNumbers = BroadPhase::Pair;

}  // namespace

struct ShapeScratch {
  std::vector<ShapeMotion> motions;
  std::vector<Bounds> boxes;
  BroadPhase broad;
  ContactScratch contact;
  std::vector<ShapeContact> points;
  // Pairs of the last search and their hints, in the same order.
  std::vector<PairOfNumbers> pairs, last_pairs;
  std::vector<PairHint> hints, last_hints;
  // Scratch data of moving shapes.
  BroadPhase fast_pairs;
  ShapeSweep sweep;
  std::vector<char> is_slow, is_still;
};

std::shared_ptr<ShapeScratch> make_shape_scratch() { return std::make_shared<ShapeScratch>(); }

namespace {

// Return a mixed identity that is unlikely to be the same for two pairs of features. The
// probability is about 3e-10 for a hundred thousand simultaneous contacts.
ContactIdentity identity_of(Index first, Index second, const ShapeContact& point) {
  ContactIdentity x = 0;
  for (const Index part : {first, second, point.feature_1, point.feature_2}) {
    x += static_cast<ContactIdentity>(part) + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
  }
  return x;
}

Matrix3 axes_of(const Vector3& n) {
  const Vector3 side = std::abs(n.x()) < 0.8 ? Vector3::UnitX() : Vector3::UnitY();
  Matrix3 axes;
  axes.col(0) = n;
  axes.col(1) = (side - side.dot(n) * n).normalized();
  axes.col(2) = n.cross(axes.col(1));
  return axes;
}

// Return the speed due to rotation, which is unbounded for an infinite shape.
double turning_speed(double speed, double reach) { return speed == 0.0 ? 0.0 : speed * reach; }

// Return a bound of the speed at which points of the two approach, m/s. Seen from one shape, the
// origin of the other moves, and all its points rotate about this origin.
double approach_speed(const ShapeMotion& a, double reach_a, const ShapeMotion& b, double reach_b) {
  const Vector3 d = b.pose.r - a.pose.r, v = b.v - a.v;
  const double turn = (b.Omega - a.Omega).norm();
  const double from_a = (v - a.Omega.cross(d)).norm() + turning_speed(turn, reach_b);
  const double from_b = (v - b.Omega.cross(d)).norm() + turning_speed(turn, reach_a);
  return std::min(from_a, from_b);
}

}  // namespace

ShapeContacts::ShapeContacts(const ModelDescription& model, const Cliques& cliques)
    : model_(&model), cliques_(&cliques) {
  const ShapeSet& set = model.shapes;
  const Tree& tree = *model.tree;
  for (std::size_t k = 0; k < set.laws.size(); ++k) {
    check_law("law " + std::to_string(k), set.laws[k]);
  }
  materials_ = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(set.law_of.size()))));
  if (at(materials_ * materials_) != set.law_of.size()) {
    reject("law_of", "a law for each pair of materials",
           std::to_string(set.law_of.size()) + " laws");
  }
  for (const Index law : set.law_of) {
    if (law < -1 || law >= static_cast<Index>(set.laws.size())) {
      reject("law_of", "indices of laws or -1", std::to_string(law));
    }
  }
  std::vector<Index> group(tree.links().size()), clique(tree.links().size());
  for (std::size_t j = 0; j < tree.links().size(); ++j) {
    const Link& link = tree.links()[j];
    const bool moves = link.velocities() > 0 || link.kind == JointKind::Node;
    group[j] = moves ? static_cast<Index>(j) : link.parent < 0 ? -1 : group[at(link.parent)];
    clique[j] = link.velocities() > 0 ? cliques.of_velocity(link.first_u_user)
                : link.parent < 0     ? -1
                                      : clique[at(link.parent)];
  }
  for (const PlacedShape& shape : set.shapes) {
    const std::string what = "shape '" + shape.name + "'";
    if (!shape.shape) reject(what, "a shape", "none");
    if (shape.place.body < -1 || shape.place.body >= tree.bodies()) {
      reject(what + ": body", "a body of the tree or -1", std::to_string(shape.place.body));
    }
    if (shape.material < 0 || shape.material >= materials_) {
      reject(what + ": material", "an index below " + std::to_string(materials_),
             std::to_string(shape.material));
    }
    Body body;
    body.reach = reach_of(*shape.shape);
    body.depth = depth_of(*shape.shape);
    body.frame = shape.place.frame;
    if (shape.place.body >= 0) {
      body.link = tree.link(shape.place.body);
      body.group = group[at(body.link)];
      body.clique = clique[at(body.link)];
      const Frame& own = tree.links()[at(body.link)].frame;
      body.frame = {own.A.transpose() * (shape.place.frame.r - own.r),
                    own.A.transpose() * shape.place.frame.A};
    }
    is_fixed_.push_back(body.clique < 0);
    bodies_.push_back(body);
    names_.push_back(shape.name);
  }
  share_depths();
  for (const auto& [a, b] : set.apart) apart_.emplace_back(std::min(a, b), std::max(a, b));
  std::sort(apart_.begin(), apart_.end());
  place_in_clique_.resize(at(tree.nu()));
  for (Index c = 0; c < cliques.count(); ++c) {
    Index place = 0;
    for (const VelocityRange& range : cliques.members(c)) {
      for (Index k = 0; k < range.size; ++k) place_in_clique_[at(range.first + k)] = place++;
    }
  }
}

void ShapeContacts::share_depths() {
  const std::vector<PlacedShape>& shapes = model_->shapes.shapes;
  const bool has_surfaces = std::any_of(shapes.begin(), shapes.end(), [](const PlacedShape& s) {
    return s.shape->kind() >= ShapeKind::HeightField;
  });
  double least = std::numeric_limits<double>::infinity();
  if (has_surfaces) {
    for (const Body& body : bodies_) least = std::min(least, body.depth);
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    bodies_[i].share = share_of_depth(*shapes[i].shape, bodies_[i].depth, least);
  }
}

const std::vector<UnilateralContact>& ShapeContacts::surface_laws() const {
  return model_->shapes.laws;
}

bool ShapeContacts::may_touch(Index i, Index k) const {
  const PlacedShape &a = model_->shapes.shapes[at(i)], &b = model_->shapes.shapes[at(k)];
  if (!(a.group & b.mask) || !(b.group & a.mask)) return false;
  if (model_->shapes.law_of[at(a.material * materials_ + b.material)] < 0) return false;
  if (a.owner == b.owner || bodies_[at(i)].group == bodies_[at(k)].group) return false;
  if (!can_touch(a.shape->kind(), b.shape->kind())) return false;
  const std::pair owners{std::min(a.owner, b.owner), std::max(a.owner, b.owner)};
  return apart_.empty() || !std::binary_search(apart_.begin(), apart_.end(), owners);
}

TouchingShapes ShapeContacts::in_order(Index i, Index k) const {
  const PlacedShape &a = model_->shapes.shapes[at(i)], &b = model_->shapes.shapes[at(k)];
  const Index law = model_->shapes.law_of[at(a.material * materials_ + b.material)];
  return a.shape->kind() > b.shape->kind() ? TouchingShapes{k, i, law} : TouchingShapes{i, k, law};
}

std::vector<TouchingShapes> ShapeContacts::pairs() const {
  std::vector<TouchingShapes> found;
  const auto n = static_cast<Index>(bodies_.size());
  for (Index i = 0; i < n; ++i) {
    for (Index k = i + 1; k < n; ++k) {
      if (is_fixed_[at(i)] && is_fixed_[at(k)]) continue;
      if (may_touch(i, k)) found.push_back(in_order(i, k));
    }
  }
  return found;
}

// Compute poses, and boxes that extend half the margin beyond the volume swept in a step.
void ShapeContacts::place(const ModelWorkspace& work, double margin, double step,
                          ShapeScratch& scratch) const {
  scratch.motions.resize(bodies_.size());
  scratch.boxes.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    ShapeMotion& motion = scratch.motions[i];
    motion.pose = {body.frame.r, body.frame.A};
    if (body.link >= 0) {
      const LinkState& link = work.tree.links[at(body.link)];
      const Vector3 arm = link.A * body.frame.r;
      motion.pose = {link.r + arm, link.A * body.frame.A};
      motion.Omega = link.v.R;
      motion.v = link.v.T + link.v.R.cross(arm);
    }
    Bounds& box = scratch.boxes[i];
    box = model_->shapes.shapes[i].shape->bounds(motion.pose);
    box.widen(0.5 * margin);
    if (step > 0.0) {
      box = swept(box, step * motion.v);
      box.widen(step * turning_speed(motion.Omega.norm(), body.reach));
    }
  }
}

// Return flags of shapes at rest. Two such shapes are not a pair.
const std::vector<char>& ShapeContacts::still(const std::vector<char>* at_rest,
                                              ShapeScratch& scratch) const {
  if (!at_rest) return is_fixed_;
  scratch.is_still.resize(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Index clique = bodies_[i].clique;
    const ShapeMotion& motion = scratch.motions[i];
    scratch.is_still[i] =
        (clique < 0 || (*at_rest)[at(clique)]) && motion.v.isZero(0.0) && motion.Omega.isZero(0.0);
  }
  return scratch.is_still;
}

void ShapeContacts::find_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                  double margin, double step, const std::vector<char>* at_rest,
                                  ContactSet& found, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(*model_, t, q, u);
  found.clear();
  if (!w.shapes) w.shapes = make_shape_scratch();
  ShapeScratch& scratch = *w.shapes;
  place(w, margin, step, scratch);
  std::swap(scratch.pairs, scratch.last_pairs);
  std::swap(scratch.hints, scratch.last_hints);
  scratch.pairs.clear();
  scratch.hints.clear();
  const std::vector<PlacedShape>& shapes = model_->shapes.shapes;
  std::size_t last = 0;
  for (const PairOfNumbers& pair : scratch.broad.find(scratch.boxes, still(at_rest, scratch))) {
    if (is_fixed_[at(pair.first)] && is_fixed_[at(pair.second)]) continue;
    if (!may_touch(pair.first, pair.second)) continue;
    while (last < scratch.last_pairs.size() && scratch.last_pairs[last] < pair) ++last;
    const bool known = last < scratch.last_pairs.size() && scratch.last_pairs[last] == pair;
    scratch.pairs.push_back(pair);
    scratch.hints.push_back(known ? scratch.last_hints[last] : PairHint{});
    const auto [first, second, law] = in_order(pair.first, pair.second);
    const PlacedShape &a = shapes[at(first)], &b = shapes[at(second)];
    const ShapeMotion &move_a = scratch.motions[at(first)], &move_b = scratch.motions[at(second)];
    double way = 0.0;
    if (step > 0.0) {
      way = step *
            approach_speed(move_a, bodies_[at(first)].reach, move_b, bodies_[at(second)].reach);
    }
    scratch.points.clear();
    contact_points(*a.shape, move_a.pose, *b.shape, move_b.pose, margin + way, scratch.contact,
                   &scratch.hints.back(), scratch.points);
    for (const ShapeContact& point : scratch.points) {
      add_contact(first, second, law, point, w, found);
    }
  }
}

// Only pairs with a fast shape are checked, since two slow shapes cannot pass through each other.
TouchOnTheWay ShapeContacts::first_touch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                         double gap_tolerance, double step, double look,
                                         SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(*model_, t, q, u);
  if (!w.shapes) w.shapes = make_shape_scratch();
  ShapeScratch& scratch = *w.shapes;
  place(w, gap_tolerance, step, scratch);
  const std::vector<PlacedShape>& shapes = model_->shapes.shapes;
  const auto moving = [&](Index i) {
    const Body& body = bodies_[at(i)];
    return MovingShape{*shapes[at(i)].shape, scratch.motions[at(i)], body.reach, body.depth,
                       body.share};
  };
  scratch.is_slow.resize(bodies_.size());
  bool all_slow = true;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const bool fast = ShapeSweep::is_fast(moving(static_cast<Index>(i)), step);
    scratch.is_slow[i] = !fast;
    all_slow = all_slow && !fast;
  }
  TouchOnTheWay first;
  if (all_slow) return first;
  const StepWindow window{step, look, gap_tolerance};
  for (const PairOfNumbers& pair : scratch.fast_pairs.find(scratch.boxes, scratch.is_slow)) {
    if (!may_touch(pair.first, pair.second)) continue;
    const PairTouch touch = scratch.sweep.touch(moving(pair.first), moving(pair.second), window);
    if (!touch.exists()) continue;
    first.time = std::min(first.time, touch.time);
    first.brief = std::min(first.brief, touch.brief);
  }
  return first;
}

// γ = Wᵀu + w̃ contains the velocity of body 2 relative to body 1 at the contact, and its rotation.
void ShapeContacts::add_contact(Index first, Index second, Index law, const ShapeContact& point,
                                const ModelWorkspace& work, ContactSet& found) const {
  const Body &one = bodies_[at(first)], &two = bodies_[at(second)];
  const UnilateralContact& surface = model_->shapes.laws[at(law)];
  FoundContact contact;
  contact.identity = identity_of(first, second, point);
  contact.shape_1 = first;
  contact.shape_2 = second;
  contact.law = law;
  contact.g_N = point.g_N;
  contact.point = 0.5 * (point.r_1 + point.r_2);
  contact.axes = axes_of(point.normal);
  const Index turns = surface.mu_R > 0.0 ? 2 : 0, drills = surface.mu_D > 0.0 ? 1 : 0;
  contact.rows = 3 + turns + drills;
  contact.first_row = found.rows();
  const std::size_t entries = found.entries.size();
  contact.cliques = {one.clique, two.clique};
  if (contact.cliques[0] > contact.cliques[1]) std::swap(contact.cliques[0], contact.cliques[1]);
  if (contact.cliques[0] < 0) contact.cliques = {contact.cliques[1], -1};
  if (contact.cliques[0] == contact.cliques[1]) contact.cliques[1] = -1;
  for (std::size_t c = 0; c < 2 && contact.cliques[c] >= 0; ++c) {
    Index size = 0;
    for (const VelocityRange& range : cliques_->members(contact.cliques[c])) size += range.size;
    contact.first_entry[c] = static_cast<Index>(found.entries.size());
    found.entries.resize(found.entries.size() + at(contact.rows * size), 0.0);
  }
  found.w_tilde.resize(found.w_tilde.size() + at(contact.rows), 0.0);

  const Matrix3& axes = contact.axes;
  double largest = 0.0;  // largest squared displacement of a point per unit velocity
  const auto add = [&](double* rows, double sign, const Vector3& R, const Vector3& T) {
    largest = std::max(largest, T.squaredNorm());
    for (Index i = 0; i < 3; ++i) rows[i] += sign * axes.col(i).dot(T);
    for (Index i = 0; i < turns; ++i) rows[3 + i] += sign * axes.col(1 + i).dot(R);
    if (drills > 0) rows[3 + turns] += sign * axes.col(0).dot(R);
  };
  const auto add_body = [&](const Body& body, double sign, const Vector3& place) {
    if (body.link < 0) return;
    const LinkState& link = work.tree.links[at(body.link)];
    if (body.clique >= 0) {
      double* block =
          found.entries.data() + contact.first_entry[body.clique == contact.cliques[0] ? 0 : 1];
      each_column(*model_->tree, work.tree, body.link, place,
                  [&](Index k, const Vector3& R, const Vector3& T) {
                    add(block + place_in_clique_[at(k)] * contact.rows, sign, R, T);
                  });
    }
    const Vector3& turn = link.j_tilde.R;
    add(found.w_tilde.data() + contact.first_row, sign, turn,
        link.j_tilde.T + turn.cross(place - link.r));
  };
  add_body(one, -1.0, point.r_1);
  add_body(two, 1.0, point.r_2);
  const double rounding = shape_contacts::kAcross * std::sqrt(largest);
  contact.moves = false;
  for (std::size_t k = entries; k < found.entries.size(); k += at(contact.rows)) {
    for (std::size_t i = k; i < k + 3; ++i) {
      if (std::abs(found.entries[i]) <= rounding) found.entries[i] = 0.0;
    }
    contact.moves = contact.moves || found.entries[k] != 0.0;
  }
  found.contacts.push_back(contact);
}

}  // namespace nsmb
