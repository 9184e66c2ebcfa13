#include "nsmb/simulation/transition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

// A sticking force this close to its bound, relatively, is at the limit.
constexpr double kLimitResolution = 1e-9;

std::string_view reason(LcpStatus status) {
  switch (status) {
    case LcpStatus::NoSolution:
      return "enumeration proves that there is none";
    case LcpStatus::Ray:
      return "Lemke ended on a ray for every covering vector";
    case LcpStatus::PivotLimit:
      return "the pivot limit was reached";
    default:
      return "the solution found is not accurate";
  }
}

bool slips(Trigger trigger) {
  return trigger == Trigger::SlipsPositive || trigger == Trigger::SlipsNegative;
}

}  // namespace

TransitionEvent::TransitionEvent(Index nu, Index nc)
    : contacts(static_cast<std::size_t>(nc), false),
      u_minus(nu),
      u_plus(nu),
      Lambda_N(Vector::Zero(nc)),
      Lambda_T(Vector::Zero(nc)) {}

Transition::Transition(const System& system, const TransitionOptions& options)
    : options_(options),
      mechanics_(system),
      selection_(system.nc()),
      forces_(system.nc()),
      impact_(system.nc()),
      contact_roles_(static_cast<std::size_t>(system.nc()), ContactRole::Absent),
      hold_(static_cast<std::size_t>(2 * system.nc()), false),
      exhausted_(static_cast<std::size_t>(system.nc()), false),
      left_limit_(exhausted_),
      keeps_(exhausted_) {}

void Transition::reset() {
  instant_t_ = std::numeric_limits<double>::quiet_NaN();
  largest_residual_ = 0.0;
  dependent_impacts_ = contact_problems_ = 0;
  roles_.clear();
  message_.clear();
}

TransitionEvent& Transition::next_event() {
  if (event_count_ == events_.size()) events_.emplace_back(mechanics_.nu(), mechanics_.nc());
  TransitionEvent& event = events_[event_count_++];
  std::fill(event.contacts.begin(), event.contacts.end(), false);
  event.Lambda_N.setZero();
  event.Lambda_T.setZero();
  event.energy_loss = 0.0;
  return event;
}

// Contacts that touch, with their velocities: which way they would slide decides whether they jam.
std::string Transition::describe() const {
  std::string text;
  for (const Index i : touching_) {
    if (!text.empty()) text += ", ";
    text += mechanics_.system().contacts()[static_cast<std::size_t>(i)].name;
    text += " (gamma_N = " + to_text(mechanics_.gamma_N(i)) +
            ", gamma_T = " + to_text(mechanics_.gamma_T(i)) + " m/s)";
  }
  return text;
}

// I_S of (8.1): closed contacts, those that fired, and all others within the gap tolerance.
void Transition::collect_touching(const ContactStates& states,
                                  const std::vector<Trigger>& triggers) {
  touching_.clear();
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (is_closed(states[c]) || triggers[c] == Trigger::Closes ||
        mechanics_.contacts.g_N(i) <= options_.gap_tolerance) {
      touching_.push_back(i);
    }
  }
}

bool Transition::has_approach() const {
  for (const Index i : touching_) {
    const double zero = zero_velocity(i);
    if (mechanics_.gamma_N(i) < -zero) return true;
  }
  return false;
}

