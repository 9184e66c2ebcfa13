#include "nsmb/simulation/transition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Impacts without collision at one instant. Each ends the slip of a contact, so that more of them
// would be a cycle.
constexpr int kMostJams = 5;

}  // namespace

Transition::Transition(const System& system, const TransitionOptions& options)
    : work_(system, options),
      resolution_(work_),
      impacts_(work_, resolution_),
      forces_(work_, resolution_),
      states_(work_, resolution_),
      choices_(work_, resolution_),
      indicators_(work_, resolution_),
      less_friction_(work_.rows),
      none_(system.nc(), system.ne()) {}

void Transition::reset() {
  work_.mechanics.rounding.forget();
  work_.memory.begin_anew();
  resolution_.rest_speeds.setZero();
  work_.counts = {};
  work_.roles.clear();
  work_.message.clear();
}

SimulationStatus Transition::resolve(double t, VectorRef y, ContactStates& states,
                                     ElementModes& modes, const ContactFeatures& features,
                                     const Triggers& triggers) {
  work_.mechanics.elements.modes = modes;
  begin(t, y, states, features, triggers);
  collect_touching(states, triggers);
  const SimulationStatus velocities = apply_impacts_and_switches(t, y, states, modes, triggers);
  if (velocities != SimulationStatus::Finished) return velocities;
  for (Index pass = 0; pass <= work_.rows.nc; ++pass) {
    const SimulationStatus found = find_forces(t, y, states, triggers);
    if (found != SimulationStatus::Finished) return found;
    if (work_.options.check_uniqueness) choices_.count_solutions();
    states_.decide(states);
    drop_rounding_forces();
    work_.selection.choose(work_.problem(), states, work_.forces, work_.memory.exhausted,
                           work_.memory.from_rest, work_.roles);
    if (!rest_turns_slips()) break;
    bring_to_rest(t, y);
  }
  work_.roles.refines = is_squeezed();
  // Forces from such equations are rounding of the poses. Forces from the law are not.
  const bool is_weak = work_.roles.is_weak || triggers.jams;
  if (work_.rows.spatial && is_weak && !work_.roles.refines) work_.roles.law_forces = true;
  if (work_.had_impact) {
    work_.events.close_impacts(states);
  } else {
    work_.events.list_changes(y.segment(work_.mechanics.nq(), work_.mechanics.nu()), work_.before,
                              states);
  }
  choices_.count_dependence(states);
  indicators_.prepare();
  return SimulationStatus::Finished;
}

// Return true if forces that nearly cancel hold a contact.
bool Transition::is_squeezed() const {
  return std::any_of(work_.touching.begin(), work_.touching.end(),
                     [&](Index i) { return work_.mechanics.is_squeezed(i, work_.forces); });
}

void Transition::watch(double t, const ConstVectorRef& y) {
  work_.mechanics.update(t, y);
  indicators_.prepare();
}

void Transition::begin(double t, const ConstVectorRef& y, const ContactStates& states,
                       const ContactFeatures& features, const Triggers& triggers) {
  work_.events.clear();
  work_.taken_by_rest = 0.0;
  work_.mechanics.contacts.features = features;
  work_.before = states;
  const bool again = work_.memory.begin(t);
  if (!again) {
    resolution_.forget_perturbation();
    work_.mechanics.rounding.remember();
    work_.mechanics.rounding.forget_impulses();
  }
  work_.memory.recall(triggers, features, again);
  if (again) resolution_.perturb(t, y);
  update(t, y);
}

void Transition::update(double t, const ConstVectorRef& y) {
  work_.mechanics.update(t, y);
  work_.mechanics.measure_rounding(y.segment(work_.mechanics.nq(), work_.mechanics.nu()));
}

// Collect I_S of (8.1): closed contacts, those that fired, and all others within the gap tolerance.
void Transition::collect_touching(const ContactStates& states, const Triggers& triggers) {
  work_.touching.clear();
  work_.active.clear();
  for (Index i = 0; i < work_.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!work_.rows.is_unilateral(i)) {
      work_.active.push_back(i);  // unless the loop below removes it
    } else if (!work_.mechanics.contacts.is_valid(i)) {
      continue;
    } else if (is_closed(states[c]) || triggers.contacts[c] == Trigger::Closes ||
               work_.mechanics.contacts.g_N(i) <= work_.options.gap_tolerance) {
      work_.touching.push_back(i);
      work_.active.push_back(i);
    }
  }
  std::erase_if(work_.active, [&](Index i) {
    const Index required = work_.rows.required_by(i);
    return required >= 0 &&
           !std::binary_search(work_.touching.begin(), work_.touching.end(), required);
  });
}

