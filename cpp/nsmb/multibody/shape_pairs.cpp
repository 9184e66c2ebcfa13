#include "nsmb/multibody/shape_pairs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/polyhedron.hpp"
#include "nsmb/geometry/round_shapes.hpp"
#include "nsmb/multibody/model_workspace.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr Index kMostOfSurfaces = 32, kMostOfPolyhedra = 40, kMostOnPlane = 16, kMostOfRound = 12;

// Entries of ContactFeatures::reference for one pair: pose of the moving shape, its admissible
// displacement, and, for some lines in its frame, their admissible rotations. For a cylinder on a
// plane: the direction in which it leans.
enum PairNote : Index {
  kLean = 0,
  kOrigin = 0,
  kAxes = 3,
  kWayAllowed = 12,
  kTurns = 13,
  kTurnNotes = 4
};
constexpr Index kMostTurns = FeaturePairs::kMostTurns;
constexpr Index kPairNotes = kTurns + kMostTurns * kTurnNotes;

bool is_plane(const Shape& shape) { return shape.kind() == ShapeKind::HalfSpace; }
bool is_round(const Shape& shape) {
  return shape.kind() == ShapeKind::Sphere || shape.kind() == ShapeKind::Cylinder ||
         shape.kind() == ShapeKind::Capsule;
}
bool is_surface(const Shape& shape) { return shape.kind() >= ShapeKind::HeightField; }

// Return the number of features that a plane may touch: corners, ends, rims and their feet.
Index least_features(const Shape& shape) {
  switch (shape.kind()) {
    case ShapeKind::Sphere:
      return 1;
    case ShapeKind::Capsule:
      return 2;
    case ShapeKind::Cylinder:
      return 2 + 2 * kFeet;
    case ShapeKind::Polyhedron:
      return static_cast<Index>(as<PolyhedronShape>(shape).polyhedron().vertices().size());
    default:
      return kMostOnPlane + 1;
  }
}

// Return the sizes of the smaller and the larger shape, m. A plane has no size.
std::pair<double, double> sizes_of(const ShapePair& pair) {
  const double size_1 = pair.shape_1->size(), size_2 = pair.shape_2->size();
  if (is_plane(*pair.shape_1)) return {size_2, size_2};
  if (is_plane(*pair.shape_2)) return {size_1, size_1};
  return std::minmax(size_1, size_2);
}

// Return a lower bound of the distance of the two boxes, in the frame of the first shape, m.
double least_gap(const ShapePair& pair, const Placement& pose) {
  const Bounds a = pair.shape_1->bounds({}), b = pair.shape_2->bounds(pose);
  return (a.low - b.high).cwiseMax(b.low - a.high).maxCoeff();
}

bool is_one_normal(const Vector3& a, const Vector3& b) {
  return a.dot(b) > 1.0 - shape_pairs::kSameNormal;
}

}  // namespace

Index feature_slots(const Shape& shape_1, const Shape& shape_2) {
  if (is_plane(shape_1)) return std::min(least_features(shape_2), kMostOnPlane);
  if (is_plane(shape_2)) return std::min(least_features(shape_1), kMostOnPlane);
  const auto is_ball = [](const Shape& s) { return s.kind() == ShapeKind::Sphere; };
  if (is_ball(shape_1) && is_ball(shape_2)) return 1;
  if (is_surface(shape_1) || is_surface(shape_2)) return kMostOfSurfaces;
  if (is_round(shape_1) || is_round(shape_2)) return kMostOfRound;
  return kMostOfPolyhedra;
}

void check_shape_pair(const ShapePair& pair) {
  const std::string what = "contact '" + pair.name + "'";
  if (!pair.shape_1 || !pair.shape_2) reject(what, "two shapes", "none");
  if (!has_feature_pairs(pair.shape_1->kind(), pair.shape_2->kind())) {
    reject(what, "a supported pair of shapes (a cylinder supports half-spaces and spheres)",
           "another pair");
  }
}

