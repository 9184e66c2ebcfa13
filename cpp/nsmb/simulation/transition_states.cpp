// The contact states behind an instant, and what is watched while they last.
#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/ambiguity.hpp"
#include "nsmb/simulation/transition.hpp"

namespace nsmb {

namespace {

// A sticking force this close to its bound, relatively, is at the limit.
constexpr double kLimitResolution = 1e-9;

// Of the friction of contacts at their limit, to see whether they are about to slip.
constexpr double kLessFriction = 0.99;
// Of the acceleration that friction alone would give, without that of contacts beside it.
constexpr double kSlight = 1e-7;

// A switch function must fall below zero by more than rounding to be a switch; this part of its
// tolerance is that of numbers of size one, and moves no switch by more.
constexpr double kSwitchRounding = 1e-6;
// Mass and wall move together behind (3.23), to the accuracy with which its instant is located.
constexpr double kTogether = 1e-6;

}  // namespace

double Transition::zero_velocity(Index row) const {
  return mechanics_.velocity_resolution(row, options_.rest_velocity);
}

double Transition::rest_speed(Index i) const {
  return takes_rest_ ? std::max(options_.rest_velocity, rest_speeds_(i)) : options_.rest_velocity;
}

double Transition::zero_slip(Index i) const {
  return mechanics_.slip_velocity_resolution(i, rest_speed(i));
}

// Has slip in a plane become so slow that the law decides?
bool Transition::has_come_to_rest() const {
  for (const Index i : active_) {
    const std::size_t c = static_cast<std::size_t>(i);
    const bool candidate = contact_roles_[c] == ContactRole::Candidate;
    if (candidate && rows_.dim(i) > 1 && is_slip(before_[c])) return true;
  }
  return false;
}

double Transition::acceleration_tolerance(Index row) const {
  return std::max(mechanics_.acceleration_resolution(row, forces_), rounding_terms_(row));
}

double Transition::slip_acceleration_tolerance(Index i) const {
  double largest = acceleration_tolerance(rows_.row(i));
  if (rows_.dim(i) > 1) largest = std::max(largest, acceleration_tolerance(rows_.row(i) + 1));
  return largest;
}

// Below this the normal force of a contact, or the bound of friction alone, counts as zero.
double Transition::force_tolerance(Index i) const {
  const Index row = rows_.is_unilateral(i) ? i : rows_.row(i);
  return acceleration_tolerance(row) / mechanics_.delassus.G(row, row);
}

// Below this the switch function of a force element counts as zero: what the tolerances of gaps and
// velocities make of it.
double Transition::switch_tolerance(Index e) const {
  const std::size_t k = static_cast<std::size_t>(e);
  const ForceElementDescription& element = mechanics_.system().elements()[k];
  const bool closed = mechanics_.modes[k] == ElementMode::Closed;
  const bool by_force = element.law == ElementLaw::Clipped || (has_wall(element.law) && closed);
  if (!by_force) return options_.gap_tolerance;
  return element.c * options_.gap_tolerance + element.d * options_.rest_velocity;
}

// γ̇_T; in a plane its size.
double Transition::gammadot_T(Index i) const {
  const Index t = rows_.tangent(i);
  if (rows_.dim(i) == 1) return forces_.gammadot_T(t);
  return std::hypot(forces_.gammadot_T(t), forces_.gammadot_T(t + 1));
}

// I_N and I_H from velocities; `forced`: triggers overrule where velocities are on the border.
void Transition::assign_roles(const Triggers& triggers, bool forced) {
  std::fill(contact_roles_.begin(), contact_roles_.end(), ContactRole::Absent);
  std::fill(from_rest_.begin(), from_rest_.end(), false);
  friction_.setZero();
  // Who stands in the way of an opening or a slip: closed contacts with normal force left, and
  // sticking ones below their limit.
  std::fill(hold_.begin(), hold_.end(), false);
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    hold_[c] = rows_.is_unilateral(i) && is_closed(before_[c]) && !exhausted_[c];
    if (before_[c] != ContactState::Stick || c >= roles_.size()) continue;
    const FrozenRole& role = roles_[c];
    const bool loaded = role.normal_force || !rows_.is_unilateral(i);
    hold_[static_cast<std::size_t>(rows_.row(i))] =
        loaded && !role.at_bound && !slips(triggers.contacts[c]) && !exhausted_[c] &&
        !mechanics_.is_frictionless(i);
  }
  for (const Index i : active_) assign_role(i, triggers, forced);
}

