#include "nsmb/stepping/midpoint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/stepping/set_gain.hpp"
#include "nsmb/stepping/step_energies.hpp"
#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/constraint_set.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Contacts reached by a step can add other contacts, rarely more than once.
constexpr int kContactTurns = 5;

}  // namespace

Midpoint::Midpoint(Mechanics& mechanics, const TimeSteppingOptions& options)
    : mechanics_(mechanics),
      options_(options),
      place_(mechanics, options.gap_tolerance),
      model_(mechanics, options.gap_tolerance),
      flow_(mechanics),
      inertia_(mechanics, model_.cliques(), loaded_cliques(mechanics.system(), model_.cliques())),
      loads_(mechanics, flow_.parts(), inertia_,
             loaded_cliques(mechanics.system(), model_.cliques())),
      selection_(mechanics, model_, options.gap_tolerance),
      problem_(mechanics, model_, inertia_),
      projection_(mechanics, model_),
      groups_(model_.cliques(), mechanics.nu()),
      solver_(options),
      impact_(options.impact_law, options.friction),
      middle_(mechanics) {}

Midpoint::Middle::Middle(const Mechanics& mechanics)
    : constraints(mechanics.nu(), mechanics.nb()),
      y(mechanics.system().ny()),
      u_start(mechanics.nu()),
      u_free(mechanics.nu()),
      x_change(mechanics.system().nx()) {}

void Midpoint::forget() {
  memory_.clear();
  carried_.clear();
  found_.clear();
  groups_.clear();
  middle_.way = 0.0;
}

void Midpoint::remember_as(const Stepper& other) {
  const auto& from = static_cast<const Midpoint&>(other);
  memory_ = from.memory_;
  groups_.sleep_as(from.groups_);
  found_ = from.found_;
  middle_.way = from.middle_.way;
  flow_.go_on_as(from.flow_);
  inertia_.know_as(from.inertia_);
  projection_.know_as(from.projection_);
  mechanics_.mass.know_as(from.mechanics_.mass);
}

void Midpoint::keep() {
  memory_.save();
  if (options_.sleeping) groups_.save();
  middle_.way_before = middle_.way;
}

void Midpoint::go_back() {
  memory_.restore();
  if (options_.sleeping) groups_.restore();
  middle_.way = middle_.way_before;
}

double Midpoint::passed(const RunState& end) {
  mechanics_.contacts.features = end.features;
  return selection_.passed(end.t, end.y, set_);
}

// A body that would pass through another one is stopped where the step evaluates contacts. One step
// leads to just before the touch. A brief step then has the touch in its middle, where the impact
// occurs, and reaches nothing else in its second half.
double Midpoint::longest(const RunState& from, double h) {
  if (!model_.finder()) return h;
  const System& system = mechanics_.system();
  const double theta = middle::kPlace;
  const TouchOnTheWay touch =
      model_.finder()->first_touch(mechanics_.span().inside(from.t), from.y.head(system.nq()),
                                   from.y.segment(system.nq(), system.nu()), options_.gap_tolerance,
                                   h, theta * h, mechanics_.work());
  if (!(touch.time <= h)) return h;
  const double brief = std::min(touch.brief, h);
  const double least = std::max(stepping::kBriefest * brief, stepping::kShortest * options_.step);
  const double meeting = touch.time / theta;
  const bool is_near = meeting <= std::min(2.0 * brief, h);
  return std::min(h, std::max(least, is_near ? meeting : touch.time - theta * brief));
}