ShapePairs::ShapePairs(const ModelDescription& model, Index first_slot, Index first_note)
    : model_(&model), first_slot_(first_slot) {
  Index slot = first_slot, note = first_note;
  for (std::size_t k = 0; k < model.shape_pairs.size(); ++k) {
    const ShapePair& pair = model.shape_pairs[k];
    Rule rule;
    rule.first_slot = slot;
    rule.first_note = note;
    rule.slots = feature_slots(*pair.shape_1, *pair.shape_2);
    std::tie(rule.size, rule.length) = sizes_of(pair);
    rule.distance = shape_pair_tuning::kDistance * rule.size;
    const double reach_1 = reach_of(*pair.shape_1), reach_2 = reach_of(*pair.shape_2);
    rule.second_moves = !is_plane(*pair.shape_2) && (is_plane(*pair.shape_1) || reach_2 <= reach_1);
    rule.reach = rule.second_moves ? reach_2 : reach_1;
    const bool on_plane = is_plane(*pair.shape_1) || is_plane(*pair.shape_2);
    const Shape& other = is_plane(*pair.shape_1) ? *pair.shape_2 : *pair.shape_1;
    rule.is_permanent = rule.slots == 1 || (on_plane && least_features(other) <= kMostOnPlane);
    rule.leans = on_plane && other.kind() == ShapeKind::Cylinder;
    rules_.push_back(rule);
    pair_of_.resize(pair_of_.size() + at(rule.slots), static_cast<Index>(k));
    slot += rule.slots;
    note += kPairNotes;
  }
}

Index ShapePairs::notes() const { return kPairNotes * static_cast<Index>(rules_.size()); }

ShapePairScratch::SlotFeatures& ShapePairs::features_of(Index contact, const ContactFeature& slot,
                                                        ModelWorkspace& work) const {
  const ShapePair& pair = model_->shape_pairs[at(pair_of(contact))];
  ShapePairScratch::SlotFeatures& own = work.shape_pairs.slots[at(contact - first_slot_)];
  if (own.number_1 != slot.first) get_feature(*pair.shape_1, slot.first, own.first);
  if (own.number_2 != slot.second) get_feature(*pair.shape_2, slot.second, own.second);
  own.number_1 = slot.first;
  own.number_2 = slot.second;
  if (own.first.surface.skeleton == Skeleton::Point) {
    own.first.surface.along = Vector3::Unit(static_cast<Index>(slot.sigma_1));
  }
  if (own.second.surface.skeleton == Skeleton::Point) {
    own.second.surface.along = own.first.surface.along;
  }
  return own;
}

FeaturePairPoint ShapePairs::place(Index contact, const ContactFeature& slot,
                                   ModelWorkspace& work) const {
  const ShapePair& pair = model_->shape_pairs[at(pair_of(contact))];
  const ShapePairScratch::SlotFeatures& own = features_of(contact, slot, work);
  return feature_pair_point(own.first, motion_of(work.markers[at(pair.marker_1)]), own.second,
                            motion_of(work.markers[at(pair.marker_2)]), slot.sigma_2);
}

SurfacePoint ShapePairs::point(Index contact, const ContactFeature& slot,
                               ModelWorkspace& work) const {
  return place(contact, slot, work).point;
}

Eigen::Vector2d ShapePairs::lean(Index k, const ModelWorkspace& work) const {
  const ShapePair& pair = model_->shape_pairs[at(k)];
  const Matrix3 &A_1 = work.markers[at(pair.marker_1)].A, &A_2 = work.markers[at(pair.marker_2)].A;
  const bool first = is_plane(*pair.shape_1);
  const Vector3 axis = first ? A_1.transpose() * A_2.col(2) : A_2.transpose() * A_1.col(2);
  return axis.head<2>();
}

Placement ShapePairs::moving_pose(Index k, const ModelWorkspace& work) const {
  const ShapePair& pair = model_->shape_pairs[at(k)];
  const auto placed = [&](Index marker) {
    const MarkerKinematics& m = work.markers[at(marker)];
    return Placement{m.r, m.A};
  };
  if (rules_[at(k)].second_moves) return relative(placed(pair.marker_1), placed(pair.marker_2));
  return relative(placed(pair.marker_2), placed(pair.marker_1));
}

