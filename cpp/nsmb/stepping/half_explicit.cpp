#include "nsmb/stepping/half_explicit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "nsmb/core/check.hpp"
#include "nsmb/stepping/set_gain.hpp"
#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/constraint_set.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Contacts that a step reaches bring others with them, seldom more than one after the other.
constexpr int kContactTurns = 5;

}  // namespace

HalfExplicit::HalfExplicit(Mechanics& mechanics, const TimeSteppingOptions& options)
    : mechanics_(mechanics),
      options_(options),
      place_(mechanics, options.gap_tolerance),
      model_(mechanics, options.gap_tolerance),
      centres_(mechanics.system()),
      forces_(mechanics, centres_),
      selection_(mechanics, model_, options.gap_tolerance),
      problem_(mechanics, model_),
      projection_(mechanics, model_),
      groups_(model_.cliques(), mechanics.nu()),
      solver_(options),
      impact_(options.impact_law, options.friction),
      constraints_(mechanics.nu(), mechanics.nb()),
      step_{Vector(mechanics.system().ny()),
            Vector(mechanics.nu()),
            Vector(mechanics.nu()),
            {},
            {},
            {},
            {}} {
  // The problem has to be symmetric, which linearised forces are not.
  if (options.scheme != SteppingScheme::HalfExplicit && !is_projected()) {
    reject("scheme", "half-explicit or projected, for a model with shapes that touch anywhere",
           "another one");
  }
}

void HalfExplicit::forget() {
  memory_.clear();
  carried_.clear();
  found_.clear();
  groups_.clear();
}

// Features of a pair follow each other while it rolls: pairs are what a step has asked, or not.
double HalfExplicit::passed(const RunState& end) {
  passed_.asked.clear();
  for (const FoundContact& contact : set_.contacts) {
    passed_.asked.emplace_back(contact.shape_1, contact.shape_2);
  }
  std::sort(passed_.asked.begin(), passed_.asked.end());
  const Index nq = mechanics_.nq();
  const auto q = end.y.head(nq), u = end.y.segment(nq, mechanics_.nu());
  mechanics_.contacts.features = end.features;
  model_.update(end.t, q, u);
  model_.find(end.t, q, u, 0.0, 0.0, nullptr, passed_.there);
  double deepest = 0.0;
  for (const FoundContact& contact : passed_.there.contacts) {
    const std::pair shapes(contact.shape_1, contact.shape_2);
    const bool was_asked = std::binary_search(passed_.asked.begin(), passed_.asked.end(), shapes);
    if (contact.normal && contact.moves && !was_asked) deepest = std::max(deepest, -contact.g_N);
  }
  return deepest;
}