void Midpoint::step(const RunState& from, double h, StepOutcome& out) {
  out.begin(from);
  if (!memory_.has_step()) remember(from, h);
  look(from, h, out);
  if (!middle_.y.allFinite() || !middle_.u_free.allFinite()) {  // no value: no contacts
    out.end.y.head(mechanics_.nq()) = middle_.y.head(mechanics_.nq());
    out.end.y.segment(mechanics_.nq(), mechanics_.nu()) = middle_.u_free;
    return;
  }
  model_.look(middle_.t, middle_.y, out.end);
  find(h);
  settle_loads(h, out);
  const bool strikes = decide_impulses(h, out);
  if (out.interrupted) return;
  keep_states(h, strikes, out);
  out.jumps = strikes;
  out.switches = options_.error.size() > 0 && !memory_.is_as_before();
  if (mechanics_.nb() > 0) add_drift_impulses(h, out);
  out.u_free = middle_.u_free;
  end(h, out);
  if (!middle_.is_fine) out.verdict = worse(out.verdict, StepVerdict::Coarse);
  if (options_.sleeping && out.verdict == StepVerdict::Solved) rest(h, out);
  groups_.report(h, carried_);
  out.asleep = groups_.count();
  tell(out);
}

// Contacts that touch at the start of a run without normal velocity count as closed before.
void Midpoint::remember(const RunState& from, double h) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const auto q = from.y.head(nq), u = from.y.segment(nq, nu);
  RunState there = from;
  model_.look(from.t, from.y, there);
  model_.find(from.t, q, u, options_.gap_tolerance, 0.0, nullptr, set_);
  holds_.assign(set_.contacts.size(), Hold::Settles);
  memory_.begin(h, 0.0);
  middle_.rows.resize(set_.contacts.size());
  for (std::size_t k = 0; k < middle_.rows.size(); ++k) middle_.rows[k] = set_.contacts[k].rows;
  middle_.change.resize(set_.rows());
  problem_.rates(set_, middle_.rows, u, middle_.change);
  const double fastest = middle_.change.size() > 0 ? middle_.change.cwiseAbs().maxCoeff() : 0.0;
  const double nothing = std::max(stepping::kRest, options_.tol * fastest);
  for (const FoundContact& contact : set_.contacts) {
    if (!contact.normal || !(std::abs(middle_.change(contact.first_row)) <= nothing)) continue;
    const auto slip = middle_.change.segment(contact.first_row + 1, contact.tangents);
    KnownContact known;
    known.closed = known.held = true;
    known.state = slip.norm() <= nothing ? ContactState::Stick : ContactState::Slip;
    memory_.keep(contact, known);
  }
  memory_.sort();
}

// Constraints also act in both drifts, with forces evaluated at their common end.
void Midpoint::add_drift_impulses(double h, StepOutcome& out) {
  inertia_.leave();
  middle_.lambda_B.resize(mechanics_.nb());
  auto u = middle_.y.segment(mechanics_.nq(), mechanics_.nu());
  for (const Vector* velocities : {&middle_.end, &middle_.u_start}) {
    u = *velocities;
    flow_.constraint_forces(middle_.t, middle_.y, middle_.lambda_B);
    out.Lambda_B += middle::kPlace * h * middle_.lambda_B;
  }
  out.drive_work -= out.Lambda_B.dot(middle_.constraints.w_tilde);
}

// Compute the first drift, and the loads at its end.
void Midpoint::look(const RunState& from, double h, StepOutcome& out) {
  const System& system = mechanics_.system();
  const Index nq = system.nq(), nu = system.nu(), nx = system.nx();
  const double t = from.t + middle::kPlace * h;
  middle_.t = t;
  middle_.t_end = from.t + h;
  middle_.y = from.y;
  middle_.is_fine = flow_.go(from.t, middle::kPlace * h, middle_.y);
  middle_.u_start = middle_.y.segment(nq, nu);
  middle_.u_free.setConstant(std::numeric_limits<double>::quiet_NaN());
  if (!middle_.y.allFinite()) return;
  place_.settle_modes(t, middle_.y, out.end.modes);
  out.end.y.tail(nx) = middle_.y.tail(nx);
  const double inside = mechanics_.span().inside(t);
  inertia_.stand(inside, middle_.y.head(nq));
  if (mechanics_.nb() > 0) {
    system.constraint_set()->constraint_kinematics(inside, middle_.y.head(nq), middle_.u_start,
                                                   middle_.constraints, mechanics_.work());
    problem_.constrain(middle_.constraints.W);
  }
  loads_.evaluate(t, middle_.y);
  if (groups_.any()) groups_.feel(loads_.rates().head(nu), memory_);
  loads_.linearise(t, h, middle_.y);
  middle_.u_free = middle_.u_start + loads_.change();
  hold(middle_.u_free, &out.Lambda_B);
}

