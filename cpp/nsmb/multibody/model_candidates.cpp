// Features of two contours that may touch, updated as the bodies move.
//
// Candidates are all pairs of features within some distance. They are complete until a point of one
// contour has moved by that distance relative to the other, which the margin of each contact
// watches. Deforming contours add their own motion, so that positions of their corners are noted,
// too.
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/model_workspace.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// While nothing is near, the search is repeated at twice the distance, up to this many times.
// Distant bodies may then move far before the next search.
constexpr int kDoublings = 30;

// Entries of ContactFeatures::reference for one contact: pose of the moving contour, admissible
// displacement, distance of the next search, and reach from the marker. The corners of deforming
// contours follow.
enum Reference : Index { kX, kY, kCosine, kSine, kAllowed, kDistance, kReach, kReferences };

// The ends of an infinite curve are never touched.
bool has_one_feature(const Contour& contour) {
  if (contour.pieces() + contour.vertices() == 1) return true;
  return contour.pieces() == 1 && std::isinf(contour.piece(0).begin) &&
         std::isinf(contour.piece(0).end);
}

bool is_convex(const Contour& contour) {
  for (const Element& element : contour.elements()) {
    if (contour.pieces() == 0) return true;
    if (contour.at(element.piece, 0.5 * (element.begin + element.end)).kappa < 0.0) return false;
  }
  return true;
}

// Return the distance from the origin of the frame of a contour to its furthest point.
double reach(const NodeChain& contour) { return contour.points().colwise().norm().maxCoeff(); }

double reach(const Contour& contour) {
  if (contour.tree().nodes().empty()) return kInfinity;
  const Box& box = contour.tree().nodes().front().box;
  return contour.tree_frame().point(box.center).norm() + box.half.norm();
}

std::shared_ptr<const Outline> outline(const Contour& contour) {
  const auto* chain = dynamic_cast<const ChainContour*>(&contour);
  if (!chain || !Outline::can_be_made(*chain)) return nullptr;
  return std::make_shared<const Outline>(*chain);
}

Pose inverse(const Pose& pose) {
  Pose result;
  result.c = pose.c;
  result.s = -pose.s;
  result.r = -Vector2(pose.c * pose.r.x() + pose.s * pose.r.y(),
                      -pose.s * pose.r.x() + pose.c * pose.r.y());
  return result;
}

Pose moving_pose(const ContourContact& contact, const CandidateRule& rule,
                 const ModelWorkspace& work) {
  const Pose pose = relative_pose(work.markers[static_cast<std::size_t>(contact.marker_1)],
                                  work.markers[static_cast<std::size_t>(contact.marker_2)]);
  return rule.second_moves ? pose : inverse(pose);
}

void take(const Candidate& candidate, ContactFeature& slot) {
  slot.first = candidate.pair.first;
  slot.second = candidate.pair.second;
  slot.sigma_1 = candidate.point.sigma_1;
  slot.sigma_2 = candidate.point.sigma_2;
}

// Return the length along the contour between two parameters of a feature, m; 0 for a vertex.
double way_along(const Contour& contour, Index feature, double from, double to) {
  if (is_vertex(feature)) return 0.0;
  const Index i = (feature - 1) / 2;
  const Piece piece = contour.piece(i);
  double way = std::abs(to - from);
  if (piece.closed) way = std::min(way, piece.end - piece.begin - way);
  return way * contour.at(i, from).speed;
}

// Return the distance along both contours from the slot's point to the candidate, infinite for
// other features.
double way_between(const ContourPair& contours, const ContactFeature& slot,
                   const Candidate& candidate) {
  if (slot.first != candidate.pair.first || slot.second != candidate.pair.second) return kInfinity;
  return std::max(way_along(contours.first, slot.first, slot.sigma_1, candidate.point.sigma_1),
                  way_along(contours.second, slot.second, slot.sigma_2, candidate.point.sigma_2));
}

