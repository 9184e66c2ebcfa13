// Contacts of planar contours on moving bodies: (4.21)-(4.23), (4.38)-(4.46).
#include <limits>

#include "nsmb/multibody/contact_side.hpp"
#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Clear the only entries that a slot can have, which are the same for all nodes of a body.
void clear_directions(const ModelDescription& model, const ModelWorkspace& work, Index marker,
                      Index boundary, Index i, ContactKinematics& c) {
  if (boundary >= 0) marker = model.boundaries[static_cast<std::size_t>(boundary)].nodes.front();
  for (const VelocityRange& r : work.markers[static_cast<std::size_t>(marker)].reach) {
    for (Index k = r.first; k < r.first + r.size; ++k) c.W_N(k, i) = c.W_T(k, i) = 0.0;
  }
}

}  // namespace

Pose relative_pose(const MarkerKinematics& first, const MarkerKinematics& second) {
  Pose pose;
  const Vector3 d = second.r - first.r;
  pose.r = {first.A.col(0).dot(d), first.A.col(1).dot(d)};
  pose.c = first.A.col(0).dot(second.A.col(0));
  pose.s = first.A.col(1).dot(second.A.col(0));
  return pose;
}

std::pair<double, double> SlotPoint::start(double time, const ContactFeature& slot) {
  const bool is_same = slot.first == first && slot.second == second;
  if (!is_same || slot.sigma_1 != sigma_1 || slot.sigma_2 != sigma_2) {  // set from outside
    home_1 = slot.sigma_1;
    home_2 = slot.sigma_2;
  }
  if (is_same && time < t) return {home_1, home_2};
  return {slot.sigma_1, slot.sigma_2};
}

void SlotPoint::keep(double time, bool moves, ContactFeature& slot) {
  t = time;
  slot.sigma_1 = sigma_1 = point.sigma_1;
  slot.sigma_2 = sigma_2 = point.sigma_2;
  if (!moves) return;
  home_1 = sigma_1;
  home_2 = sigma_2;
}

void contour_contact(const ModelDescription& model, const ContourContact& contact, double t,
                     ModelWorkspace& work, Index i, ContactKinematics& c) {
  ContactFeature& slot = c.features.slots[static_cast<std::size_t>(i)];
  SlotPoint& last = work.slots[static_cast<std::size_t>(i)];
  const bool was_found = last.found && last.first == slot.first && last.second == slot.second;
  last.found = false;
  if (!slot.used() && c.g_N(i) == kInfinity && c.domain(i) == kInfinity) return;  // cleared before
  const MarkerKinematics& m1 = work.markers[static_cast<std::size_t>(contact.marker_1)];
  const MarkerKinematics& m2 = work.markers[static_cast<std::size_t>(contact.marker_2)];
  clear_directions(model, work, contact.marker_1, contact.boundary_1, i, c);
  clear_directions(model, work, contact.marker_2, contact.boundary_2, i, c);
  const auto leave = [&](double gap) {
    c.g_N(i) = gap;
    c.domain(i) = gap;
    c.w_tilde_N(i) = c.w_tilde_T(i) = c.w_bar_N(i) = c.w_bar_T(i) = 0.0;
  };
  if (!slot.used()) return leave(kInfinity);
  const Pose pose = relative_pose(m1, m2);
  const ContourPair contours = work.contours(contact);
  const auto [start_1, start_2] = last.start(t, slot);
  ContactPoint p;
  contact_point(contours.first, Pose{}, contours.second, pose,
                {slot.first, slot.second, start_1, start_2}, p);
  if (p.status != ContactPointStatus::Found) {
    const Candidate* found = search_again(contact, pose, work, slot);
    if (!found) {
      // Nearest points of curves with hollows disappear where they meet furthest ones. Then the
      // contact point has left its features.
      const bool is_apart = was_found && last.point.g_N > 0.1 * contact.search_distance;
      if (!is_apart) return leave(kNaN);
      last.found = true;
      leave(last.point.g_N);
      c.domain(i) = -contact.search_distance;
      return;
    }
    p = found->point;
  }
  last.found = true;
  last.first = slot.first;
  last.second = slot.second;
  last.pose = pose;
  last.point = p;
  last.keep(t, c.of_motion, slot);

  const auto in_space = [&](const Vector2& a) {
    return Vector3(a.x() * m1.A.col(0) + a.y() * m1.A.col(1));
  };
  const auto in_plane = [&](const Vector3& a) {
    return Vector2(m1.A.col(0).dot(a), m1.A.col(1).dot(a));
  };
  const Vector3 b = m1.A.col(2);
  const ContactSide C1(
      footing(model, work, contact.marker_1, contact.boundary_1, slot.first, p.sigma_1, p.r_1, m1),
      b);
  const ContactSide C2(footing(model, work, contact.marker_2, contact.boundary_2, slot.second,
                               p.sigma_2, p.r_2 - pose.r, m1),
                       b);
  const Vector3 n_1 = in_space(p.n_1), t_1 = in_space(p.t_1), n_2 = -n_1, t_2 = -t_1;  // (4.22)
  const double Omega_1 = b.dot(C1.Omega), Omega_2 = b.dot(C2.Omega);
  const ContactRates s = contact_rates(p, in_plane(C1.v), in_plane(C2.v), Omega_1, Omega_2);
  if (s.is_singular) return leave(kNaN);

  c.g_N(i) = p.g_N;
  c.domain(i) = p.domain - feature_overlap(contours.first, contours.second);
  C1.add_direction(n_1, c.W_N.col(i));  // (4.39)
  C2.add_direction(n_2, c.W_N.col(i));
  C1.add_direction(t_1, c.W_T.col(i));
  C2.add_direction(t_2, c.W_T.col(i));
  c.w_tilde_N(i) = n_1.dot(C1.j_tilde) + n_2.dot(C2.j_tilde);
  c.w_tilde_T(i) = t_1.dot(C1.j_tilde) + t_2.dot(C2.j_tilde);
  c.w_bar_N(i) = C1.acceleration(n_1) - s.kappa_sdot_1 * t_1.dot(C1.v) + s.sdot_1 * Omega_1 +
                 C2.acceleration(n_2) - s.kappa_sdot_2 * t_2.dot(C2.v) + s.sdot_2 * Omega_2;
  c.w_bar_T(i) = C1.acceleration(t_1) + s.kappa_sdot_1 * n_1.dot(C1.v) + s.sdot_1 * C1.stretch +
                 C2.acceleration(t_2) + s.kappa_sdot_2 * n_2.dot(C2.v) +
                 s.sdot_2 * C2.stretch;  // (4.46)
}

}  // namespace nsmb