// Project velocities onto the constraints. Groups at rest stay at rest.
void Midpoint::hold(VectorRef held, Vector* Lambda_B) {
  if (mechanics_.nb() > 0) problem_.hold(-middle_.constraints.w_tilde, held, Lambda_B);
  if (groups_.any()) groups_.hold(held);
}

// Find contacts near the middle of the step, again if they have woken a group.
void Midpoint::find(double h) {
  const auto q = middle_.y.head(mechanics_.nq());
  do {
    middle_.change = middle_.u_free - middle_.u_start;
    selection_.find(middle_.t, q, middle_.u_start, middle_.change, h, memory_, groups_.at_rest());
  } while (groups_.any() && groups_.meet(selection_.near(), memory_));
}

// If loads respond to impulses beyond the symmetric problem, correct for the impulses of the last
// step.
void Midpoint::settle_loads(double h, StepOutcome& out) {
  if (loads_.are_symmetric()) return;
  selection_.take(set_);
  memory_.start(set_, h, middle_.x_start);
  middle_.change.setZero(mechanics_.nu());
  for (const FoundContact& contact : set_.contacts) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (contact.cliques[side] < 0) continue;
      const double* entry = set_.entries.data() + contact.first_entry[side];
      for (const VelocityRange& range : model_.cliques().members(contact.cliques[side])) {
        for (Index k = range.first; k < range.first + range.size; ++k, entry += contact.rows) {
          const Eigen::Map<const Vector> w(entry, contact.rows);
          middle_.change(k) += w.dot(middle_.x_start.segment(contact.first_row, contact.rows));
        }
      }
    }
  }
  if (!loads_.correct(middle_.change)) return;
  middle_.u_free = middle_.u_start + loads_.change();
  out.Lambda_B.setZero();
  hold(middle_.u_free, &out.Lambda_B);
}

// Decide contacts and impulses. If the end of a step lies beyond a contact that was open in its
// middle, the contact joins the step. A projection alone would push it out in every step, with no
// law for its velocity and its energy. Return true if there are impacts.
bool Midpoint::decide_impulses(double h, StepOutcome& out) {
  auto u = out.end.y.segment(mechanics_.nq(), mechanics_.nu());
  // Most of these contacts are found with the velocities before all forces. Forces are excluded
  // here, since they would move a body at rest onto a neighbouring tile.
  if (selection_.any_closes(middle_.u_start)) {
    drift(middle::kPlace * h, middle_.u_start, out.end.y);
    selection_.add_passed(middle_.t_end, out.end.y);
  }
  for (int turn = 0;; ++turn) {
    bool strikes = false;
    u = middle_.u_free;
    out.verdict = StepVerdict::Solved;
    out.missed.clear();
    middle_.solved = set_.contacts;
    middle_.x_solved = result_.x;
    selection_.take(set_);
    result_.x.resize(0);
    if (!set_.contacts.empty()) {
      strikes = prepare(h, out);
      if (turn > 0) start_from_solved();
      solver_.solve(problem_, set_, model_, middle_.x_start, result_, out);
      if (out.interrupted) return strikes;
      if (result_.x.size() > 0 && problem_.take_mean_slip(set_, result_.y)) {
        solver_.solve(problem_, set_, model_, result_.x, result_, out);
        if (out.interrupted) return strikes;
      }
      if (result_.x.size() > 0) problem_.scatter(result_.v, u);
    }
    middle_.end = u;
    middle_.is_fine = drift(middle::kPlace * h, middle_.end, out.end.y) && middle_.is_fine;
    if (turn == kContactTurns || !out.end.y.allFinite()) return strikes;
    if (!selection_.add_passed(middle_.t_end, out.end.y)) return strikes;
  }
}