void Transition::assign_role(Index i, const Triggers& triggers, bool forced) {
  const std::size_t c = static_cast<std::size_t>(i);
  const Matrix& G = mechanics_.delassus.G;
  ContactRole& role = contact_roles_[c];
  if (rows_.is_unilateral(i)) {
    if (mechanics_.gamma_N(i) > zero_velocity(i)) return;
    if (forced && exhausted_[c] && selection_.is_independent(G, hold_, i)) return;
  }
  const Trigger trigger = triggers.contacts[c];
  auto friction = friction_.segment(rows_.tangent(i), rows_.dim(i));
  const bool rough = !mechanics_.is_frictionless(i);
  if (rough && forced && !keeps_[c] && slips(trigger) &&
      selection_.is_independent(G, hold_, rows_.row(i))) {
    const bool positive = trigger == Trigger::SlipsPositive;
    role = positive ? ContactRole::SlidesPositive : ContactRole::SlidesNegative;
    friction(0) = positive ? -1.0 : 1.0;
    left_limit_[c] = true;
  } else if (rough && forced && trigger == Trigger::Sticks) {
    role = ContactRole::Candidate;
  } else {
    role = mechanics_.role(i, rest_speed(i), friction);
  }
}

// Contacts forced open must not be pressed together, contacts forced to slip must not turn round.
bool Transition::forced_roles_hold() const {
  for (const Index i : active_) {
    const ContactRole role = contact_roles_[static_cast<std::size_t>(i)];
    if (role == ContactRole::Absent) {
      if (std::abs(mechanics_.gamma_N(i)) <= zero_velocity(i) &&
          forces_.gammadot_N(i) < -acceleration_tolerance(i)) {
        return false;
      }
    } else if (sliding_sign(role) != 0 && rows_.dim(i) == 1 &&
               std::abs(mechanics_.slip(i)) <= zero_slip(i)) {
      if (sliding_sign(role) * gammadot_T(i) < -slip_acceleration_tolerance(i)) return false;
    }
  }
  return true;
}

void Transition::decide_tangential(Index i, ContactStates& states) {
  const std::size_t c = static_cast<std::size_t>(i);
  const ContactRole role = contact_roles_[c];
  if (rows_.dim(i) > 1) {
    decide_in_plane(i, states);
    return;
  }
  const double zero_a = slip_acceleration_tolerance(i);
  const double gammadot = gammadot_T(i);
  if (sliding_sign(role) != 0) {
    states[c] = slip_state(sliding_sign(role));
  } else if (role == ContactRole::Frictionless) {
    const double gamma_T = mechanics_.slip(i);
    states[c] = std::abs(gamma_T) > zero_slip(i) ? slip_state(gamma_T)
                : std::abs(gammadot) > zero_a    ? slip_state(gammadot)
                                                 : ContactState::Stick;
  } else {
    states[c] = std::abs(gammadot) > zero_a ? slip_state(gammadot) : ContactState::Stick;
  }
  if (is_slip(states[c])) friction_(rows_.tangent(i)) = -slip_sign(states[c]);
}

// Slip in a plane begins against the friction force of the law, (25).
void Transition::decide_in_plane(Index i, ContactStates& states) {
  const std::size_t c = static_cast<std::size_t>(i);
  const bool begins =
      contact_roles_[c] == ContactRole::Candidate && gammadot_T(i) > slip_acceleration_tolerance(i);
  states[c] = contact_roles_[c] == ContactRole::Candidate && !begins ? ContactState::Stick
                                                                     : ContactState::Slip;
  if (!begins) return;
  from_rest_[c] = true;
  auto friction = friction_.segment(rows_.tangent(i), 2);
  const double aspect = mechanics_.laws[c].aspect;
  const auto lambda_T = forces_.lambda_T.segment(rows_.tangent(i), 2);
  const double force = std::hypot(lambda_T(0), lambda_T(1) / aspect);
  if (force > force_tolerance(i)) {
    friction = lambda_T / force;
  } else {
    const auto rate = forces_.gammadot_T.segment(rows_.tangent(i), 2);
    const double size = std::hypot(rate(0), aspect * rate(1));
    friction << -rate(0) / size, -aspect * aspect * rate(1) / size;
  }
}

// States from the solution of (6.35): g̈_N > 0 opens, γ̇_T decides between sticking and slipping.
void Transition::decide_states(ContactStates& states) {
  std::fill(states.begin(), states.end(), ContactState::Open);
  for (const Index i : active_) {
    if (contact_roles_[static_cast<std::size_t>(i)] == ContactRole::Absent) continue;
    if (rows_.is_unilateral(i) && forces_.gammadot_N(i) > acceleration_tolerance(i)) continue;
    decide_tangential(i, states);
  }
  take_limits(states);
}

