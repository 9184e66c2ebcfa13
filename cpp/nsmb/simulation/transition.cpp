#include "nsmb/simulation/transition.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

// Newton's impacts to the end leave approaches of rounding only.
constexpr int kMostEnds = 5;
// A gain of kinetic energy below this part of it is rounding of the sums of its book.
constexpr double kEnergyRounding = 1e-12;

}  // namespace

Triggers::Triggers(Index nc, Index ne)
    : contacts(static_cast<std::size_t>(nc), Trigger::None),
      switches(static_cast<std::size_t>(ne), false) {}

void Triggers::clear() {
  std::fill(contacts.begin(), contacts.end(), Trigger::None);
  std::fill(switches.begin(), switches.end(), false);
  jams = false;
  features = false;
}

TransitionEvent::TransitionEvent(const System& system)
    : contacts(static_cast<std::size_t>(system.nc()), false),
      elements(static_cast<std::size_t>(system.ne()), false),
      u_minus(system.nu()),
      u_plus(system.nu()),
      Lambda_N(Vector::Zero(system.nc())),
      Lambda_T(Vector::Zero(system.nt())),
      Lambda_NC(Lambda_N),
      Lambda_TC(Lambda_T),
      energy(system.rows()) {}

Transition::Transition(const System& system, const TransitionOptions& options)
    : options_(options),
      mechanics_(system),
      rows_(system.rows()),
      solver_(options.friction, options.sliding_compression),
      selection_(rows_),
      forces_(rows_),
      other_forces_(rows_),
      impact_(rows_),
      resolution_(Vector::Zero(rows_.size())),
      free_resolution_(Vector::Zero(rows_.size())),
      rest_speeds_(Vector::Zero(rows_.nc)),
      contact_roles_(static_cast<std::size_t>(rows_.nc), ContactRole::Absent),
      friction_(Vector::Zero(rows_.nt)),
      less_mu_(Vector::Zero(rows_.nc)),
      less_bound_(less_mu_),
      hold_(static_cast<std::size_t>(rows_.size()), false),
      exhausted_(static_cast<std::size_t>(rows_.nc), false),
      left_limit_(exhausted_),
      keeps_(exhausted_),
      insists_(exhausted_),
      at_limit_(exhausted_),
      from_rest_(exhausted_),
      restarts_(exhausted_.size(), 0),
      switched_(static_cast<std::size_t>(system.ne()), false),
      none_(rows_.nc, system.ne()),
      rounding_terms_(Vector::Zero(rows_.size())) {}

void Transition::reset() {
  mechanics_.forget_rounding();
  instant_t_ = std::numeric_limits<double>::quiet_NaN();
  rest_speeds_.setZero();
  counts_ = {};
  roles_.clear();
  message_.clear();
}

TransitionEvent& Transition::next_event(EventKind kind, const ConstVectorRef& u,
                                        const ContactStates& states) {
  if (event_count_ == events_.size()) events_.emplace_back(mechanics_.system());
  TransitionEvent& event = events_[event_count_++];
  event.kind = kind;
  event.course = ImpactCourse::Collision;
  event.approach = 0.0;
  std::fill(event.contacts.begin(), event.contacts.end(), false);
  std::fill(event.elements.begin(), event.elements.end(), false);
  event.u_minus = u;
  event.u_plus = u;
  for (Vector* impulse : {&event.Lambda_N, &event.Lambda_T, &event.Lambda_NC, &event.Lambda_TC}) {
    impulse->setZero();
  }
  event.state_minus = states;
  event.state_plus = states;
  event.energy.change = event.energy.compression = 0.0;
  event.energy.work_N.setZero();
  event.energy.work_T.setZero();
  return event;
}

// Contacts with their velocities: which way they would slide decides whether they jam.
std::string Transition::describe(const std::vector<Index>& contacts) const {
  std::string text;
  for (const Index i : contacts) {
    if (!text.empty()) text += ", ";
    text += mechanics_.system().contacts()[static_cast<std::size_t>(i)].name;
    text += " (gamma_N = " + to_text(mechanics_.gamma_N(i)) +
            ", gamma_T = " + to_text(mechanics_.slip(i)) + " m/s)";
  }
  return text;
}