// Start the enlarged problem from its solution without the new contacts. Both lists have the same
// order.
void Midpoint::start_from_solved() {
  if (middle_.x_solved.size() == 0) return;
  auto before = middle_.solved.begin();
  for (const FoundContact& contact : set_.contacts) {
    if (before == middle_.solved.end()) return;
    if (before->identity != contact.identity) continue;
    middle_.x_start.segment(contact.first_row, contact.rows) =
        middle_.x_solved.segment(before->first_row, contact.rows);
    ++before;
  }
}

// Drift from the middle of the step with velocities u there.
bool Midpoint::drift(double h, const ConstVectorRef& u, VectorRef y) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  y.segment(nq, nu) = u;
  y.head(nq) = middle_.y.head(nq);
  inertia_.leave();
  return flow_.go(middle_.t, h, y);
}

// Determine the role of a contact in the step. Contacts that approach no faster than forces can
// cause in one step have no restitution. Contacts that separate faster have the same restitution as
// impacts, with one ε for all contacts that an impact reaches.
Midpoint::Hold Midpoint::hold_of(const FoundContact& contact) const {
  const KnownContact* known = memory_.find(contact.identity);
  if (known && known->closed) {
    return known->state == ContactState::Stick ? Hold::Rolls : Hold::Slides;
  }
  const Index row = contact.first_row;
  const double least = std::max(stepping::kRest, std::abs(problem_.free_change()(row)));
  return std::abs(problem_.start()(row)) > least ? Hold::Strikes : Hold::Settles;
}

// Return true if there are impacts.
bool Midpoint::prepare(double h, StepOutcome& out) {
  problem_.assemble(set_, h, middle_.u_start, middle_.u_free);
  bool strikes = false;
  std::fill(out.strikes.begin(), out.strikes.end(), false);
  memory_.start(set_, h, middle_.x_start);
  impact_.begin();
  holds_.assign(set_.contacts.size(), Hold::Settles);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    if (!contact.normal) continue;
    const Index row = contact.first_row;
    const Hold hold = holds_[k] = hold_of(contact);
    if (hold == Hold::Strikes) {
      const bool closes = problem_.start()(row) < 0.0;
      if (contact.named >= 0) out.strikes[at(contact.named)] = closes;
      strikes = strikes || closes;
    }
  }
  roll_together();
  const bool has_two_phases = strikes && !has_one_phase();
  if (has_two_phases) collide(h, out);
  measure();
  middle_.rows.clear();
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    middle_.rows.push_back(holds_[k] == Hold::Slides ? 1 : contact.rows);
  }
  coupled_.assign(problem_.problem(), middle_.rows);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    if (!contact.normal) continue;
    if (lasts(k) && has_two_phases) holds_[k] = Hold::Settles;
    if (lasts(k)) {
      // Where rows depend on one another, means at some contacts only would be contradictory.
      if (coupled_.is_redundant(k)) continue;
      problem_.take_mean(contact, holds_[k] == Hold::Rolls, middle_.held);
      continue;
    }
    if (holds_[k] == Hold::Strikes && has_one_phase()) problem_.restitute(contact, k);
  }
  return strikes;
}

// Make contacts of the same two cliques roll together or not at all. If one slides, a velocity
// shared with another one would have to vanish and to be reversed.
void Midpoint::roll_together() {
  const auto pair = [&](std::size_t k) {
    const auto& cliques = set_.contacts[k].cliques;
    return std::minmax(cliques[0], cliques[1]);
  };
  by_pair_.clear();
  for (std::size_t k = 0; k < holds_.size(); ++k) {
    if (set_.contacts[k].normal) by_pair_.push_back(k);
  }
  std::sort(by_pair_.begin(), by_pair_.end(),
            [&](std::size_t a, std::size_t b) { return pair(a) < pair(b); });
  for (auto first = by_pair_.begin(); first != by_pair_.end();) {
    const auto end =
        std::find_if(first, by_pair_.end(), [&](std::size_t k) { return pair(k) != pair(*first); });
    const bool rolls =
        std::all_of(first, end, [&](std::size_t k) { return holds_[k] == Hold::Rolls; });
    for (; first != end; ++first) {
      if (!rolls && holds_[*first] == Hold::Rolls) holds_[*first] = Hold::Slides;
    }
  }
}