// What would be through something is met where a step looks: one step leads to just before the
// touch, a brief one looks at it in its middle, so that it strikes there and comes nowhere else in
// the rest of that step.
double HalfExplicit::longest(const RunState& from, double h) {
  if (!model_.finder()) return h;
  const System& system = mechanics_.system();
  const double theta = options_.theta;
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

void HalfExplicit::step(const RunState& from, double h, StepOutcome& out) {
  out.begin(from);
  look(from, h, out);
  if (!step_.y.allFinite() || !step_.u_free.allFinite()) {  // places without a value touch nothing
    out.end.y.head(mechanics_.nq()) = step_.y.head(mechanics_.nq());
    out.end.y.segment(mechanics_.nq(), mechanics_.nu()) = step_.u_free;
    return;
  }
  model_.look(from.t + options_.theta * h, step_.y, out.end);
  find(from, h);
  const bool strikes = decide_impulses(from, h, out);
  if (out.interrupted) return;
  keep_states(h, strikes, out);
  out.jumps = strikes;
  out.switches = options_.error.size() > 0 && !memory_.is_as_before();
  judge_middle(out);
  if (mechanics_.nb() > 0) out.drive_work -= out.Lambda_B.dot(constraints_.w_tilde);
  const auto q_end = out.end.y.head(mechanics_.nq());
  auto u_end = out.end.y.segment(mechanics_.nq(), mechanics_.nu());
  out.u_free = at_end(step_.u_free, q_end);
  u_end = at_end(u_end, q_end);
  end(from.t + h, out);
  if (options_.sleeping && out.verdict == StepVerdict::Solved) rest(h, out);
  groups_.report(h, carried_);
  out.asleep = groups_.count();
  tell(out);
}

// Forces in the middle of the step with the velocities they lead to there, so that gyroscopic terms
// are of second order and do no work.
void HalfExplicit::look(const RunState& from, double h, StepOutcome& out) {
  const System& system = mechanics_.system();
  const Index nq = system.nq(), nu = system.nu(), nx = system.nx();
  const double along = options_.theta * h, t = from.t + along;
  step_.u_start = from.y.segment(nq, nu);
  step_.y = from.y;
  move_coordinates(mechanics_, from.t, along, step_.u_start, step_.y.head(nq), step_.q_step);
  centres_.follow(from.y.head(nq), from.y.head(nq), step_.u_start, along, step_.y.head(nq));
  centres_.transfer(from.y.head(nq), step_.y.head(nq), step_.u_start);
  step_.y.segment(nq, nu) = step_.u_start;
  place_.settle_modes(t, step_.y, out.end.modes);
  out.end.y.tail(nx) = step_.y.tail(nx);
  const double inside = mechanics_.span().inside(t);
  mechanics_.mass.factorise(inside, step_.y.head(nq));
  if (mechanics_.nb() > 0) {
    system.constraint_set()->constraint_kinematics(inside, step_.y.head(nq), step_.u_start,
                                                   constraints_, mechanics_.work());
    problem_.constrain(constraints_.W);
  }
  forces_.evaluate(t, h, step_.y);
  if (groups_.any()) groups_.feel(forces_.rates().head(nu), memory_);
  const auto onto = [&](VectorRef u_p) { hold(0.0, u_p, nullptr); };
  forces_.settle({t, h, options_.theta, step_.u_start, std::cref(onto)}, step_.y);
  step_.u_free = step_.u_start + forces_.change();
  hold(options_.theta, step_.u_free, &out.Lambda_B);
  out.end.y.tail(nx) += h * forces_.rates().tail(nx);
}

// What is left of the forces' equation counts as what is left of the laws.
void HalfExplicit::judge_middle(StepOutcome& out) const {
  out.residual = std::max(out.residual, forces_.residual());
  const double bound = std::max(options_.tol, middle::kRounding);
  if (out.verdict != StepVerdict::Solved || forces_.residual() <= bound) return;
  out.verdict = StepVerdict::Missed;
  out.missed.clear();
}

// Onto constraints, whose velocities vanish where the step looks (share 0), or in the mean ū of
// its begin and its end; the latter conserves energy. Groups at rest stay there.
void HalfExplicit::hold(double share, VectorRef held, Vector* Lambda_B) {
  if (mechanics_.nb() > 0) {
    Vector value = -constraints_.w_tilde;
    if (share > 0.0) {
      value -= (1.0 - share) * (constraints_.W.transpose() * step_.u_start);
      value /= share;
    }
    problem_.hold(value, held, Lambda_B);
  }
  if (groups_.any()) groups_.hold(held);
}

// Contacts near the middle of the step; those that wake a group are found again with it, and only
// those that belong to the step do, unless more may come.
void HalfExplicit::find(const RunState& from, double h) {
  const double theta = options_.theta, rest = theta * h, t = from.t + rest;
  const auto q = step_.y.head(mechanics_.nq());
  if (is_projected()) {
    do {
      selection_.find(t, q, step_.u_start, rest, groups_.at_rest());
    } while (groups_.any() && groups_.meet(selection_.near(), memory_));
    return;
  }
  do {
    step_.u_mean = step_.u_free - step_.u_start;
    selection_.find_held(t, q, step_.u_start, step_.u_mean, rest, theta, rest * memory_.forced(h),
                         memory_, groups_.at_rest());
    if (!groups_.any()) return;
    selection_.take(set_);
  } while (groups_.meet(set_, memory_));
}

// Where the end of a step would lie behind a contact that was open in its middle, the contact
// belongs to the step: a projection alone would push it out again, time after time, with no law
// for the velocity and none for the energy. True: contacts strike.
bool HalfExplicit::decide_impulses(const RunState& from, double h, StepOutcome& out) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  auto q = out.end.y.head(nq);
  auto u = out.end.y.segment(nq, nu);
  if (is_projected()) {
    move(from, h, step_.u_free, q);
    selection_.add_passed(from.t + h, q, at_end(step_.u_free, q));
  }
  for (int turn = 0;; ++turn) {
    bool strikes = false;
    u = step_.u_free;
    out.verdict = StepVerdict::Solved;
    out.missed.clear();
    selection_.take(set_);
    result_.x.resize(0);
    if (!set_.contacts.empty()) {
      strikes = prepare(h, out);
      solver_.solve(problem_, set_, model_, step_.x_start, result_, out);
      if (out.interrupted) return strikes;
      if (result_.x.size() > 0) problem_.scatter(result_.v, u);
    }
    move(from, h, u, q);
    if (!is_projected() || turn == kContactTurns || !out.end.y.allFinite()) return strikes;
    if (!selection_.add_passed(from.t + h, q, at_end(u, q))) return strikes;
  }
}