// Return true if slot and candidate are the same contact point. A vertex has one on each piece.
bool is_same(const ContourPair& contours, const Candidate& candidate, const ContactFeature& slot) {
  const bool vertex = is_vertex(slot.first) || is_vertex(slot.second);
  const double way = way_between(contours, slot, candidate);
  if (vertex) return way < kInfinity;
  return way <= candidates::kSameRoot * common_size(contours.first, contours.second);
}

[[noreturn]] void too_many_points(const ContourContact& contact) {
  throw std::domain_error("contact '" + contact.name +
                          "': more than points = " + std::to_string(contact.points) +
                          " contact points at once. Increase `points`.");
}

void assign_points(const ContourContact& contact, Index first_slot, ModelWorkspace& work,
                   ContactFeatures& features) {
  const std::vector<Candidate>& found = work.found.candidates;
  const ContourPair contours = work.contours(contact);
  assign_slots(
      std::span(features.slots).subspan(at(first_slot), at(contact.points)), found.size(),
      work.assignment,
      [&](std::size_t c, const ContactFeature& slot) { return is_same(contours, found[c], slot); },
      [&](std::size_t c, ContactFeature& slot) { take(found[c], slot); });
}

}  // namespace

const Candidate* search_again(const ContourContact& contact, const Pose& pose, ModelWorkspace& work,
                              const ContactFeature& slot) {
  work.refit(contact);
  const ContourPair contours = work.contours(contact);
  CandidateOptions options;
  options.skin = kInfinity;
  options.distance = std::max(contact.search_distance,
                              pose.r.norm() + contours.first.size() + contours.second.size());
  options.overrun = options.distance;
  const Candidate* best = nullptr;
  double nearest = kInfinity;
  for (int i = 0; i < kDoublings && !best; ++i, options.distance *= 2.0) {
    find_candidates(contours.first, Pose{}, contours.second, pose, options, work.search,
                    work.found);
    for (const Candidate& candidate : work.found.candidates) {
      if (slot.used()) {
        const double way = way_between(contours, slot, candidate);
        if (way < nearest) best = &candidate;
        nearest = std::min(nearest, way);
        continue;
      }
      // The distance of two convex contours is the largest over all directions. The other roots are
      // those of their far sides.
      const bool better = !best || candidate.point.g_N > best->point.g_N;
      if (better) best = &candidate;
    }
    if (slot.used()) break;
  }
  return best;
}

CandidateRule candidate_rule(const ContourContact& contact) {
  const Contour& first = *contact.contour_1;
  const Contour& second = *contact.contour_2;
  CandidateRule rule;
  const bool deforms = contact.boundary_1 >= 0 || contact.boundary_2 >= 0;
  rule.permanent = !deforms && has_one_feature(first) && has_one_feature(second) &&
                   is_convex(first) && is_convex(second);
  rule.second_moves = reach(second) <= reach(first);
  rule.reach = std::min(reach(first), reach(second));
  rule.length = std::max(first.size(), second.size());
  // A point and an infinite curve both lack a size.
  if (!(rule.length > 0.0)) rule.length = contact.search_distance;
  if (!deforms) {
    rule.outline_1 = outline(first);
    rule.outline_2 = outline(second);
    if (!rule.outline_1 || !rule.outline_2) rule.outline_1 = rule.outline_2 = nullptr;
  }
  if (!rule.permanent && std::isinf(rule.reach)) {
    reject("contact '" + contact.name + "'", "at least one finite contour",
           "two infinite contours");
  }
  return rule;
}

Index notes_of(const ContourContact& contact) {
  Index count = kReferences;
  if (contact.boundary_1 >= 0) count += 2 * contact.contour_1->vertices();
  if (contact.boundary_2 >= 0) count += 2 * contact.contour_2->vertices();
  return count;
}