// I_S of (8.1): closed contacts, those that fired, and all others within the gap tolerance.
void Transition::collect_touching(const ContactStates& states, const Triggers& triggers) {
  touching_.clear();
  active_.clear();
  for (Index i = 0; i < rows_.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!rows_.is_unilateral(i)) {
      active_.push_back(i);
    } else if (!mechanics_.contacts.is_valid(i)) {
      continue;
    } else if (is_closed(states[c]) || triggers.contacts[c] == Trigger::Closes ||
               mechanics_.contacts.g_N(i) <= options_.gap_tolerance) {
      touching_.push_back(i);
      active_.push_back(i);
    }
  }
}

bool Transition::has_approach() const {
  for (const Index i : touching_) {
    if (mechanics_.gamma_N(i) < -zero_velocity(i)) return true;
  }
  return false;
}

// Force elements: those that fired change their mode, and those whose mode an impact has ended.
void Transition::apply_switches(double t, VectorRef y, const ContactStates& states,
                                ElementModes& modes, const Triggers& triggers) {
  const System& system = mechanics_.system();
  TransitionEvent* event = nullptr;
  bool moved_wall = false;
  for (Index e = 0; e < system.ne(); ++e) {
    const std::size_t k = static_cast<std::size_t>(e);
    // Behind a switch the function is zero to rounding; it is looked at again while moving.
    const bool ended = !switched_[k] && mechanics_.element_switch(e) < -switch_tolerance(e);
    if (!triggers.switches[k] && !ended) continue;
    const bool opens = modes[k] == ElementMode::Closed;
    const ForceElementDescription& element = system.elements()[k];
    const double gamma = mechanics_.elements.gamma(e);
    if (!opens && has_wall(element.law) &&
        element_force(element, ElementMode::Closed, gamma, mechanics_.element_speed(e)) <= 0.0) {
      // The mass leaves a wall that would pull: rounding, or an impact, had put it behind the wall.
      y(y.size() - system.nx() + system.wall(e)) = gamma;
      switched_[k] = true;
      moved_wall = true;
      continue;
    }
    modes[k] = opens ? ElementMode::Open : ElementMode::Closed;
    switched_[k] = true;
    if (system.wall(e) >= 0) y(y.size() - system.nx() + system.wall(e)) = gamma;
    if (!event) {
      event = &next_event(EventKind::Switch, y.segment(system.nq(), system.nu()), states);
    }
    event->elements[k] = true;
  }
  mechanics_.modes = modes;
  if (event || moved_wall) mechanics_.update_elements(t, y);
}

// One impact; false: its problem has no solution, or, without collision, none but zero.
bool Transition::apply_impact(VectorRef y, const ContactStates& states, ImpactCourse course) {
  const Index nq = mechanics_.nq();
  auto u = y.segment(nq, mechanics_.nu());
  const ImpactProblem impact{rows_,
                             mechanics_.delassus.G,
                             mechanics_.gamma_N,
                             mechanics_.gamma_T,
                             mechanics_.laws,
                             touching_,
                             &options_.expansion,
                             course,
                             &resolution_};
  mechanics_.velocity_resolutions(options_.rest_velocity, resolution_);
  solve_impact(law_of(options_.impact_law, course), impact, solver_, impact_);
  counts_.contact_problems += impact_.problems;
  counts_.largest_residual = std::max(counts_.largest_residual, impact_.residual);
  if (impact_.status != LcpStatus::Solved) return false;
  if (course == ImpactCourse::WithoutCollision && !(impact_.Lambda_N.maxCoeff() > 0.0))
    return false;
  std::fill(hold_.begin(), hold_.end(), false);
  for (const Index i : touching_) {
    hold_[static_cast<std::size_t>(i)] = true;
    for (Index d = 0; d < rows_.dim(i); ++d) {
      hold_[static_cast<std::size_t>(rows_.row(i) + d)] = !mechanics_.is_frictionless(i);
    }
  }
  if (!selection_.are_independent(mechanics_.delassus.G, hold_)) ++counts_.dependent_impacts;
  TransitionEvent& event = next_event(EventKind::Impact, u, states);
  u.noalias() += mechanics_.delassus.Minv_W.leftCols(rows_.nc) * impact_.Lambda_N;
  u.noalias() += mechanics_.delassus.Minv_W.rightCols(rows_.nt) * impact_.Lambda_T;
  mechanics_.add_impulses(impact_.Lambda_N, impact_.Lambda_T);
  event.u_plus = u;
  for (const Index i : touching_) {
    event.approach = std::max(event.approach, -mechanics_.gamma_N(i));
  }
  event.course = course;
  event.Lambda_N = impact_.Lambda_N;
  event.Lambda_T = impact_.Lambda_T;
  event.Lambda_NC = impact_.Lambda_NC;
  event.Lambda_TC = impact_.Lambda_TC;
  for (const Index i : touching_) {
    event.contacts[static_cast<std::size_t>(i)] = impact_.Lambda_N(i) > 0.0;
  }
  keep_book(impact, impact_, mechanics_.contacts, event.energy);
  // Moving constraints do work; without them a gain is the law's.
  const double gain = event.energy.change;
  const bool moving = mechanics_.contacts.w_tilde_N.any() || mechanics_.contacts.w_tilde_T.any();
  // Near rest the velocities behind an impact are not known any better than this.
  double unresolved = kEnergyRounding * mechanics_.kinetic_energy(event.u_plus);
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    unresolved += std::abs(impact_.Lambda_N(i)) * resolution_(i);
  }
  for (Index k = 0; k < mechanics_.nt(); ++k) {
    unresolved += std::abs(impact_.Lambda_T(k)) * resolution_(mechanics_.nc() + k);
  }
  if (!moving && gain > unresolved) {
    ++counts_.energy_gains;
    counts_.largest_gain = std::max(counts_.largest_gain, gain);
  }
  return true;
}

