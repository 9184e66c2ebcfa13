#include "nsmb/simulation/instant_states.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

InstantStates::InstantStates(InstantWorkspace& work, const InstantResolution& resolution)
    : work_(work),
      resolution_(resolution),
      at_limit_(static_cast<std::size_t>(work.rows.nc), false),
      less_(work.rows),
      less_mu_(Vector::Zero(work.rows.nc)),
      less_bound_(less_mu_) {}

void InstantStates::decide(ContactStates& states) {
  std::fill(states.begin(), states.end(), ContactState::Open);
  for (const Index i : work_.active) {
    if (work_.contact_roles[static_cast<std::size_t>(i)] == ContactRole::Absent) continue;
    if (work_.rows.is_unilateral(i) && work_.forces.gammadot_N(i) > resolution_.acceleration(i))
      continue;
    decide_tangential(i, states);
  }
  // Friction without a bound of its own ends with the contact that presses it.
  for (const Index i : work_.active) {
    const Index required = work_.rows.required_by(i);
    if (required >= 0 && !is_closed(states[at(required)])) states[at(i)] = ContactState::Open;
  }
  take_limits(states);
}

void InstantStates::decide_tangential(Index i, ContactStates& states) {
  const std::size_t c = static_cast<std::size_t>(i);
  const ContactRole role = work_.contact_roles[c];
  if (work_.rows.dim(i) > 1) {
    decide_in_plane(i, states);
    return;
  }
  const double zero_a = resolution_.slip_acceleration(i);
  const double gammadot = work_.gammadot_T(i);
  if (sliding_sign(role) != 0) {
    states[c] = slip_state(sliding_sign(role));
  } else if (role == ContactRole::Frictionless) {
    const double gamma_T = work_.mechanics.slip(i);
    states[c] = std::abs(gamma_T) > resolution_.slip(i) ? slip_state(gamma_T)
                : std::abs(gammadot) > zero_a           ? slip_state(gammadot)
                                                        : ContactState::Stick;
  } else {
    states[c] = std::abs(gammadot) > zero_a ? slip_state(gammadot) : ContactState::Stick;
  }
  if (is_slip(states[c])) work_.friction(work_.rows.tangent(i)) = -slip_sign(states[c]);
}

// Slip in a plane starts against the friction force of the law, (25).
void InstantStates::decide_in_plane(Index i, ContactStates& states) {
  const std::size_t c = static_cast<std::size_t>(i);
  const bool begins = work_.contact_roles[c] == ContactRole::Candidate &&
                      work_.gammadot_T(i) > resolution_.slip_acceleration(i);
  states[c] = work_.contact_roles[c] == ContactRole::Candidate && !begins ? ContactState::Stick
                                                                          : ContactState::Slip;
  if (!begins) return;
  work_.memory.from_rest[c] = true;
  auto friction = work_.friction.segment(work_.rows.tangent(i), 2);
  const double aspect = work_.mechanics.laws[c].aspect;
  const auto lambda_T = work_.forces.lambda_T.segment(work_.rows.tangent(i), 2);
  const double force = std::hypot(lambda_T(0), lambda_T(1) / aspect);
  if (force > resolution_.force(i)) {
    friction = lambda_T / force;
  } else {
    const auto rate = work_.forces.gammadot_T.segment(work_.rows.tangent(i), 2);
    const double size = std::hypot(rate(0), aspect * rate(1));
    friction << -rate(0) / size, -aspect * aspect * rate(1) / size;
  }
}

// At the friction limit both sticking and sliding solve (6.35). Sliding is taken, in the direction
// of the limit, unless contacts below their limit hold the row.
void InstantStates::take_limits(ContactStates& states) {
  std::fill(work_.hold.begin(), work_.hold.end(), false);
  for (Index i = 0; i < work_.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    work_.hold[c] = work_.rows.is_unilateral(i) && is_closed(states[c]);
    const bool below = states[c] == ContactState::Stick &&
                       work_.contact_roles[c] == ContactRole::Candidate && is_loaded(i) &&
                       !is_at_limit(i);
    for (Index d = 0; d < work_.rows.dim(i); ++d) {
      work_.hold[static_cast<std::size_t>(work_.rows.row(i) + d)] = below;
    }
  }
  std::fill(at_limit_.begin(), at_limit_.end(), false);
  bool any = false;
  for (const Index i : work_.active) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!is_closed(states[c]) || work_.contact_roles[c] != ContactRole::Candidate) continue;
    // In a plane the law itself is solved while the state lasts.
    if (work_.rows.dim(i) > 1) continue;
    if (is_slip(states[c])) {
      at_limit_[c] = !work_.memory.insists[c] && is_slight(i, work_.gammadot_T(i));
      any = any || at_limit_[c];
      continue;
    }
    if (work_.hold[static_cast<std::size_t>(work_.rows.row(i))] || work_.memory.keeps[c]) continue;
    if (slip_resistance(i) == 0.0) continue;
    if (!work_.selection.is_independent(work_.mechanics.delassus.G, work_.hold, work_.rows.row(i)))
      continue;
    at_limit_[c] = any = true;
  }
  if (!any) return;
  // Where a trigger announces a slip, other contacts at their limit slip, too.
  const bool announced = std::any_of(work_.active.begin(), work_.active.end(), [&](Index i) {
    const std::size_t c = static_cast<std::size_t>(i);
    return work_.memory.left_limit[c] && work_.contact_roles[c] != ContactRole::Candidate &&
           is_slip(states[c]);
  });
  if (!announced && keeps_limits(states)) return;
  if (!announced) keep_what_turns_back(states);
  for (const Index i : work_.active) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!at_limit_[c] || states[c] != ContactState::Stick) continue;
    states[c] = slip_state(-slip_resistance(i));
    work_.friction(work_.rows.tangent(i)) = -slip_sign(states[c]);
    work_.memory.left_limit[c] = true;
  }
}