// Return the squared ratio of the displacement since the search to the admissible displacement.
double ModelSystem::way_used(Index k, const ModelWorkspace& work,
                             const ContactFeatures& features) const {
  const CandidateRule& rule = rules_[static_cast<std::size_t>(k)];
  if (features.reference.size() == 0) return 0.0;
  const Pose pose = moving_pose(model_.contacts[static_cast<std::size_t>(k)], rule, work);
  const ContourContact& contact = model_.contacts[static_cast<std::size_t>(k)];
  const auto reference = features.reference.segment(rule.first, kReferences);
  const double reach = reference(kReach);
  const double shift = (pose.r - Vector2(reference(kX), reference(kY))).squaredNorm();
  const double turn = 1.0 - (pose.c * reference(kCosine) + pose.s * reference(kSine));
  double way = 2.0 * shift + 4.0 * reach * reach * turn;
  Index next = rule.first + kReferences;
  double bent = 0.0;
  for (const Index boundary : {contact.boundary_1, contact.boundary_2}) {
    if (boundary < 0) continue;
    const Matrix& points = work.boundaries[static_cast<std::size_t>(boundary)].points();
    const Eigen::Map<const Matrix> noted(features.reference.data() + next, 2, points.cols());
    bent += std::sqrt((points - noted).colwise().squaredNorm().maxCoeff());
    next += points.size();
  }
  if (bent > 0.0) way = (std::sqrt(way) + bent) * (std::sqrt(way) + bent);
  return way / (reference(kAllowed) * reference(kAllowed));
}

void ModelSystem::find_permanent(Index k, ModelWorkspace& work, ContactFeatures& features) const {
  const ContourContact& contact = model_.contacts[static_cast<std::size_t>(k)];
  ContactFeature& slot =
      features.slots[static_cast<std::size_t>(first_slot_[static_cast<std::size_t>(k)])];
  if (slot.used()) return;
  const Pose pose = relative_pose(work.markers[static_cast<std::size_t>(contact.marker_1)],
                                  work.markers[static_cast<std::size_t>(contact.marker_2)]);
  if (const Candidate* found = search_again(contact, pose, work, slot)) take(*found, slot);
}

void ModelSystem::find_changing(Index k, ModelWorkspace& work, ContactFeatures& features) const {
  const ContourContact& contact = model_.contacts[static_cast<std::size_t>(k)];
  const CandidateRule& rule = rules_[static_cast<std::size_t>(k)];
  const Pose pose = relative_pose(work.markers[static_cast<std::size_t>(contact.marker_1)],
                                  work.markers[static_cast<std::size_t>(contact.marker_2)]);
  auto reference = features.reference.segment(rule.first, kReferences);
  const bool deforms = contact.boundary_1 >= 0 || contact.boundary_2 >= 0;
  work.refit(contact);
  const ContourPair contours = work.contours(contact);
  const auto most = static_cast<std::size_t>(contact.points);
  std::vector<Candidate>& found = work.found.candidates;
  CandidateOptions options;
  options.skin = contact.skin;
  // Deforming edges rotate more than their bodies, so that pairs that need rotation are kept.
  options.arm = deforms ? 0.0 : rule.reach;
  options.distance = reference(kDistance) > 0.0 ? reference(kDistance) : contact.search_distance;
  for (int i = 0; i < kDoublings; ++i, options.distance *= 2.0) {
    options.overrun = options.distance;
    find_candidates(contours.first, Pose{}, contours.second, pose, options, work.search,
                    work.found);
    const bool enough =
        options.distance >= contact.search_distance ? !found.empty() : found.size() > most;
    if (enough || std::isfinite(work.found.singular) || i + 1 == kDoublings) break;
  }
  // A point that is currently singular, such as that of a pin in the middle of its hole, must not
  // be missed. Nor must a point that is currently too deep.
  const double unknown = std::min(work.found.singular, work.found.deeper);
  double allowed = std::min(options.distance, std::max(unknown, candidate_tuning::kSingularWay *
                                                                    contact.search_distance));
  if (found.size() > most) {
    allowed = std::min(allowed, found[most].way);
    found.resize(most);
    if (allowed < candidates::kSmallestWay * rule.length) {
      too_many_points(contact);
    }
  }
  assign_points(contact, first_slot_[static_cast<std::size_t>(k)], work, features);
  const Pose moving = moving_pose(contact, rule, work);
  // Contours with many features fill all slots within a small part of the distance.
  const double next = std::min(contact.search_distance, 2.0 * allowed);
  const Index moves = rule.second_moves ? contact.boundary_2 : contact.boundary_1;
  const double reaches =
      moves < 0 ? rule.reach : reach(work.boundaries[static_cast<std::size_t>(moves)]);
  reference << moving.r.x(), moving.r.y(), moving.c, moving.s, candidate_tuning::kWay * allowed,
      next, reaches;
  Index note = rule.first + kReferences;
  for (const Index boundary : {contact.boundary_1, contact.boundary_2}) {
    if (boundary < 0) continue;
    const Matrix& points = work.boundaries[static_cast<std::size_t>(boundary)].points();
    features.reference.segment(note, points.size()) = points.reshaped();
    note += points.size();
  }
}