SimulationStatus Transition::apply_impacts(double t, const ConstVectorRef& q, VectorRef u,
                                           const ContactStates& states,
                                           const std::vector<Trigger>& triggers) {
  const Index nc = mechanics_.nc();
  mechanics_.update(t, q, u);
  mechanics_.measure_rounding(u);
  collect_touching(states, triggers);
  // Poisson's law leaves no approach; Newton's may, by impulses passed on to neighbours.
  const int limit = 20 + 10 * static_cast<int>(nc);
  for (int count = 0; has_approach(); ++count) {
    if (count == limit) {
      message_ = "t = " + to_text(t) + " s: " + std::to_string(limit) +
                 " impacts at one instant do not end the approach of " + describe() +
                 "; try the Poisson impact law";
      return SimulationStatus::EventLimit;
    }
    const ImpactProblem problem{mechanics_.delassus.G, mechanics_.gamma_N, mechanics_.gamma_T,
                                mechanics_.laws, touching_};
    solve_impact(options_.impact_law, problem, lcp_, impact_);
    contact_problems_ += impact_.problems;
    largest_residual_ = std::max(largest_residual_, impact_.residual);
    if (impact_.status != LcpStatus::Solved) {
      message_ = "t = " + to_text(t) + " s: the " +
                 (impact_.in_expansion ? "expansion" : "compression") +
                 " problem of the impact at " + describe() + " has no solution (" +
                 std::string(reason(impact_.status)) +
                 "); try a smaller friction coefficient or another configuration of the contacts";
      return SimulationStatus::NoImpactSolution;
    }
    std::fill(hold_.begin(), hold_.end(), false);
    for (const Index i : touching_) {
      hold_[static_cast<std::size_t>(i)] = true;
      hold_[static_cast<std::size_t>(nc + i)] = !mechanics_.is_frictionless(i);
    }
    if (!selection_.are_independent(mechanics_.delassus.G, hold_)) ++dependent_impacts_;
    TransitionEvent& event = next_event();
    event.kind = EventKind::Impact;
    event.u_minus = u;
    u.noalias() += mechanics_.delassus.Minv_W.leftCols(nc) * impact_.Lambda_N;
    u.noalias() += mechanics_.delassus.Minv_W.rightCols(nc) * impact_.Lambda_T;
    event.u_plus = u;
    event.Lambda_N = impact_.Lambda_N;
    event.Lambda_T = impact_.Lambda_T;
    for (const Index i : touching_) {
      event.contacts[static_cast<std::size_t>(i)] = impact_.Lambda_N(i) > 0.0;
    }
    event.energy_loss = -kinetic_energy_change(problem, impact_, mechanics_.contacts);
    event.state_minus = states;
    event.state_plus = states;
    mechanics_.update_contacts(t, q, u);
    mechanics_.measure_rounding(u);
  }
  return SimulationStatus::Finished;
}

// I_N and I_H from velocities; `forced`: triggers overrule where velocities are on the border.
void Transition::assign_roles(const std::vector<Trigger>& triggers, bool forced) {
  std::fill(contact_roles_.begin(), contact_roles_.end(), ContactRole::Absent);
  const std::size_t nc = before_.size();
  // Who stands in the way of an opening or a slip: closed contacts with normal force left, and
  // sticking ones below their limit.
  for (std::size_t c = 0; c < nc; ++c) {
    hold_[c] = is_closed(before_[c]) && !exhausted_[c];
    hold_[nc + c] = before_[c] == ContactState::Stick && c < roles_.size() &&
                    roles_[c].normal_force && roles_[c].friction_sign == 0 && !slips(triggers[c]) &&
                    !exhausted_[c] && !mechanics_.is_frictionless(static_cast<Index>(c));
  }
  const Matrix& G = mechanics_.delassus.G;
  for (const Index i : touching_) {
    const std::size_t c = static_cast<std::size_t>(i);
    const double zero_N = zero_velocity(i);
    if (mechanics_.gamma_N(i) > zero_N) continue;
    if (forced && exhausted_[c] && selection_.is_independent(G, hold_, i)) continue;
    const double zero_T = zero_velocity(mechanics_.nc() + i);
    const double gamma_T = mechanics_.gamma_T(i);
    ContactRole& role = contact_roles_[c];
    if (mechanics_.is_frictionless(i)) {
      role = ContactRole::Frictionless;
    } else if (forced && !keeps_[c] && slips(triggers[c]) &&
               selection_.is_independent(G, hold_, mechanics_.nc() + i)) {
      role = triggers[c] == Trigger::SlipsPositive ? ContactRole::SlidesPositive
                                                   : ContactRole::SlidesNegative;
      left_limit_[c] = true;
    } else if (std::abs(gamma_T) <= zero_T || (forced && triggers[c] == Trigger::Sticks)) {
      role = ContactRole::Candidate;
    } else {
      role = gamma_T > 0.0 ? ContactRole::SlidesPositive : ContactRole::SlidesNegative;
    }
  }
}

double Transition::zero_velocity(Index row) const {
  return mechanics_.velocity_resolution(row, options_.rest_velocity);
}

double Transition::acceleration_tolerance(Index row) const {
  constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
  return std::max(mechanics_.acceleration_resolution(row, forces_.lambda_N, forces_.lambda_T),
                  rounding * forces_.scale);
}