// At the friction limit sticking and sliding solve (6.35) at once: sliding is taken, in the
// direction of the limit, unless contacts below their limit hold the row.
void Transition::take_limits(ContactStates& states) {
  std::fill(hold_.begin(), hold_.end(), false);
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    hold_[c] = rows_.is_unilateral(i) && is_closed(states[c]);
    const bool below = states[c] == ContactState::Stick &&
                       contact_roles_[c] == ContactRole::Candidate && is_loaded(i) &&
                       !is_at_limit(i);
    for (Index d = 0; d < rows_.dim(i); ++d) {
      hold_[static_cast<std::size_t>(rows_.row(i) + d)] = below;
    }
  }
  std::fill(at_limit_.begin(), at_limit_.end(), false);
  bool any = false;
  for (const Index i : active_) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!is_closed(states[c]) || contact_roles_[c] != ContactRole::Candidate) continue;
    // In a plane the law itself is asked while the state lasts.
    if (rows_.dim(i) > 1) continue;
    if (is_slip(states[c])) {
      at_limit_[c] = !insists_[c] && is_slight(i, gammadot_T(i));
      any = any || at_limit_[c];
      continue;
    }
    if (hold_[static_cast<std::size_t>(rows_.row(i))] || keeps_[c]) continue;
    if (slip_resistance(i) == 0.0) continue;
    if (!selection_.is_independent(mechanics_.delassus.G, hold_, rows_.row(i))) continue;
    at_limit_[c] = any = true;
  }
  if (!any) return;
  // Where a slip is announced, what is at its limit beside it slips, too.
  const bool announced = std::any_of(active_.begin(), active_.end(), [&](Index i) {
    const std::size_t c = static_cast<std::size_t>(i);
    return left_limit_[c] && contact_roles_[c] != ContactRole::Candidate && is_slip(states[c]);
  });
  if (!announced && keeps_limits(states)) return;
  for (const Index i : active_) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!at_limit_[c] || states[c] != ContactState::Stick) continue;
    states[c] = slip_state(-slip_resistance(i));
    friction_(rows_.tangent(i)) = -slip_sign(states[c]);
    left_limit_[c] = true;
  }
}

// Forces of dependent contacts are a choice, and the law's lie at a limit whether anything is about
// to slip or not: what is wedged holds with less friction, too. Contacts marked at_limit_ then keep
// sticking.
bool Transition::keeps_limits(ContactStates& states) {
  less_mu_ = mechanics_.mu;
  less_bound_ = mechanics_.contacts.bound;
  for (Index i = 0; i < rows_.nc; ++i) {
    if (!at_limit_[static_cast<std::size_t>(i)]) continue;
    less_mu_(i) *= kLessFriction;
    less_bound_(i) *= kLessFriction;
  }
  const AccelerationProblem less{
      rows_,       mechanics_.delassus.G, mechanics_.free_N, mechanics_.free_T, less_mu_,
      less_bound_, mechanics_.laws,       contact_roles_,    friction_};
  solve_acceleration_law(less, solver_, other_forces_);
  ++counts_.contact_problems;
  if (other_forces_.status != LcpStatus::Solved) return false;
  for (Index i = 0; i < rows_.nc; ++i) {
    if (!at_limit_[static_cast<std::size_t>(i)]) continue;
    if (!is_slight(i, other_forces_.gammadot_T(rows_.tangent(i)))) return false;
  }
  for (std::size_t c = 0; c < at_limit_.size(); ++c) {
    if (!at_limit_[c]) continue;
    keeps_[c] = true;
    states[c] = ContactState::Stick;
  }
  return true;
}

// Where rows are nearly dependent accelerations that vanish are known to hardly more than this.
bool Transition::is_slight(Index i, double rate) const {
  const Index row = rows_.row(i);
  const double slight = kSlight * forces_.radius(i) * mechanics_.delassus.G(row, row);
  return std::abs(rate) <= std::max(slip_acceleration_tolerance(i), slight);
}

// The friction that opposes the slip of a contact at its limit: its own, or for a contact without
// load, which follows the others, what theirs does at its row.
double Transition::slip_resistance(Index i) const {
  if (is_loaded(i)) return forces_.lambda_T(rows_.tangent(i));
  return mechanics_.delassus.G.row(rows_.row(i)).tail(rows_.nt).dot(forces_.lambda_T);
}