// Set the velocities that a step can resolve.
void Midpoint::measure() {
  const double fastest = problem_.fastest();
  const double share = std::max(stepping::kNoSlip, options_.tol);
  middle_.nothing = std::max(stepping::kRest, share * fastest);
  middle_.held =
      std::min(middle_.nothing, std::max(stepping::kRest, end_projection::kHeld * fastest));
}

// Half of the effect of forces comes before an impact, so that an impact without loss conserves the
// energy. Where something else is touched, forces act after the impact, since they would cause
// impacts of resting contacts.
Vector Midpoint::before_impact() const {
  std::vector<char> waits(at(inertia_.units().count()), 1);
  for (const char does : {0, 1}) {
    for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
      if (static_cast<char>(holds_[k] != Hold::Strikes) != does) continue;
      for (const Index clique : set_.contacts[k].cliques) {
        if (clique >= 0) waits[at(inertia_.unit_of(clique))] = does;
      }
    }
  }
  Vector u = middle_.u_start;
  for (Index k = 0; k < u.size(); ++k) {
    if (waits[at(inertia_.units().of_velocity(k))]) continue;
    u(k) += 0.5 * (middle_.u_free(k) - u(k));
  }
  return u;
}

// Solve all impacts of the step, among its finite forces, with M.
void Midpoint::collide(double h, StepOutcome& out) {
  std::vector<bool> touches;
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    const bool reaches = holds_[k] == Hold::Strikes || contact.g_N <= options_.gap_tolerance;
    touches.push_back(contact.normal && reaches);
  }
  inertia_.use_mass(true);
  const Vector before = before_impact();
  problem_.assemble(set_, h, before, middle_.u_free);
  const bool solved = impact_.apply(set_, model_, touches, problem_, out);
  inertia_.use_mass(false);
  Vector after = before;
  problem_.scatter(problem_.start_velocities(), after);
  problem_.assemble(set_, h, after, middle_.u_free + (after - before));
  if (solved) return;
  out.verdict = StepVerdict::Unsolved;
  for (std::size_t k = 0; k < touches.size(); ++k) {
    if (touches[k]) out.missed.push_back(model_.number(set_, static_cast<Index>(k)));
  }
}

// Store impulses and states by identity, for the next step.
void Midpoint::keep_states(double h, bool strikes, StepOutcome& out) {
  memory_.begin(h, selection_.forced());
  projection_.begin();
  middle_.widest = 0.0;
  carried_.contacts = set_.contacts;
  carried_.impulses.assign(set_.contacts.size(), {});
  carried_.states.assign(set_.contacts.size(), ContactState::Open);
  if (result_.x.size() == 0) {
    middle_.nothing = middle_.held = stepping::kRest;
    return;
  }
  if (mechanics_.nb() > 0) {
    const Vector change = result_.v - problem_.free();
    problem_.add_constraint_impulses(set_, change, result_.x, out.Lambda_B);
  }
  if (!mechanics_.system().constant_directions()) middle_.way += h * problem_.fastest();
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    const KnownContact known = known_of(k, middle_.nothing);
    for (Index i = 0; i < contact.rows; ++i) {
      carried_.impulses[k][place_of(contact, i)] = result_.x(contact.first_row + i);
    }
    carried_.states[k] = known.state;
    keep_book(contact, out);
    if (known.pressed || known.closed) memory_.keep(contact, known);
    if (contact.normal) keep_gap(k, known);
  }
  memory_.sort();
  if (impact_.has_struck()) add_impact(out);
  if (strikes) out.gain += gain_of_impulses(problem_, set_, result_, options_.tol);
}

