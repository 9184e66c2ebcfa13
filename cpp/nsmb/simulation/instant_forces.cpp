#include "nsmb/simulation/instant_forces.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Maximum number of contacts on the border that are tried in all combinations.
constexpr std::size_t kMostOnBorder = 4;

}  // namespace

InstantForces::InstantForces(InstantWorkspace& work, InstantResolution& resolution)
    : work_(work),
      resolution_(resolution),
      free_resolution_(Vector::Zero(work.rows.size())),
      none_(work.rows.nc, work.mechanics.system().ne()) {}

bool InstantForces::find(const Triggers& triggers) {
  for (;;) {
    for (bool forced = !work_.had_impact;; forced = false) {
      assign_roles(triggers, forced);
      solve_law();
      if (forced && !(is_solved() && forced_roles_hold())) continue;
      break;
    }
    if (is_solved() || !work_.rows.spatial || resolution_.takes_rest) break;
    resolution_.takes_rest = true;
  }
  if (!is_solved()) solve_on_the_border();
  return is_solved();
}

bool InstantForces::find_anew() {
  assign_roles(none_, false);
  solve_law();
  return is_solved() || solve_on_the_border();
}

bool InstantForces::has_come_to_rest() const {
  for (const Index i : work_.active) {
    const std::size_t c = static_cast<std::size_t>(i);
    const bool candidate = work_.contact_roles[c] == ContactRole::Candidate;
    if (candidate && work_.rows.dim(i) > 1 && is_slip(work_.before[c])) return true;
  }
  return false;
}

// Assign I_N and I_H from velocities. If `forced`, triggers overrule velocities on the border.
void InstantForces::assign_roles(const Triggers& triggers, bool forced) {
  std::fill(work_.contact_roles.begin(), work_.contact_roles.end(), ContactRole::Absent);
  std::fill(work_.memory.from_rest.begin(), work_.memory.from_rest.end(), false);
  work_.friction.setZero();
  // Rows that can prevent an opening or a slip: closed contacts with normal force left, and
  // sticking contacts below their limit.
  std::fill(work_.hold.begin(), work_.hold.end(), false);
  for (Index i = 0; i < work_.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    work_.hold[c] =
        work_.rows.is_unilateral(i) && is_closed(work_.before[c]) && !work_.memory.exhausted[c];
    if (work_.before[c] != ContactState::Stick || c >= work_.roles.size()) continue;
    const FrozenRole& role = work_.roles[c];
    const bool loaded = role.normal_force || !work_.rows.is_unilateral(i);
    work_.hold[static_cast<std::size_t>(work_.rows.row(i))] =
        loaded && !role.at_bound && !slips(triggers.contacts[c]) && !work_.memory.exhausted[c] &&
        work_.mechanics.can_stick(i);
  }
  for (const Index i : work_.active)
    assign_role(i, triggers.contacts[static_cast<std::size_t>(i)], forced);
}

void InstantForces::assign_role(Index i, Trigger trigger, bool forced) {
  const std::size_t c = static_cast<std::size_t>(i);
  const Matrix& G = work_.mechanics.delassus.G;
  ContactRole& role = work_.contact_roles[c];
  if (work_.rows.is_unilateral(i)) {
    if (work_.mechanics.gamma_N(i) > resolution_.velocity(i)) return;
    if (forced && work_.memory.exhausted[c] && work_.selection.is_independent(G, work_.hold, i))
      return;
  }
  auto friction = work_.friction.segment(work_.rows.tangent(i), work_.rows.dim(i));
  const bool rough = work_.mechanics.can_stick(i);
  if (rough && forced && !work_.memory.keeps[c] && slips(trigger) &&
      work_.selection.is_independent(G, work_.hold, work_.rows.row(i))) {
    const bool positive = trigger == Trigger::SlipsPositive;
    role = positive ? ContactRole::SlidesPositive : ContactRole::SlidesNegative;
    friction(0) = positive ? -1.0 : 1.0;
    work_.memory.left_limit[c] = true;
  } else if (rough && forced && trigger == Trigger::Sticks) {
    role = ContactRole::Candidate;
  } else {
    role = work_.mechanics.role(i, resolution_.rest_speed(i), friction);
  }
}