// Return true if less friction also holds the contacts at their limit, as wedged ones. Forces of
// dependent contacts are not unique, and those of the law lie at a limit whether or not slip is
// imminent. Contacts marked at_limit_ then keep sticking.
bool InstantStates::keeps_limits(ContactStates& states) {
  less_mu_ = work_.mechanics.mu;
  less_bound_ = work_.mechanics.contacts.bound;
  for (Index i = 0; i < work_.rows.nc; ++i) {
    if (!at_limit_[static_cast<std::size_t>(i)]) continue;
    less_mu_(i) *= resolutions::kLessFriction;
    less_bound_(i) *= resolutions::kLessFriction;
  }
  const AccelerationProblem smoother{work_.rows,
                                     work_.mechanics.delassus.G,
                                     work_.mechanics.free_N,
                                     work_.mechanics.free_T,
                                     less_mu_,
                                     less_bound_,
                                     work_.mechanics.laws,
                                     work_.contact_roles,
                                     work_.friction};
  solve_acceleration_law(smoother, work_.solver, less_);
  ++work_.counts.contact_problems;
  if (less_.status != LcpStatus::Solved) return false;
  for (Index i = 0; i < work_.rows.nc; ++i) {
    if (!at_limit_[static_cast<std::size_t>(i)]) continue;
    if (!is_slight(i, less_.gammadot_T(work_.rows.tangent(i)))) return false;
  }
  for (std::size_t c = 0; c < at_limit_.size(); ++c) {
    if (!at_limit_[c]) continue;
    work_.memory.keeps[c] = true;
    states[c] = ContactState::Stick;
  }
  return true;
}

// A contact is at its limit only within a tolerance. Its slip must satisfy its own inequality:
// under its own friction it accelerates in its direction. A contact that would reverse sticks.
void InstantStates::keep_what_turns_back(const ContactStates& states) {
  slip_roles_ = work_.contact_roles;
  slip_friction_ = work_.friction;
  bool any = false;
  for (const Index i : work_.active) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!at_limit_[c] || states[c] != ContactState::Stick) continue;
    const bool positive = slip_resistance(i) < 0.0;
    slip_roles_[c] = positive ? ContactRole::SlidesPositive : ContactRole::SlidesNegative;
    slip_friction_(work_.rows.tangent(i)) = positive ? -1.0 : 1.0;
    any = true;
  }
  if (!any) return;
  const AccelerationProblem slipping{work_.rows,
                                     work_.mechanics.delassus.G,
                                     work_.mechanics.free_N,
                                     work_.mechanics.free_T,
                                     work_.mechanics.mu,
                                     work_.mechanics.contacts.bound,
                                     work_.mechanics.laws,
                                     slip_roles_,
                                     slip_friction_};
  solve_acceleration_law(slipping, work_.solver, less_);
  ++work_.counts.contact_problems;
  if (less_.status != LcpStatus::Solved) return;
  for (const Index i : work_.active) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!at_limit_[c] || states[c] != ContactState::Stick) continue;
    const double along = sliding_sign(slip_roles_[c]) * less_.gammadot_T(work_.rows.tangent(i));
    if (along >= -resolutions::kTurnsBack * resolution_.slip_acceleration(i)) continue;
    at_limit_[c] = false;
    work_.memory.keeps[c] = true;
  }
}

// Where rows are nearly dependent, vanishing accelerations are hardly more accurate than this.
bool InstantStates::is_slight(Index i, double rate) const {
  const Index row = work_.rows.row(i);
  const double slight =
      resolutions::kSlight * work_.forces.radius(i) * work_.mechanics.delassus.G(row, row);
  return std::abs(rate) <= std::max(resolution_.slip_acceleration(i), slight);
}

// Return the friction that opposes the slip of a contact at its limit. A contact without load
// follows the others; for it, return the effect of their friction at its row.
double InstantStates::slip_resistance(Index i) const {
  if (is_loaded(i)) return work_.forces.lambda_T(work_.rows.tangent(i));
  return work_.mechanics.delassus.G.row(work_.rows.row(i))
      .tail(work_.rows.nt)
      .dot(work_.forces.lambda_T);
}

bool InstantStates::is_loaded(Index i) const {
  if (!work_.rows.is_unilateral(i)) return work_.forces.radius(i) > resolution_.force(i);
  return work_.forces.lambda_N(i) > resolution_.force(i);
}

bool InstantStates::is_at_limit(Index i) const {
  const double bound = work_.forces.radius(i);
  const double force = std::abs(work_.forces.lambda_T(work_.rows.tangent(i)));
  return is_loaded(i) && work_.rows.dim(i) == 1 && force >= (1.0 - resolutions::kAtLimit) * bound;
}

}  // namespace nsmb