// Switch the force elements that fired, and those whose mode an impact has ended.
void Transition::apply_switches(double t, VectorRef y, const ContactStates& states,
                                ElementModes& modes, const Triggers& triggers) {
  const System& system = work_.mechanics.system();
  TransitionEvent* event = nullptr;
  bool moved_wall = false;
  for (Index e = 0; e < system.ne(); ++e) {
    const std::size_t k = static_cast<std::size_t>(e);
    // After a switch the function is zero up to rounding. It is checked again during the motion.
    const bool ended = !work_.memory.switched[k] &&
                       work_.mechanics.elements.switch_value(e) < -resolution_.switch_function(e);
    if (!triggers.switches[k] && !ended) continue;
    const bool opens = modes[k] == ElementMode::Closed;
    const ForceElementDescription& element = system.elements()[k];
    const double gamma = work_.mechanics.elements.kinematics.gamma(e);
    if (!opens && has_wall(element.law) &&
        element_force(element, ElementMode::Closed, gamma, work_.mechanics.elements.speed(e)) <=
            0.0) {
      // The mass leaves a wall that would pull. Rounding, or an impact, had put it behind the wall.
      y(y.size() - system.nx() + system.wall(e)) = gamma;
      work_.memory.switched[k] = true;
      moved_wall = true;
      continue;
    }
    modes[k] = opens ? ElementMode::Open : ElementMode::Closed;
    work_.memory.switched[k] = true;
    if (system.wall(e) >= 0) y(y.size() - system.nx() + system.wall(e)) = gamma;
    if (element.state >= 0) y(y.size() - system.nx() + element.state) = opens ? 0.0 : 1.0;
    if (!event) {
      event = &work_.events.next(EventKind::Switch, y.segment(system.nq(), system.nu()), states);
    }
    event->elements[k] = true;
  }
  work_.mechanics.elements.modes = modes;
  if (event || moved_wall) work_.mechanics.update_elements(t, y);
}

SimulationStatus Transition::apply_impacts_and_switches(double t, VectorRef y,
                                                        const ContactStates& states,
                                                        ElementModes& modes,
                                                        const Triggers& triggers) {
  std::vector<bool>& switched = work_.memory.switched;
  std::fill(switched.begin(), switched.end(), false);
  apply_switches(t, y, states, modes, triggers);
  const SimulationStatus impacts = impacts_.apply(t, y, states);
  if (impacts != SimulationStatus::Finished) return impacts;
  work_.had_impact = work_.events.ends_with_impact();
  const std::size_t known = work_.events.size();
  if (known == 0) return SimulationStatus::Finished;
  update(t, y);
  if (work_.had_impact) {
    // The impact may have ended a mode that has just started.
    std::fill(switched.begin(), switched.end(), false);
    apply_switches(t, y, states, modes, none_);
  }
  if (work_.events.size() > known) work_.mechanics.update(t, y);
  return SimulationStatus::Finished;
}

// Find forces and roles by (6.35). Where sliding contacts jam, apply an impact without collision
// first.
SimulationStatus Transition::find_forces(double t, VectorRef y, const ContactStates& states,
                                         const Triggers& triggers) {
  // The momentum balance of an impact holds to rounding. Slip that it leaves lasts, if it can.
  resolution_.takes_rest = !work_.had_impact;
  for (int attempt = 0;; ++attempt) {
    const bool solved = forces_.find(triggers);
    work_.counts.largest_residual = std::max(work_.counts.largest_residual, work_.forces.residual);
    // Rows in space also become dependent where nothing jams. Forces then stay as they were.
    const bool singular = triggers.jams && !work_.had_impact && !forces_.has_come_to_rest() &&
                          (!work_.rows.spatial || is_squeezed());
    if (solved && !singular) return SimulationStatus::Finished;
    // Painlevé: the sliding contacts jam. An impact without collision ends their slip.
    const bool jams = work_.options.on_inconsistent == OnInconsistent::Impact &&
                      attempt < kMostJams &&
                      impacts_.apply_one(y, states, ImpactCourse::WithoutCollision);
    if (!jams) break;
    ++work_.counts.impacts_without_collision;
    work_.had_impact = true;
    update(t, y);
    const SimulationStatus impacts = impacts_.apply(t, y, states);
    if (impacts != SimulationStatus::Finished) return impacts;
  }
  const bool jams = triggers.jams && work_.forces.status == LcpStatus::Solved;
  work_.message = "t = " + to_text(t) + " s: the contact problem of " +
                  work_.describe(jams ? work_.touching : work_.forces.failed) +
                  (jams ? " is within 1e-6 of being singular, where normal forces are unbounded"
                        : verdict(work_.forces.status)) +
                  "; rigid contacts with large friction can jam (Painlevé)";
  work_.message += remedy_of_jam(t, y, states);  // solves other problems
  return SimulationStatus::NoContactSolution;
}