SimulationStatus Transition::apply_impacts(double t, VectorRef y, const ContactStates& states) {
  // Poisson's law leaves no approach; the others may, by impulses passed on to neighbours. Newton's
  // may hand them to and fro for ever: what follows so many impacts is one.
  const int many = 20 + 10 * static_cast<int>(rows_.nc);
  const bool newton = options_.impact_law == ImpactLaw::Newton;
  const int limit = many + (newton ? kMostEnds : 0);
  for (int count = 0; has_approach(); ++count) {
    if (count == limit) {
      std::vector<Index> approaching;
      for (const Index i : touching_) {
        if (mechanics_.gamma_N(i) < -zero_velocity(i)) approaching.push_back(i);
      }
      message_ = "t = " + to_text(t) + " s: " + std::to_string(limit) +
                 " impacts at one instant do not end the approach of " + describe(approaching) +
                 remedy();
      return SimulationStatus::EventLimit;
    }
    if (!apply_impact(y, states, count < many ? ImpactCourse::Collision : ImpactCourse::ToTheEnd)) {
      message_ = "t = " + to_text(t) + " s: the " +
                 (impact_.in_expansion ? "expansion" : "compression") +
                 " problem of the impact at " + describe(impact_.failed) + verdict(impact_.status);
      message_ += remedy();  // solves other problems
      return SimulationStatus::NoImpactSolution;
    }
    mechanics_.update_contacts(t, y);
    mechanics_.measure_rounding(y.segment(mechanics_.nq(), mechanics_.nu()));
  }
  return SimulationStatus::Finished;
}

AccelerationProblem Transition::problem() const {
  return {rows_,         mechanics_.delassus.G,     mechanics_.free_N, mechanics_.free_T,
          mechanics_.mu, mechanics_.contacts.bound, mechanics_.laws,   contact_roles_,
          friction_};
}

// The last impact of an instant leads to the new states; force elements switch behind it.
void Transition::close_impacts(const ContactStates& after) {
  for (std::size_t k = event_count_; k-- > 0;) {
    events_[k].state_plus = after;
    if (events_[k].kind == EventKind::Impact) return;
    events_[k].state_minus = after;
  }
}

// What this instant has shown so far. Normal forces that ended stay in mind until time moves on:
// dependent contacts hand their load over one by one. And a slip from the limit that ends at once
// was no slip: the force stays at the limit or falls behind it; unless that ends at once, too.
void Transition::recall(double t, const ContactFeatures& features, const Triggers& triggers) {
  const bool again = is_same_instant(t, instant_t_);
  if (!again) {
    for (std::vector<bool>* memory : {&exhausted_, &left_limit_, &keeps_, &insists_}) {
      std::fill(memory->begin(), memory->end(), false);
    }
    std::fill(restarts_.begin(), restarts_.end(), 0);
    rounding_terms_.setZero();
    mechanics_.remember_rounding();
    mechanics_.forget_impulses();
  }
  instant_t_ = t;
  for (std::size_t c = 0; c < triggers.contacts.size(); ++c) {
    const Trigger trigger = triggers.contacts[c];
    const bool gone = !features.slots[c].valid;  // its point has left its features
    if (trigger == Trigger::Detaches || gone) exhausted_[c] = true;
    if (from_rest_[c] && trigger == Trigger::Sticks && again) ++restarts_[c];
    if (keeps_[c] && slips(trigger)) insists_[c] = true;
    keeps_[c] = !insists_[c] && (keeps_[c] || (trigger == Trigger::Sticks && left_limit_[c]));
  }
}