// Return true unless a contact that is forced open is pressed together, or one forced to slip
// reverses.
bool InstantForces::forced_roles_hold() const {
  for (const Index i : work_.active) {
    const ContactRole role = work_.contact_roles[static_cast<std::size_t>(i)];
    if (role == ContactRole::Absent) {
      if (std::abs(work_.mechanics.gamma_N(i)) <= resolution_.velocity(i) &&
          work_.forces.gammadot_N(i) < -resolution_.acceleration(i)) {
        return false;
      }
    } else if (sliding_sign(role) != 0 && work_.rows.dim(i) == 1 &&
               std::abs(work_.mechanics.slip(i)) <= resolution_.slip(i)) {
      if (sliding_sign(role) * work_.gammadot_T(i) < -resolution_.slip_acceleration(i))
        return false;
    }
  }
  return true;
}

// Solve the law. If there is no solution, free accelerations that are only rounding are taken as
// zero, because they make opposed contacts without load contradict each other.
void InstantForces::solve_law() {
  AccelerationProblem p = work_.problem();
  solve_acceleration_law(p, work_.solver, work_.forces);
  ++work_.counts.contact_problems;
  if (work_.forces.status == LcpStatus::Solved) return;
  work_.mechanics.free_acceleration_resolutions(free_resolution_);
  free_resolution_ = free_resolution_.cwiseMax(resolution_.rounding_terms);
  p.resolution = &free_resolution_;
  solve_acceleration_law(p, work_.solver, work_.forces);
}

// Take velocities slightly above their resolution as zero, so that these contacts stick or stay
// closed. Return false if no choice of them has a solution. The forces are then those without any
// of them.
bool InstantForces::solve_on_the_border() {
  const auto is_near = [](double velocity, double zero) {
    return velocity <= resolutions::kBorder * zero;
  };
  // Closing a contact that still separates slightly also changes slip.
  const auto is_slow = [&](Index i) {
    double taken = 0.0;
    for (const Index j : work_.touching) {
      if (work_.contact_roles[static_cast<std::size_t>(j)] == ContactRole::Absent) continue;
      const double per_speed =
          work_.mechanics.delassus.G.col(j).segment(work_.rows.row(i), work_.rows.dim(i)).norm() /
          work_.mechanics.delassus.G(j, j);
      taken += per_speed * std::abs(work_.mechanics.gamma_N(j));
    }
    return is_near(std::abs(work_.mechanics.slip(i)) - taken, resolution_.slip(i));
  };
  std::vector<Index> border;
  std::vector<bool> rests;
  for (const Index i : work_.active) {
    const ContactRole role = work_.contact_roles[static_cast<std::size_t>(i)];
    const bool slips = sliding_sign(role) != 0 && is_slow(i);
    const bool leaves = role == ContactRole::Absent && work_.rows.is_unilateral(i) &&
                        is_near(work_.mechanics.gamma_N(i), resolution_.velocity(i));
    if (!slips && !leaves) continue;
    border.push_back(i);
    rests.push_back(is_slow(i));
  }
  if (border.empty()) return false;
  const std::vector<ContactRole> roles = work_.contact_roles;
  const Vector friction = work_.friction;
  // With more contacts, try all or none. Their combinations would not even fit a number.
  const bool together = border.size() > kMostOnBorder;
  const std::size_t all = together ? 1 : (std::size_t{1} << border.size()) - 1;
  for (std::size_t choice = all;; --choice) {
    work_.contact_roles = roles;
    work_.friction = friction;
    for (std::size_t k = 0; k < border.size(); ++k) {
      if (!((together ? choice : choice >> k) & 1u)) continue;
      const Index i = border[k];
      auto along = work_.friction.segment(work_.rows.tangent(i), work_.rows.dim(i));
      ContactRole& role = work_.contact_roles[static_cast<std::size_t>(i)];
      role = work_.mechanics.role(i, work_.options.rest_velocity, along);
      if (sliding_sign(role) == 0 || !rests[k]) continue;
      role = ContactRole::Candidate;
      along.setZero();
    }
    solve_law();
    if (choice == 0) return false;
    if (work_.forces.status == LcpStatus::Solved) return true;
  }
}

}  // namespace nsmb