// Persistent contacts keep their gap. Contacts that separate with a loss, or rest without a force,
// are moved out of penetration. Without a loss this would create energy.
void Midpoint::keep_gap(std::size_t k, const KnownContact& known) {
  const FoundContact& contact = set_.contacts[k];
  if (!known.closed || !lasts(k)) middle_.way = std::numeric_limits<double>::infinity();
  if (known.closed) {
    const bool sticks = known.state == ContactState::Stick;
    middle_.widest = std::max(middle_.widest, contact.g_N);
    projection_.keep(contact, k, sticks ? EndProjection::Way::Sticks : EndProjection::Way::Rests);
    return;
  }
  const double after = result_.y(contact.first_row) - problem_.given()(contact.first_row);
  const bool loses = (known.pressed || after < 0.0) && model_.law(contact).e_N < 1.0;
  if (loses || std::abs(after) <= middle_.nothing) {
    projection_.keep(contact, k, EndProjection::Way::Lifts);
  }
}

// Add impulses and work of the impacts that came first.
void Midpoint::add_impact(StepOutcome& out) {
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    for (Index i = 0; i < contact.rows; ++i) {
      carried_.impulses[k][place_of(contact, i)] += impact_.impulses()(contact.first_row + i);
    }
    impact_.keep_book(set_, k, out);
  }
  if (mechanics_.nb() > 0) {
    inertia_.use_mass(true);
    problem_.add_constraint_impulses(set_, impact_.velocities(), impact_.impulses(), out.Lambda_B);
    inertia_.use_mass(false);
  }
  const double energy = mechanics_.kinetic_energy(middle_.u_start);
  if (impact_.change() > stepping::kGain * energy) out.gain = impact_.change();
}

// Return the position among N, T1, T2, R1, R2, D. Rolling rows come before the drilling row, and
// either may be missing.
std::size_t Midpoint::place_of(const FoundContact& contact, Index i) const {
  if (!contact.normal) return at(1 + i);
  const bool rolls = model_.mu_R(contact) > 0.0;
  return at(i < 1 + contact.tangents || rolls ? i : i + 2);
}

// Motion slower than `nothing` counts as rest. For persistent contacts the mean is compared.
KnownContact Midpoint::known_of(std::size_t k, double nothing) const {
  const FoundContact& contact = set_.contacts[k];
  const Index row = contact.first_row, tangent = row + (contact.normal ? 1 : 0);
  const Index dim = contact.tangents;
  KnownContact known;
  // Solver residuals of contacts without pressure have moved bodies, too.
  for (Index i = 0; i < contact.rows; ++i) known.impulses[at(i)] = result_.x(row + i);
  known.pressed = !contact.normal || result_.x(row) > 0.0;
  known.closed = known.held = true;
  if (contact.normal && lasts(k)) {
    known.closed = result_.y(row) <= nothing;
  } else if (contact.normal && !known.pressed) {
    // A contact next to others that carry the whole load stays closed.
    known.closed = std::abs(result_.y(row) - problem_.given()(row)) <= nothing;
    known.held = known.closed;
  } else if (contact.normal) {
    const double after = result_.y(row) - problem_.given()(row);
    // A separating contact that restitution sends back faster than forces do has its impact in the
    // next step.
    const double least = std::max(nothing, std::abs(problem_.free_change()(row)));
    const bool comes_back = problem_.start()(row) > least && after < -least;
    known.closed = after <= nothing && !comes_back;
    const bool restitutes = holds_[k] == Hold::Strikes && problem_.given()(row) != 0.0;
    known.held = known.closed || !restitutes;
  }
  if (!known.closed) return known;
  Vector slip = result_.y.segment(tangent, dim);
  if (holds_[k] != Hold::Rolls) slip -= problem_.given().segment(tangent, dim);
  if (!(slip.norm() > nothing)) {
    known.state = ContactState::Stick;
  } else {
    known.state = dim > 1 ? ContactState::Slip : slip_state(slip(0));
  }
  return known;
}

// Add Λᵀ γ̄ with the mean of the velocities before and after, (7.13). Friction between shapes is
// recorded as a loss of impacts.
void Midpoint::keep_book(const FoundContact& contact, StepOutcome& out) const {
  for (Index row = contact.first_row; row < contact.first_row + contact.rows; ++row) {
    const double after = result_.y(row) - problem_.given()(row);
    const double loss = -0.5 * result_.x(row) * (problem_.start()(row) + after);
    const bool is_normal = contact.normal && row == contact.first_row;
    if (contact.named >= 0 && !is_normal) {
      out.friction_loss(contact.named) += loss;
    } else {
      out.impact_loss += loss;
    }
    out.drive_work -= result_.x(row) * set_.w_tilde[at(row)];
  }
}