bool Transition::is_loaded(Index i) const {
  if (!rows_.is_unilateral(i)) return forces_.radius(i) > force_tolerance(i);
  return forces_.lambda_N(i) > force_tolerance(i);
}

bool Transition::is_at_limit(Index i) const {
  const double bound = forces_.radius(i);
  const double force = std::abs(forces_.lambda_T(rows_.tangent(i)));
  return is_loaded(i) && rows_.dim(i) == 1 && force >= (1.0 - kLimitResolution) * bound;
}

// Other solutions of (6.35), where they can be enumerated.
void Transition::look_for_others() {
  if (count_acceleration_solutions(problem(), solver_, mechanics_.delassus.Minv_W) > 1) {
    ++counts_.nonunique_problems;
  }
}

// Are the forces of this instant, or even its accelerations, a choice among several?
void Transition::count_dependence(const ContactStates& states) {
  std::fill(hold_.begin(), hold_.end(), false);
  bool slides = false;
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!is_closed(states[c])) continue;
    hold_[c] = rows_.is_unilateral(i);
    const bool rough = !mechanics_.is_frictionless(i);
    slides = slides || (rough && is_slip(states[c]));
    if (!rough || states[c] != ContactState::Stick) continue;
    for (Index d = 0; d < rows_.dim(i); ++d) {
      hold_[static_cast<std::size_t>(rows_.row(i) + d)] = true;
    }
  }
  if (selection_.are_independent(mechanics_.delassus.G, hold_)) return;
  ++counts_.dependent_contacts;
  const Matrix& Minv_W = mechanics_.delassus.Minv_W;
  if ((slides && accelerations_are_a_choice(problem(), hold_, Minv_W, roles_)) || order_decides()) {
    ++counts_.ambiguous_accelerations;
  }
}

// Friction that sticks does not show that it would slip if the load were split in another way. Of
// normal forces that depend on each other the opposite order of contacts takes others first.
bool Transition::order_decides() {
  if (rows_.spatial) return false;  // the split is one there
  std::fill(hold_.begin(), hold_.end(), false);
  bool rough = false;
  for (const Index i : active_) {
    const std::size_t c = static_cast<std::size_t>(i);
    hold_[c] = contact_roles_[c] != ContactRole::Absent && rows_.is_unilateral(i);
    rough = rough || (hold_[c] && !mechanics_.is_frictionless(i));
  }
  if (!rough || selection_.are_independent(mechanics_.delassus.G, hold_)) return false;
  AccelerationProblem backwards = problem();
  backwards.backwards = true;
  solve_acceleration_law(backwards, solver_, other_forces_);
  if (other_forces_.status != LcpStatus::Solved) return false;
  const auto differ = [&](double one, double other, Index row) {
    return std::abs(one - other) > 2.0 * acceleration_tolerance(row);
  };
  for (Index i = 0; i < rows_.nc; ++i) {
    if (differ(forces_.gammadot_N(i), other_forces_.gammadot_N(i), i)) return true;
  }
  for (Index k = 0; k < rows_.nt; ++k) {
    if (differ(forces_.gammadot_T(k), other_forces_.gammadot_T(k), rows_.nc + k)) return true;
  }
  return false;
}

void Transition::list_changes(const ConstVectorRef& u, const ContactStates& before,
                              const ContactStates& after) {
  const auto kind_of = [](ContactState a, ContactState b) {
    if (!is_closed(a)) return EventKind::Touch;
    if (!is_closed(b)) return EventKind::Detach;
    if (b == ContactState::Stick) return EventKind::Stick;
    return a == ContactState::Stick ? EventKind::Slip : EventKind::Reversal;
  };
  for (const EventKind kind : {EventKind::Touch, EventKind::Detach, EventKind::Stick,
                               EventKind::Slip, EventKind::Reversal}) {
    TransitionEvent* event = nullptr;
    for (std::size_t c = 0; c < before.size(); ++c) {
      if (before[c] == after[c] || kind_of(before[c], after[c]) != kind) continue;
      if (!event) {
        event = &next_event(kind, u, before);
        event->state_plus = after;
      }
      event->contacts[c] = true;
    }
  }
}

void Transition::watch(double t, const ConstVectorRef& y) {
  mechanics_.update(t, y);
  prepare_indicators();
}