// Contacts forced open must not be pressed together, contacts forced to slip must not turn round.
bool Transition::forced_roles_hold() const {
  const Index nc = mechanics_.nc();
  for (const Index i : touching_) {
    const ContactRole role = contact_roles_[static_cast<std::size_t>(i)];
    if (role == ContactRole::Absent) {
      if (std::abs(mechanics_.gamma_N(i)) <= zero_velocity(i) &&
          forces_.gammadot_N(i) < -acceleration_tolerance(i)) {
        return false;
      }
    } else if (sliding_sign(role) != 0 &&
               std::abs(mechanics_.gamma_T(i)) <= zero_velocity(nc + i)) {
      if (sliding_sign(role) * forces_.gammadot_T(i) < -acceleration_tolerance(nc + i)) {
        return false;
      }
    }
  }
  return true;
}

void Transition::decide_tangential(Index i, ContactStates& states) const {
  const std::size_t c = static_cast<std::size_t>(i);
  const ContactRole role = contact_roles_[c];
  const double zero_a = acceleration_tolerance(mechanics_.nc() + i);
  const double gammadot_T = forces_.gammadot_T(i);
  if (sliding_sign(role) != 0) {
    states[c] = slip_state(sliding_sign(role));
  } else if (role == ContactRole::Frictionless) {
    const double zero_T = zero_velocity(mechanics_.nc() + i);
    const double gamma_T = mechanics_.gamma_T(i);
    states[c] = std::abs(gamma_T) > zero_T      ? slip_state(gamma_T)
                : std::abs(gammadot_T) > zero_a ? slip_state(gammadot_T)
                                                : ContactState::Stick;
  } else {
    states[c] = std::abs(gammadot_T) > zero_a ? slip_state(gammadot_T) : ContactState::Stick;
  }
}

// States from the solution of (6.35): g̈_N > 0 opens, γ̇_T decides between sticking and slipping.
void Transition::decide_states(ContactStates& states) {
  std::fill(states.begin(), states.end(), ContactState::Open);
  for (const Index i : touching_) {
    if (contact_roles_[static_cast<std::size_t>(i)] == ContactRole::Absent) continue;
    if (forces_.gammadot_N(i) > acceleration_tolerance(i)) continue;
    decide_tangential(i, states);
  }
  // At the friction limit sticking and sliding solve (6.35) at once: sliding is taken, in the
  // direction of the limit, unless contacts below their limit hold the row.
  const std::size_t nc = states.size();
  for (std::size_t c = 0; c < nc; ++c) {
    hold_[c] = is_closed(states[c]);
    hold_[nc + c] = states[c] == ContactState::Stick &&
                    contact_roles_[c] == ContactRole::Candidate &&
                    is_loaded(static_cast<Index>(c)) && !is_at_limit(static_cast<Index>(c));
  }
  for (const Index i : touching_) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (states[c] != ContactState::Stick || contact_roles_[c] != ContactRole::Candidate) continue;
    if (hold_[nc + c] || keeps_[c]) continue;
    const double against = slip_resistance(i);
    if (against == 0.0) continue;
    if (!selection_.is_independent(mechanics_.delassus.G, hold_, mechanics_.nc() + i)) continue;
    states[c] = slip_state(-against);
    left_limit_[c] = true;
  }
}

// The friction that opposes the slip of a contact at its limit: its own, or for a contact without
// load, which follows the others, what theirs does at its row.
double Transition::slip_resistance(Index i) const {
  if (is_loaded(i)) return forces_.lambda_T(i);
  return mechanics_.delassus.G.row(mechanics_.nc() + i).tail(mechanics_.nc()).dot(forces_.lambda_T);
}

bool Transition::is_loaded(Index i) const {
  return forces_.lambda_N(i) > acceleration_tolerance(i) / mechanics_.delassus.G(i, i);
}

bool Transition::is_at_limit(Index i) const {
  const double bound = mechanics_.mu(i) * forces_.lambda_N(i);
  return is_loaded(i) && std::abs(forces_.lambda_T(i)) >= (1.0 - kLimitResolution) * bound;
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
        event = &next_event();
        event->kind = kind;
        event->u_minus = u;
        event->u_plus = u;
        event->state_minus = before;
        event->state_plus = after;
      }
      event->contacts[c] = true;
    }
  }
}