// Store contacts of the description in their columns, and the others as found contacts.
void Midpoint::tell(StepOutcome& out) {
  found_.clear();
  std::fill(out.end.states.begin(), out.end.states.end(), ContactState::Open);
  for (std::size_t k = 0; k < carried_.contacts.size(); ++k) {
    const FoundContact& contact = carried_.contacts[k];
    const std::array<double, 6>& impulses = carried_.impulses[k];
    if (contact.named < 0) {
      found_.contacts.push_back(contact);
      found_.impulses.push_back(impulses);
      found_.states.push_back(carried_.states[k]);
      continue;
    }
    const Index tangent = mechanics_.rows().tangent(contact.named);
    out.Lambda_N(contact.named) = impulses[0];
    for (Index d = 0; d < contact.tangents; ++d) out.Lambda_T(tangent + d) = impulses[at(1 + d)];
    out.end.states[at(contact.named)] = carried_.states[k];
  }
  open_unpressed(mechanics_.rows(), out.end.states);
}

// Complete the end of the step: states of loads, projection, constraints, and modes there.
void Midpoint::end(double h, StepOutcome& out) {
  out.end.t = middle_.t_end;
  if (!out.end.y.allFinite()) return;
  const Index nx = mechanics_.system().nx();
  if (nx > 0) {
    loads_.follow(middle_.end - middle_.u_free, middle_.x_change);
    out.end.y.tail(nx) += loads_.state_change() + middle_.x_change;
  }
  const double reach = middle::kPlace * h * std::max(memory_.forced(h), selection_.forced());
  // Contacts at rest need no projection in every step.
  if (middle_.way < stepping::kLooked * options_.gap_tolerance) {
    projection_.begin();
  } else {
    middle_.way = 0.0;
  }
  const double margin = options_.gap_tolerance + 2.0 * std::max(reach, middle_.widest);
  const EndProjection::Options options{options_.gap_tolerance, margin, middle_.held,
                                       middle::kPlace * h};
  projection_.apply(out.end.t, loads_.rates().head(mechanics_.nu()), options, groups_.at_rest(),
                    out.end.y);
  out.judge_depth(projection_.deepest(), stepping::kLeftIn * options_.gap_tolerance);
  out.impact_loss += projection_.loss();
  out.displaced_work = projection_.work();
  for (const EndProjection::Impulse& impulse : projection_.impulses()) {
    for (std::size_t i = 0; i < impulse.Lambda.size(); ++i) {
      carried_.impulses[impulse.k][i] += impulse.Lambda[i];
    }
  }
  if (mechanics_.nb() > 0) mechanics_.approach_constraints(out.end.t, out.end.y);
  place_.settle_modes(out.end.t, out.end.y, out.end.modes);
  place_walls(mechanics_, out.end.t, out.end.modes, out.end.y);
}

// Remove the remaining velocities of groups that have come to rest.
void Midpoint::rest(double h, StepOutcome& out) {
  if (result_.x.size() == 0 || !groups_.settle(set_, problem_, result_.v)) return;
  out.impact_loss += groups_.ripe_energy(problem_, result_.v);
  groups_.hold_ripe(out.end.y.segment(mechanics_.nq(), mechanics_.nu()));
  loads_.evaluate(out.end.t, out.end.y);
  groups_.sleep(loads_.rates().head(mechanics_.nu()), h, set_, carried_, memory_);
  // Contacts that sleep are reported by their group.
  std::size_t kept = 0;
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    if (groups_.sleeps(set_.contacts[k])) continue;
    carried_.contacts[kept] = carried_.contacts[k];
    carried_.impulses[kept] = carried_.impulses[k];
    carried_.states[kept++] = carried_.states[k];
  }
  carried_.contacts.resize(kept);
  carried_.impulses.resize(kept);
  carried_.states.resize(kept);
}

}  // namespace nsmb