// Orders of the zeros the indicators have at the start of the phase.
void Transition::prepare_indicators() {
  frictionless_.resize(roles_.size());
  tangential_direction_.resize(roles_.size());
  for (Index i = 0; i < rows_.nc; ++i) {
    frictionless_[static_cast<std::size_t>(i)] = mechanics_.is_frictionless(i);
    tangential_direction_[static_cast<std::size_t>(i)] =
        mechanics_.delassus.G(rows_.row(i), rows_.row(i)) > 0.0;
  }
  list_indicators(roles_, mechanics_.system(), mechanics_.contacts, frictionless_,
                  tangential_direction_, indicators_);
  for (Indicator& indicator : indicators_) prepare_indicator(indicator);
}

// Of the zero of γ_T where slip begins. From its limit it begins without acceleration, but for what
// the limit is known to. In a plane that shows where slip would end at once.
Index Transition::order_of_slip(Index i) const {
  const std::size_t c = static_cast<std::size_t>(i);
  if (insists_[c]) return 3;
  double zero = slip_acceleration_tolerance(i);
  if (left_limit_[c]) {
    const Index row = rows_.row(i);
    const double inaccuracy = kLimitResolution * forces_.radius(i);
    zero = std::max(zero, inaccuracy * mechanics_.delassus.G(row, row));
  }
  const Index order = std::abs(gammadot_T(i)) > zero ? 1 : 2;
  return std::min<Index>(3, order + restarts_[c]);
}

// Is γ_T zero where a phase with slip begins? Clear slip in its direction is not, as where the rest
// of a contact without friction ends, or the phase of another contact: its zero would be displaced.
bool Transition::starts_from_rest(const Indicator& indicator) const {
  const Index i = indicator.contact;
  if (from_rest_[static_cast<std::size_t>(i)]) return true;
  const double slip = mechanics_.slip(i), zero = zero_slip(i);
  return std::abs(slip) <= zero && (rows_.dim(i) > 1 || indicator.sign * slip <= 0.5 * zero);
}

void Transition::prepare_indicator(Indicator& indicator) const {
  const Index i = indicator.contact;
  switch (indicator.kind) {
    case IndicatorKind::Gap:
      indicator.noise = acceleration_tolerance(i);
      if (mechanics_.contacts.g_N(i) <= options_.gap_tolerance) {
        const bool accelerates = forces_.gammadot_N(i) > acceleration_tolerance(i);
        indicator.zeros = mechanics_.gamma_N(i) > zero_velocity(i) ? 1 : accelerates ? 2 : 3;
      }
      break;
    case IndicatorKind::NormalForce:
      indicator.noise = force_tolerance(i);
      if (forces_.lambda_N(i) <= force_tolerance(i)) indicator.zeros = 1;
      break;
    case IndicatorKind::SlipVelocity:
      indicator.noise = zero_slip(i);
      if (starts_from_rest(indicator)) indicator.zeros = order_of_slip(i);
      break;
    case IndicatorKind::ReservePositive:
    case IndicatorKind::ReserveNegative: {
      const double sign = indicator.kind == IndicatorKind::ReservePositive ? 1.0 : -1.0;
      const double bound = forces_.radius(i);
      const Index row = rows_.row(i);
      indicator.noise = mechanics_.mu(i) * force_tolerance(i) +
                        acceleration_tolerance(row) / mechanics_.delassus.G(row, row);
      const double reserve = bound - sign * forces_.lambda_T(rows_.tangent(i));
      if (reserve <= kLimitResolution * bound + force_tolerance(i)) indicator.zeros = 1;
      break;
    }
    case IndicatorKind::RestVelocity:
      indicator.offset = zero_slip(i);
      break;
    case IndicatorKind::Switch: {
      // Zero to rounding behind a switch; a wall that was just left has the velocity of the mass
      // unless an impact took it away, (3.23).
      indicator.offset = kSwitchRounding * switch_tolerance(i);
      const std::size_t e = static_cast<std::size_t>(i);
      if (!switched_[e] || mechanics_.element_switch(i) > indicator.offset) break;
      const bool wall = has_wall(mechanics_.system().elements()[e].law);
      const bool opens = mechanics_.modes[e] == ElementMode::Open;
      const Index place = mechanics_.system().wall(i);
      const double speed = mechanics_.element_speed(i);
      const bool together = wall && opens && !had_impact_ &&
                            std::abs(speed - mechanics_.xdot(place)) <= kTogether * std::abs(speed);
      indicator.zeros = together ? 2 : 1;
      break;
    }
    case IndicatorKind::Law:
    case IndicatorKind::Regularity:
    case IndicatorKind::Approach:
    case IndicatorKind::Domain:
    case IndicatorKind::Margin:
      break;
  }
}

}  // namespace nsmb