// Orders of the zeros the indicators have at the start of the phase.
void Transition::prepare_indicators() {
  frictionless_.resize(roles_.size());
  tangential_direction_.resize(roles_.size());
  const Index nc = mechanics_.nc();
  for (Index i = 0; i < nc; ++i) {
    frictionless_[static_cast<std::size_t>(i)] = mechanics_.is_frictionless(i);
    tangential_direction_[static_cast<std::size_t>(i)] =
        mechanics_.delassus.G(nc + i, nc + i) > 0.0;
  }
  list_indicators(roles_, frictionless_, tangential_direction_, indicators_);
  for (Indicator& indicator : indicators_) {
    const Index i = indicator.contact;
    const double zero_force = acceleration_tolerance(i) / mechanics_.delassus.G(i, i);
    const double lambda_N = forces_.lambda_N(i);
    const double lambda_T = forces_.lambda_T(i);
    switch (indicator.kind) {
      case IndicatorKind::Gap:
        if (mechanics_.contacts.g_N(i) <= options_.gap_tolerance) {
          const double zero_v = zero_velocity(i);
          const bool accelerates = forces_.gammadot_N(i) > acceleration_tolerance(i);
          indicator.zeros = mechanics_.gamma_N(i) > zero_v ? 1 : accelerates ? 2 : 3;
        }
        break;
      case IndicatorKind::NormalForce:
        if (lambda_N <= zero_force) indicator.zeros = 1;
        break;
      case IndicatorKind::SlipVelocity: {
        const double zero_v = zero_velocity(mechanics_.nc() + i);
        if (std::abs(mechanics_.gamma_T(i)) <= zero_v) {
          const bool accelerates = std::abs(forces_.gammadot_T(i)) > acceleration_tolerance(nc + i);
          indicator.zeros = accelerates ? 1 : 2;
        }
        break;
      }
      case IndicatorKind::ReservePositive:
      case IndicatorKind::ReserveNegative: {
        const double sign = indicator.kind == IndicatorKind::ReservePositive ? 1.0 : -1.0;
        const double bound = mechanics_.mu(i) * lambda_N;
        if (bound - sign * lambda_T <= kLimitResolution * bound + zero_force) indicator.zeros = 1;
        break;
      }
      case IndicatorKind::RestVelocity:
        indicator.offset = zero_velocity(nc + i);
        break;
    }
  }
}

SimulationStatus Transition::resolve(double t, const ConstVectorRef& q, VectorRef u,
                                     ContactStates& states, const std::vector<Trigger>& triggers) {
  event_count_ = 0;
  before_ = states;
  // Normal forces that ended at this instant stay in mind until time moves on: dependent contacts
  // hand their load over one by one.
  // And a slip from the limit that ends at once was no slip: the force stays at the limit or
  // falls behind it.
  if (t != instant_t_) {
    for (std::vector<bool>* memory : {&exhausted_, &left_limit_, &keeps_}) {
      std::fill(memory->begin(), memory->end(), false);
    }
  }
  instant_t_ = t;
  for (std::size_t c = 0; c < triggers.size(); ++c) {
    if (triggers[c] == Trigger::Detaches) exhausted_[c] = true;
    if (triggers[c] == Trigger::Sticks && left_limit_[c]) keeps_[c] = true;
  }
  const SimulationStatus impacts = apply_impacts(t, q, u, states, triggers);
  if (impacts != SimulationStatus::Finished) return impacts;

  const bool had_impact = event_count_ > 0;
  if (had_impact) {
    mechanics_.update(t, q, u);
    mechanics_.measure_rounding(u);
  }
  // After an impact everything is open again; otherwise what fired is settled unless the forces
  // contradict it.
  for (bool forced = !had_impact;; forced = false) {
    assign_roles(triggers, forced);
    const AccelerationProblem problem{mechanics_.delassus.G, mechanics_.free_N, mechanics_.free_T,
                                      mechanics_.mu, contact_roles_};
    solve_acceleration_law(problem, lcp_, forces_);
    ++contact_problems_;
    if (forced && !(forces_.status == LcpStatus::Solved && forced_roles_hold())) continue;
    break;
  }
  largest_residual_ = std::max(largest_residual_, forces_.residual);
  if (forces_.status != LcpStatus::Solved) {
    message_ = "t = " + to_text(t) + " s: the contact problem of " + describe() +
               " has no solution (" + std::string(reason(forces_.status)) +
               "); rigid contacts with large friction can jam (Painlevé): try a smaller friction "
               "coefficient, or compliance at the contact";
    return SimulationStatus::NoContactSolution;
  }
  decide_states(states);
  if (had_impact) {
    events_[event_count_ - 1].state_plus = states;
  } else {
    list_changes(u, before_, states);
  }
  selection_.choose(mechanics_.delassus.G, states, mechanics_.mu, forces_, exhausted_, roles_);
  prepare_indicators();
  return SimulationStatus::Finished;
}

}  // namespace nsmb