// True: contacts strike.
bool HalfExplicit::prepare(double h, StepOutcome& out) {
  problem_.assemble(set_, h, step_.u_start, step_.u_free);
  bool strikes = false;
  std::fill(out.strikes.begin(), out.strikes.end(), false);
  memory_.start(set_, h, step_.x_start);
  impact_.begin();
  for (const FoundContact& contact : set_.contacts) {
    if (!contact.normal) continue;
    const Index row = contact.first_row;
    const double theta = options_.theta;
    const double left = contact.g_N + (1.0 - 2.0 * theta) * h * problem_.start()(row);
    // What has hardly left goes on until it touches, from gap_tolerance on without a jump.
    if (!is_projected() && contact.g_N > options_.gap_tolerance) {
      problem_.leave(contact, std::max(0.0, left - options_.gap_tolerance) / (theta * h));
      continue;
    }
    // What approaches no faster than forces make it in one step has nothing to restitute.
    const double least = std::max(stepping::kRest, std::abs(problem_.free_change()(row)));
    // What leaves has as much of it as what strikes: one ε for all that one impact reaches.
    if (!memory_.is_closed(contact) && std::abs(problem_.start()(row)) > least) {
      if (has_one_phase()) problem_.restitute(contact);
      const bool closes = problem_.start()(row) < 0.0;
      if (contact.named >= 0) out.strikes[at(contact.named)] = closes;
      strikes = strikes || closes;
    }
    if (!is_projected() || problem_.given()(row) != 0.0) continue;
    if (left > options_.gap_tolerance) problem_.leave(contact, left / (theta * h));
  }
  if (strikes && !has_one_phase()) collide(out);
  return strikes;
}

// All impacts of the step, before its finite forces.
void HalfExplicit::collide(StepOutcome& out) {
  std::vector<bool> touches;
  for (const FoundContact& contact : set_.contacts) {
    touches.push_back(contact.normal && contact.g_N <= options_.gap_tolerance);
  }
  if (impact_.apply(set_, model_, touches, problem_, out)) return;
  out.verdict = StepVerdict::Unsolved;
  for (std::size_t k = 0; k < touches.size(); ++k) {
    if (touches[k]) out.missed.push_back(model_.number(set_, static_cast<Index>(k)));
  }
}

// Impulses and states, by identity for the next step.
void HalfExplicit::keep_states(double h, bool strikes, StepOutcome& out) {
  memory_.begin(h, selection_.forced());
  carried_.contacts = set_.contacts;
  carried_.impulses.assign(set_.contacts.size(), {});
  carried_.states.assign(set_.contacts.size(), ContactState::Open);
  if (result_.x.size() == 0) return;
  if (mechanics_.nb() > 0) {
    const Vector change = result_.v - problem_.free();
    problem_.add_constraint_impulses(set_, change, result_.x, out.Lambda_B);
  }
  const double fastest =
      std::max(problem_.start().cwiseAbs().maxCoeff(),
               (problem_.start() + problem_.free_change()).cwiseAbs().maxCoeff());
  const double nothing =
      std::max(stepping::kRest, std::max(stepping::kNoSlip, options_.tol) * fastest);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    const KnownContact known = known_of(contact, nothing);
    for (Index i = 0; i < contact.rows; ++i) {
      carried_.impulses[k][place_of(contact, i)] = result_.x(contact.first_row + i);
    }
    carried_.states[k] = known.state;
    keep_book(contact, out);
    if (known.pressed) memory_.keep(contact, known);
  }
  memory_.sort();
  if (impact_.has_struck()) add_impact(out);
  if (strikes) out.gain += gain_of_impulses(problem_, set_, result_, options_.tol);
}

// Impulses and works of impacts that came first.
void HalfExplicit::add_impact(StepOutcome& out) {
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    for (Index i = 0; i < contact.rows; ++i) {
      carried_.impulses[k][place_of(contact, i)] += impact_.impulses()(contact.first_row + i);
    }
    impact_.keep_book(set_, k, out);
  }
  if (mechanics_.nb() > 0) {
    problem_.add_constraint_impulses(set_, impact_.velocities(), impact_.impulses(), out.Lambda_B);
  }
  if (!(impact_.change() > 0.0)) return;
  const double energy = mechanics_.kinetic_energy(step_.u_start);
  if (impact_.change() > stepping::kGain * energy) out.gain = impact_.change();
}