// Return the squared ratio of the displacement since the search to the admissible displacement.
double ShapePairs::way_used(Index k, const ModelWorkspace& work,
                            const ContactFeatures& features) const {
  const Rule& rule = rules_[at(k)];
  const auto note = features.reference.segment(rule.first_note, kPairNotes);
  const Placement pose = moving_pose(k, work);
  const double shift = (pose.r - note.segment<3>(kOrigin)).squaredNorm();
  // This is 1 - cos of the rotation.
  const double turn = 0.5 * (3.0 - pose.A.reshaped().dot(note.segment<9>(kAxes)));
  const double way = 2.0 * shift + 4.0 * rule.reach * rule.reach * std::max(turn, 0.0);
  return way / (note(kWayAllowed) * note(kWayAllowed));
}

// Return the squared ratio of the rotation of a line since the search to the admissible rotation.
double ShapePairs::turn_used(Index k, Index line, const ModelWorkspace& work,
                             const ContactFeatures& features) const {
  const auto note = features.reference.segment(rules_[at(k)].first_note, kPairNotes);
  const auto own = note.segment<kTurnNotes>(kTurns + line * kTurnNotes);
  const Eigen::Map<const Matrix3> before(note.data() + kAxes);
  const Vector3 e = own.head<3>();
  return (moving_pose(k, work).A * e - before * e).squaredNorm() / (own(3) * own(3));
}

void ShapePairs::find(ModelWorkspace& work, ContactFeatures& features) const {
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    find_pair(static_cast<Index>(k), work, features);
  }
}

void ShapePairs::find_pair(Index k, ModelWorkspace& work, ContactFeatures& features) const {
  const Rule& rule = rules_[at(k)];
  const ShapePair& pair = model_->shape_pairs[at(k)];
  const std::span slots(features.slots.data() + rule.first_slot, at(rule.slots));
  if (rule.leans) {
    const Eigen::Vector2d now = lean(k, work);
    const double size = now.norm();
    features.reference.segment<2>(rule.first_note + kLean) =
        stands_on_feet(size) ? Eigen::Vector2d::Zero() : Eigen::Vector2d(now / size);
  }
  if (rule.is_permanent && slots.front().used()) return;
  ShapePairScratch& scratch = work.shape_pairs;
  const MarkerKinematics &m1 = work.markers[at(pair.marker_1)],
                         &m2 = work.markers[at(pair.marker_2)];
  const Placement pose_1{m1.r, m1.A}, pose_2{m2.r, m2.A};
  FeaturePairs& found = scratch.found;
  const double apart = rule.is_permanent ? 0.0 : least_gap(pair, relative(pose_1, pose_2));
  if (apart > rule.distance) {
    found.candidates.clear();
    found.turns.clear();
    found.surely = apart;
  } else {
    const double distance = rule.is_permanent ? kInfinity : rule.distance;
    find_feature_pairs(*pair.shape_1, pose_1, *pair.shape_2, pose_2,
                       {distance, rule.reach, rule.second_moves}, scratch.search, found);
  }
  std::vector<FeatureCandidate>& candidates = found.candidates;
  if (candidates.size() > slots.size()) {
    found.surely = std::min(found.surely, candidates[slots.size()].way);
    candidates.resize(slots.size());
    if (found.surely < tolerances::candidates::kSmallestWay * rule.length) {
      throw std::domain_error("contact '" + pair.name + "': more than " +
                              std::to_string(rule.slots) +
                              " contact points at once. Use nsmb.Midpoint.");
    }
  }
  assign_slots(
      slots, candidates.size(), scratch.assignment,
      [&](std::size_t c, const ContactFeature& slot) {
        return candidates[c].first == slot.first && candidates[c].second == slot.second &&
               candidates[c].side == slot.sigma_2;
      },
      [&](std::size_t c, ContactFeature& slot) {
        const bool is_new =
            candidates[c].first != slot.first || candidates[c].second != slot.second;
        slot.first = candidates[c].first;
        slot.second = candidates[c].second;
        if (is_new) slot.sigma_1 = static_cast<double>(candidates[c].axis);
        slot.sigma_2 = candidates[c].side;
      });
  if (rule.is_permanent) return;
  auto note = features.reference.segment(rule.first_note, kPairNotes);
  const Placement pose = moving_pose(k, work);
  note.head<kTurns>() << pose.r, pose.A.reshaped(), candidate_tuning::kWay * found.surely;
  for (Index line = 0; line < kMostTurns; ++line) {
    auto own = note.segment<kTurnNotes>(kTurns + line * kTurnNotes);
    own << Vector3::Zero(), 1.0;
    if (line >= std::ssize(found.turns)) continue;
    const TurnLimit& turn = found.turns[at(line)];
    own << turn.line, candidate_tuning::kWay * turn.angle;
  }
}