// Return true if taking contacts as being at rest rotates the slip of others. Their slow slip is
// removed at the start of the phase, which changes the slip of others. If that slip is as slow, its
// direction and its friction rotate.
bool Transition::rest_turns_slips() const {
  if (!work_.rows.spatial || work_.had_impact) return false;
  double taken = 0.0, slowest = std::numeric_limits<double>::infinity();
  for (const Index i : work_.active) {
    if (work_.rows.dim(i) < 2) continue;
    const ContactRole role = work_.contact_roles[static_cast<std::size_t>(i)];
    const double slip = work_.mechanics.slip(i);
    if (role == ContactRole::Candidate) taken = std::max(taken, slip);
    if (sliding_sign(role) != 0) slowest = std::min(slowest, slip);
  }
  return taken > slip_in_a_plane::kTurnsSlip * slowest;
}

// Project the velocities onto the rows with γ = 0 of the next phase, as its start would.
void Transition::bring_to_rest(double t, VectorRef y) {
  const std::vector<Index>& rows = work_.roles.entry_rows;
  const Index n = static_cast<Index>(rows.size()), nc = work_.rows.nc;
  Mechanics& mechanics = work_.mechanics;
  Matrix G(n, n);
  Vector gamma(n);
  for (Index k = 0; k < n; ++k) {
    const Index row = rows[static_cast<std::size_t>(k)];
    gamma(k) = row < nc ? mechanics.gamma_N(row) : mechanics.gamma_T(row - nc);
    for (Index j = 0; j < n; ++j) {
      G(k, j) = mechanics.delassus.G(row, rows[static_cast<std::size_t>(j)]);
    }
  }
  DenseLdlt ldlt(n);
  ldlt.compute(G);
  Vector impulse = -gamma;
  ldlt.solve(impulse);
  auto u = y.segment(mechanics.nq(), mechanics.nu());
  const double before = mechanics.kinetic_energy(u);
  for (Index k = 0; k < n; ++k) {
    u += impulse(k) * mechanics.delassus.Minv_W.col(rows[static_cast<std::size_t>(k)]);
  }
  work_.taken_by_rest += before - mechanics.kinetic_energy(u);
  update(t, y);
}

// Set normal forces within their resolution to zero. Rounding must not decide which of several
// dependent contacts continues to carry the load.
void Transition::drop_rounding_forces() {
  for (Index i = 0; i < work_.rows.nc; ++i) {
    const bool slight = work_.rows.is_unilateral(i) && work_.forces.lambda_N(i) > 0.0 &&
                        work_.forces.lambda_N(i) <= resolution_.force(i);
    if (slight) work_.forces.lambda_N(i) = 0.0;
  }
}

// Suggest remedies that have been tried.
std::string Transition::remedy_of_jam(double t, const ConstVectorRef& y,
                                      const ContactStates& states) {
  std::string less_friction;
  for (const double share : {0.9, 0.5, 0.1, 0.0}) {
    const Vector mu = share * work_.mechanics.mu;
    const AccelerationProblem smoother{work_.rows,
                                       work_.mechanics.delassus.G,
                                       work_.mechanics.free_N,
                                       work_.mechanics.free_T,
                                       mu,
                                       work_.mechanics.contacts.bound,
                                       work_.mechanics.laws,
                                       work_.contact_roles,
                                       work_.friction};
    solve_acceleration_law(smoother, work_.solver, less_friction_);
    if (less_friction_.status != LcpStatus::Solved) continue;
    less_friction = "the friction coefficients to " + to_text(share) +
                    " times their values, for which a solution exists.";
    break;
  }
  const bool asks = work_.options.on_inconsistent == OnInconsistent::Stop;
  const bool goes_on = asks && has_motion_after_jam(t, y, states);
  if (goes_on) {
    return ". Use on_inconsistent=\"impact\" to continue the run" +
           (less_friction.empty() ? "." : ", or reduce " + less_friction);
  }
  if (!less_friction.empty()) return ". Reduce " + less_friction;
  return ". Neither an impact without collision nor less friction has a solution. Check the "
         "configuration of the contacts.";
}

// Return true if impacts without collision would lead to a motion. The trial changes nothing but
// mechanics().
bool Transition::has_motion_after_jam(double t, const ConstVectorRef& y,
                                      const ContactStates& states) {
  const TransitionCounts counts = work_.counts;
  const std::size_t events = work_.events.size();
  const std::string message = work_.message;
  Vector after = y;
  bool solved = false;
  for (int attempt = 0; attempt < kMostJams && !solved; ++attempt) {
    if (!impacts_.apply_one(after, states, ImpactCourse::WithoutCollision)) break;
    update(t, after);
    if (impacts_.apply(t, after, states) != SimulationStatus::Finished) break;
    solved = forces_.find_anew();
  }
  work_.counts = counts;
  work_.events.keep(events);
  work_.message = message;
  work_.mechanics.update(t, y);
  return solved;
}

}  // namespace nsmb