// Among N, T1, T2, R1, R2, D. Rolling rows come before the drilling one; either may be missing.
std::size_t HalfExplicit::place_of(const FoundContact& contact, Index i) const {
  if (!contact.normal) return at(1 + i);
  const bool rolls = model_.mu_R(contact) > 0.0;
  return at(i < 1 + contact.tangents || rolls ? i : i + 2);
}

// What is slower than `nothing` is at rest.
KnownContact HalfExplicit::known_of(const FoundContact& contact, double nothing) const {
  const Index row = contact.first_row, tangent = row + (contact.normal ? 1 : 0);
  const Index dim = contact.tangents;
  KnownContact known;
  // What a solver leaves where nothing presses has moved something, too.
  for (Index i = 0; i < contact.rows; ++i) known.impulses[at(i)] = result_.x(row + i);
  known.pressed = !contact.normal || result_.x(row) > 0.0;
  if (!known.pressed) return known;
  known.closed = known.held = true;
  if (contact.normal) {
    const double behind = result_.y(row) - problem_.given()(row);
    // What restitution of what left has sent back, faster than forces do, strikes next.
    const double least = std::max(nothing, std::abs(problem_.free_change()(row)));
    const bool comes_back = problem_.start()(row) > least && behind < -least;
    known.closed = behind <= nothing && !comes_back;
    known.held =
        known.closed || problem_.given()(row) == 0.0 || contact.g_N > options_.gap_tolerance;
  }
  if (!known.closed) return known;
  const auto slip = result_.y.segment(tangent, dim) - problem_.given().segment(tangent, dim);
  if (!(slip.norm() > nothing)) {
    known.state = ContactState::Stick;
  } else {
    known.state = dim > 1 ? ContactState::Slip : slip_state(slip(0));
  }
  return known;
}

// Λᵀ γ̄ with the mean of the velocities before and behind, (7.13). Of found contacts friction is a
// part of the loss of impacts.
void HalfExplicit::keep_book(const FoundContact& contact, StepOutcome& out) const {
  for (Index row = contact.first_row; row < contact.first_row + contact.rows; ++row) {
    const double behind = result_.y(row) - problem_.given()(row);
    const double loss = -0.5 * result_.x(row) * (problem_.start()(row) + behind);
    const bool is_normal = contact.normal && row == contact.first_row;
    if (contact.named >= 0 && !is_normal) {
      out.friction_loss(contact.named) += loss;
    } else {
      out.impact_loss += loss;
    }
    out.drive_work -= result_.x(row) * set_.w_tilde[at(row)];
  }
}

// Contacts of the description get their own columns, the others are found.
void HalfExplicit::tell(StepOutcome& out) {
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
}

// q of the end of a step whose velocities become u.
void HalfExplicit::move(const RunState& from, double h, const ConstVectorRef& u, VectorRef q) {
  const Index nq = mechanics_.nq();
  const double theta = options_.theta;
  step_.u_mean = (1.0 - theta) * step_.u_start + theta * u;
  q = from.y.head(nq);
  move_coordinates(mechanics_, from.t + theta * h, h, step_.u_mean, q, step_.q_step);
  centres_.follow(from.y.head(nq), step_.y.head(nq), step_.u_mean, h, q);
}

// Velocities of the middle as those at q.
const Vector& HalfExplicit::at_end(const ConstVectorRef& u, const ConstVectorRef& q) {
  step_.u_end = u;
  centres_.transfer(step_.y.head(mechanics_.nq()), q, step_.u_end);
  return step_.u_end;
}

// Onto gaps and constraints, and the modes there.
void HalfExplicit::end(double t, StepOutcome& out) {
  out.end.t = t;
  if (!out.end.y.allFinite()) return;
  if (is_projected()) {
    projection_.apply(t, out.end.y, options_.gap_tolerance, groups_.at_rest());
    out.judge_depth(projection_.deepest(), stepping::kLeftIn * options_.gap_tolerance);
  }
  if (mechanics_.nb() > 0) mechanics_.approach_constraints(t, out.end.y);
  place_.settle_modes(t, out.end.y, out.end.modes);
  place_walls(mechanics_, t, out.end.modes, out.end.y);
}

// Groups that have come to rest lose what is left of their velocities.
void HalfExplicit::rest(double h, StepOutcome& out) {
  if (result_.x.size() == 0 || !groups_.settle(set_, problem_, result_.v)) return;
  out.impact_loss += groups_.ripe_energy(problem_, result_.v);
  groups_.hold_ripe(out.end.y.segment(mechanics_.nq(), mechanics_.nu()));
  forces_.evaluate(out.end.t, h, out.end.y);
  groups_.sleep(forces_.rates().head(mechanics_.nu()), h, set_, carried_, memory_);
  // What sleeps is reported by its group.
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