void ShapePairs::find_contact(const ContactPlace& rows, ModelWorkspace& work,
                              ContactKinematics& c) const {
  const Index i = rows.contact;
  const ContactFeature& slot = c.features.slots[at(i)];
  const bool is_cleared = c.g_N(i) == kInfinity && c.domain(i) == kInfinity;
  if (!slot.used() && is_cleared) return;
  const Rule& rule = rules_[at(pair_of(i))];
  const ShapePair& pair = model_->shape_pairs[at(pair_of(i))];
  const MarkerKinematics &m1 = work.markers[at(pair.marker_1)],
                         &m2 = work.markers[at(pair.marker_2)];
  if (!slot.used()) {
    clear_surface_rows(m1, m2, rows, c);
    c.g_N(i) = c.domain(i) = kInfinity;
    return;
  }
  const FeaturePairPoint p = place(i, slot, work);
  if (rule.is_permanent && p.is_singular) refuse_many_points(pair.name);
  fill_surface_rows(p.point, m1, m2, rows, c);
  // A point deep in the other shape has not entered through this face.
  const double height = p.point.g_N + shape_pairs::kShapesTouch * rule.size;
  const double own = slot.valid ? p.domain : within_both(p.domain, height);
  c.domain(i) = rule.is_permanent ? p.domain : own;
  // A rim and its feet are both near the plane and never valid at the same time. The invalid ones
  // must not seem to approach it.
  if (rule.leans && !slot.valid) c.g_N(i) += rule.size;
}

void ShapePairs::find_margins(ModelWorkspace& work, ContactKinematics& c) const {
  if (c.features.reference.size() == 0) return;
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    const Rule& rule = rules_[k];
    // Where the lean of a cylinder vanishes, the lowest point of a rim jumps to the other side.
    if (rule.leans) {
      const auto before = c.features.reference.segment<2>(rule.first_note + kLean);
      const double along = before.dot(lean(static_cast<Index>(k), work));
      c.margin(rule.first_slot) = before.isZero(0.0) ? kInfinity : along;
    }
    if (rule.is_permanent) continue;
    const Index own = static_cast<Index>(k);
    c.margin(rule.first_slot) = 1.0 - way_used(own, work, c.features);
    for (Index line = 0; line < kMostTurns; ++line) {
      c.margin(rule.first_slot + 1 + line) = 1.0 - turn_used(own, line, work, c.features);
    }
  }
}

OutlineOverlap ShapePairs::deepest(ModelWorkspace& work) const {
  OutlineOverlap found;
  ShapePairScratch& scratch = work.shape_pairs;
  for (std::size_t k = 0; k < rules_.size(); ++k) {
    const ShapePair& pair = model_->shape_pairs[k];
    const Placement pose_1 = motion_of(work.markers[at(pair.marker_1)]).pose;
    const Placement pose_2 = motion_of(work.markers[at(pair.marker_2)]).pose;
    if (least_gap(pair, relative(pose_1, pose_2)) > 0.0) continue;
    const bool has_triangles = is_surface(*pair.shape_1) || is_surface(*pair.shape_2);
    const double least = has_triangles ? shape_pairs::kSurelyInside : 0.0;
    scratch.points.clear();
    contact_points(*pair.shape_1, pose_1, *pair.shape_2, pose_2, 0.0, scratch.contact, nullptr,
                   scratch.points);
    for (const ShapeContact& c : scratch.points) {
      const double share = -c.g_N / rules_[k].size;
      if (share > std::max(found.share, least)) found = {rules_[k].first_slot, share};
    }
  }
  return found;
}