// An instant that does not settle at once may lie where its accelerations are not known as well as
// the sizes of their terms promise: t, being large, is too coarse for them, or w̄ is zero by the
// cancellation of what it is made of. Their change by a few ulps of t and y is what is left.
void Transition::perturb(double t, const ConstVectorRef& y) {
  const double ulps = 4.0 * std::numeric_limits<double>::epsilon();
  const Index nc = rows_.nc;
  mechanics_.update(t, y);
  const Vector free_N = mechanics_.free_N, free_T = mechanics_.free_T;
  Vector moved(y.size());
  rounding_terms_.setZero();
  for (Index pattern = 1; pattern <= 4; pattern *= 2) {
    for (const double way : {ulps, -ulps}) {
      for (Index i = 0; i < y.size(); ++i) moved(i) = y(i) * (1.0 + ((i & pattern) ? way : -way));
      mechanics_.update(t + way * std::abs(t), moved);
      rounding_terms_.head(nc) =
          rounding_terms_.head(nc).cwiseMax((mechanics_.free_N - free_N).cwiseAbs());
      rounding_terms_.tail(rows_.nt) =
          rounding_terms_.tail(rows_.nt).cwiseMax((mechanics_.free_T - free_T).cwiseAbs());
    }
  }
  rounding_terms_ *= 8.0;
}

// A normal force within its resolution is none: which of several dependent contacts goes on to
// carry the load must not be decided by rounding.
void Transition::drop_rounding_forces() {
  for (Index i = 0; i < rows_.nc; ++i) {
    const bool slight = rows_.is_unilateral(i) && forces_.lambda_N(i) > 0.0 &&
                        forces_.lambda_N(i) <= force_tolerance(i);
    if (slight) forces_.lambda_N(i) = 0.0;
  }
}

SimulationStatus Transition::resolve(double t, VectorRef y, ContactStates& states,
                                     ElementModes& modes, const ContactFeatures& features,
                                     const Triggers& triggers) {
  event_count_ = 0;
  mechanics_.contacts.features = features;
  before_ = states;
  const bool again = is_same_instant(t, instant_t_);
  recall(t, features, triggers);
  std::fill(switched_.begin(), switched_.end(), false);
  const auto u = y.segment(mechanics_.nq(), mechanics_.nu());
  mechanics_.modes = modes;
  if (again) perturb(t, y);
  mechanics_.update(t, y);
  mechanics_.measure_rounding(u);
  collect_touching(states, triggers);
  apply_switches(t, y, states, modes, triggers);
  const SimulationStatus impacts = apply_impacts(t, y, states);
  if (impacts != SimulationStatus::Finished) return impacts;
  had_impact_ = event_count_ > 0 && events_[event_count_ - 1].kind == EventKind::Impact;
  if (event_count_ > 0) {
    mechanics_.update(t, y);
    mechanics_.measure_rounding(u);
    const std::size_t known = event_count_;
    if (had_impact_) {
      // The impact may have ended what had just begun.
      std::fill(switched_.begin(), switched_.end(), false);
      apply_switches(t, y, states, modes, none_);
    }
    if (event_count_ > known) mechanics_.update(t, y);
  }
  const SimulationStatus decided = decide(t, y, states, triggers);
  if (decided != SimulationStatus::Finished) return decided;
  if (options_.check_uniqueness) look_for_others();
  decide_states(states);
  if (had_impact_) {
    close_impacts(states);
  } else {
    list_changes(u, before_, states);
  }
  drop_rounding_forces();
  selection_.choose(problem(), states, forces_, exhausted_, from_rest_, roles_);
  count_dependence(states);
  prepare_indicators();
  return SimulationStatus::Finished;
}

}  // namespace nsmb
