// Overlap of polygons of a model, now and within a step, for checks of time stepping.
#include <algorithm>

#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

double ModelSystem::length_of(Index i) const {
  if (shape_pairs_.has(i)) return shape_pairs_.length_of(i);
  const Index k = contact_of(i);
  return k < 0 ? 0.0 : rules_[at(k)].length;
}

Index ModelSystem::pair_of(Index i) const {
  if (shape_pairs_.has(i)) return shape_pairs_.first_of(i);
  const Index contact = contact_of_[at(i)];
  return contact >= 0 ? first_slot_[at(contact)] : i;
}

bool ModelSystem::has_outlines(Index i) const {
  const Index k = contact_of(i);
  return k >= 0 && rules_[static_cast<std::size_t>(k)].outline_1;
}

OutlineOverlap ModelSystem::deepest_overlap(double t, const ConstVectorRef& q,
                                            SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  OutlineOverlap deepest;
  for (std::size_t c = 0; c < model_.contacts.size(); ++c) {
    const CandidateRule& rule = rules_[c];
    if (!rule.outline_1) continue;
    const ContourContact& contact = model_.contacts[c];
    const Pose pose = relative_pose(w.markers[static_cast<std::size_t>(contact.marker_1)],
                                    w.markers[static_cast<std::size_t>(contact.marker_2)]);
    const double depth = overlap_depth(*rule.outline_1, Pose{}, *rule.outline_2, pose, w.outlines);
    const double share = depth / std::min(rule.outline_1->width(), rule.outline_2->width());
    if (share > deepest.share) deepest = {first_slot_[c], share};
  }
  return deepest;
}

OutlineOverlap ModelSystem::deepest_shapes(double t, const ConstVectorRef& q,
                                           SystemWorkspace& work) const {
  if (model_.shape_pairs.empty()) return {};
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  return shape_pairs_.deepest(w);
}

double ModelSystem::time_to_pass(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 double share, double h, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  double time = h;
  for (std::size_t c = 0; c < model_.contacts.size(); ++c) {
    const CandidateRule& rule = rules_[c];
    if (!rule.outline_1) continue;
    const ContourContact& contact = model_.contacts[c];
    const MarkerKinematics& m1 = w.markers[static_cast<std::size_t>(contact.marker_1)];
    const MarkerKinematics& m2 = w.markers[static_cast<std::size_t>(contact.marker_2)];
    // No point of body 2 has a larger speed relative to body 1.
    const Vector3 d = m2.r - m1.r;
    const double speed = (m2.v - m1.v - m1.Omega.cross(d)).norm() +
                         (m2.Omega - m1.Omega).norm() * rule.outline_2->reach();
    const double way = share * std::min(rule.outline_1->width(), rule.outline_2->width());
    if (!(speed * h > way)) continue;
    const double apart =
        least_distance(*rule.outline_1, Pose{}, *rule.outline_2, relative_pose(m1, m2), w.outlines);
    if (apart > speed * h) continue;
    time = std::min(time, std::max(apart, way) / speed);
  }
  return time;
}

}  // namespace nsmb