void ModelSystem::find_of_outlines(Index k, ModelWorkspace& work, ContactFeatures& features) const {
  const auto c = static_cast<std::size_t>(k);
  const ContourContact& contact = model_.contacts[c];
  const CandidateRule& rule = rules_[c];
  const Pose pose = relative_pose(work.markers[static_cast<std::size_t>(contact.marker_1)],
                                  work.markers[static_cast<std::size_t>(contact.marker_2)]);
  nsmb::find_touches(*rule.outline_1, Pose{}, *rule.outline_2, pose, contact.search_distance,
                     work.outlines);
  std::vector<OutlineTouch>& touches = work.outlines.found;
  const auto most = static_cast<std::size_t>(contact.points);
  if (touches.size() > most) {
    if (!(touches[most].g_N > candidates::kSmallestWay * rule.length)) too_many_points(contact);
    touches.resize(most);
  }
  std::vector<Candidate>& found = work.found.candidates;
  found.resize(touches.size());
  for (std::size_t i = 0; i < touches.size(); ++i) {
    found[i].pair = touches[i].pair;
    found[i].point.sigma_1 = touches[i].pair.sigma_1;
    found[i].point.sigma_2 = touches[i].pair.sigma_2;
  }
  assign_points(contact, first_slot_[c], work, features);
  for (std::size_t p = 0; p < most; ++p) {
    ContactFeature& slot = features.slots[static_cast<std::size_t>(first_slot_[c]) + p];
    slot.valid = slot.used();
  }
}

template <class Find>
void ModelSystem::find(double t, const ConstVectorRef& q, ContactFeatures& features,
                       SystemWorkspace& work, const Find& find_changing_ones) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  const Index n = static_cast<Index>(model_.contacts.size());
  if (features.reference.size() != noted_) features.reference.setZero(noted_);
  for (Index k = 0; k < n; ++k) {
    if (rules_[static_cast<std::size_t>(k)].permanent) {
      find_permanent(k, w, features);
    } else {
      find_changing_ones(k, w);
    }
  }
  const auto always = [&](Index first, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      ContactFeature& slot = features.slots[static_cast<std::size_t>(first) + k];
      slot.first = slot.second = 0;
    }
  };
  shape_pairs_.find(w, features);
  always(first_stop_, model_.stops.size());
  always(first_surface_, model_.surfaces.size());
}

void ModelSystem::find_features(double t, const ConstVectorRef& q, ContactFeatures& features,
                                SystemWorkspace& work) const {
  find(t, q, features, work, [&](Index k, ModelWorkspace& w) { find_changing(k, w, features); });
}

void ModelSystem::find_touches(double t, const ConstVectorRef& q, ContactFeatures& features,
                               SystemWorkspace& work) const {
  find(t, q, features, work, [&](Index k, ModelWorkspace& w) {
    if (rules_[static_cast<std::size_t>(k)].outline_1) {
      find_of_outlines(k, w, features);
    } else {
      find_changing(k, w, features);
    }
  });
}

}  // namespace nsmb