template <class Says>
bool ShapePairs::any_touching(Index contact, const ContactKinematics& c, ModelWorkspace& work,
                              const Says& says) const {
  const Rule& rule = rules_[at(pair_of(contact))];
  const double touching = shape_pairs::kShapesTouch * rule.size;
  for (Index j = rule.first_slot; j < rule.first_slot + rule.slots; ++j) {
    const ContactFeature& slot = c.features.slots[at(j)];
    if (j == contact || !slot.used()) continue;
    if (!(std::abs(c.g_N(j)) <= touching && c.domain(j) >= -touching)) continue;
    const SurfacePoint other = point(j, slot, work);
    if (!other.is_singular && says(slot, other)) return true;
  }
  return false;
}

// Shapes touch along the direction that separates them longest. Where several pairs of features
// touch at once, as at flush corners, the directions that separate the shapes slightly later select
// the contacts.
bool ShapePairs::is_contact(Index contact, const ContactKinematics& c, ModelWorkspace& work) const {
  const Index k = pair_of(contact);
  const Rule& rule = rules_[at(k)];
  const ShapePair& pair = model_->shape_pairs[at(k)];
  if (rule.is_permanent) return true;
  const ContactFeature& slot = c.features.slots[at(contact)];
  const ShapePairScratch::SlotFeatures& own = features_of(contact, slot, work);
  const SurfacePoint p = point(contact, slot, work);
  if (p.is_singular) return true;
  const ShapeMotion one = motion_of(work.markers[at(pair.marker_1)]);
  const ShapeMotion two = motion_of(work.markers[at(pair.marker_2)]);
  const double touching = shape_pairs::kShapesTouch * rule.size;
  const double arm = (p.r_1 - one.pose.r).norm() + (p.r_2 - two.pose.r).norm() + rule.reach;
  const double speed = (one.v - two.v).norm() + (one.Omega - two.Omega).norm() * arm;
  const double later = speed > 0.0 ? touching / speed : 0.0;
  const Placement one_later = one.after(later), two_later = two.after(later);
  // Reject a point beyond its end that moves further out.
  if (c.domain(contact) < -model_corners::kGone * rule.length) {
    const FeaturePairPoint then =
        feature_pair_point(own.first, {one_later}, own.second, {two_later}, slot.sigma_2);
    if (then.domain < c.domain(contact)) return false;
  }
  if (own.first.surface.radius + own.second.surface.radius > 0.0) return true;
  const Vector3 n = p.axes.col(0);
  const auto is_known = [&](const ContactFeature& before, const SurfacePoint& other) {
    return before.valid && is_one_normal(other.axes.col(0), n) &&
           (other.r_1 - p.r_1).norm() <= shape_pairs::kSamePlace * rule.size;
  };
  if (any_touching(contact, c, work, is_known)) return false;
  ShapePairScratch& scratch = work.shape_pairs;
  scratch.points.clear();
  contact_points(*pair.shape_1, one_later, *pair.shape_2, two_later, 4.0 * touching,
                 scratch.contact, nullptr, scratch.points);
  const auto has_normal = [&](const ShapeContact& found) { return is_one_normal(found.normal, n); };
  if (std::any_of(scratch.points.begin(), scratch.points.end(), has_normal)) return true;
  const auto is_listed = [&](const ShapeContact& found) {
    return any_touching(contact, c, work, [&](const ContactFeature&, const SurfacePoint& other) {
      return is_one_normal(other.axes.col(0), found.normal);
    });
  };
  return std::none_of(scratch.points.begin(), scratch.points.end(), is_listed);
}

}  // namespace nsmb
