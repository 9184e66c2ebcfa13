#include "nsmb/stepping/many_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

ManyContacts::ManyContacts(Mechanics& mechanics, const TimeSteppingOptions& options)
    : mechanics_(mechanics),
      options_(options),
      place_(mechanics, options.gap_tolerance),
      forces_(mechanics),
      problem_(mechanics),
      y_(mechanics.system().ny()),
      rates_(mechanics.nu() + mechanics.system().nx()),
      delta_(mechanics.nu()),
      u_free_(mechanics.nu()) {
  // The problem has to be symmetric, which linearised forces are not.
  if (options.scheme != SteppingScheme::HalfExplicit) {
    reject("scheme", "half-explicit, for a model with shapes that touch anywhere", "another one");
  }
  if (options.impact_law != ImpactLaw::Moreau) {
    reject("impact_law", "moreau, for a model with shapes that touch anywhere", "another one");
  }
  solver_ = options.sparse;
  solver_.tol = options.tol;
  solver_.measure.impulse_scale = 0.0;
  solver_.measure.scale = stepping::kRest;
}

void ManyContacts::forget() { before_ = {}; }

void ManyContacts::keep() { kept_ = before_; }

void ManyContacts::go_back() { before_ = kept_; }

// Features of a pair follow each other while it rolls: pairs are what a step has asked, or not.
bool ManyContacts::was_asked(const FoundContact& contact) const {
  return std::binary_search(asked_.begin(), asked_.end(),
                            std::pair(contact.shape_1, contact.shape_2));
}

double ManyContacts::passed(const RunState& end) {
  asked_.clear();
  for (const FoundContact& contact : set_.contacts) {
    asked_.emplace_back(contact.shape_1, contact.shape_2);
  }
  std::sort(asked_.begin(), asked_.end());
  const Index nq = mechanics_.nq();
  mechanics_.system().contact_finder()->find_contacts(
      mechanics_.span().inside(end.t), end.y.head(nq), end.y.segment(nq, mechanics_.nu()), 0.0, 0.0,
      at_end_, mechanics_.work());
  double deepest = 0.0;
  for (const FoundContact& contact : at_end_.contacts) {
    if (contact.g_N < -deepest && !was_asked(contact)) deepest = -contact.g_N;
  }
  return deepest;
}

void ManyContacts::step(const RunState& from, double h, StepOutcome& out) {
  out.begin(from);
  look(from, h, out);
  result_.x.resize(0);
  if (!set_.contacts.empty()) {
    prepare(from, h, out);
    solve(out);
    if (out.interrupted) return;
  }
  if (options_.error.size() > 0) last_ = before_;
  decide(out);
  before_.h = h;
  out.switches = options_.error.size() > 0 && !is_as_before();
  end(from, h, out);
}

// Forces in the middle of the step with the velocities they lead to there, so that gyroscopic terms
// are of second order; contacts that touch there.
void ManyContacts::look(const RunState& from, double h, StepOutcome& out) {
  const System& system = mechanics_.system();
  const Index nq = system.nq(), nu = system.nu(), nx = system.nx();
  const double along = options_.theta * h, t = from.t + along;
  const auto u = from.y.segment(nq, nu);
  y_ = from.y;
  move_coordinates(mechanics_, from.t, along, u, y_.head(nq), q_step_);
  place_.settle_modes(t, y_, out.end.modes);
  out.end.y.tail(nx) = y_.tail(nx);
  const double inside = mechanics_.span().inside(t);
  mechanics_.mass.factorise(inside, y_.head(nq));
  add_forces(t, along, u);
  y_.segment(nq, nu) = u_free_;
  add_forces(t, h, u);
  out.end.y.segment(nq, nu) = u_free_;
  out.end.y.tail(nx) += h * rates_.tail(nx);
  out.u_free = u_free_;
  set_.clear();
  system.contact_finder()->find_contacts(inside, y_.head(nq), u, options_.gap_tolerance, 0.0, set_,
                                         mechanics_.work());
}

// Velocities without impulses behind this length, with the forces at y_.
void ManyContacts::add_forces(double t, double length, const ConstVectorRef& u) {
  forces_.evaluate(t, y_, rates_);
  delta_ = length * rates_.head(mechanics_.nu());
  mechanics_.mass.solve(delta_);
  u_free_ = u + delta_;
}

void ManyContacts::prepare(const RunState& from, double h, StepOutcome& out) {
  problem_.assemble(set_, from.y.segment(mechanics_.nq(), mechanics_.nu()), u_free_);
  x_start_.setZero(set_.rows());
  // Impulses of contacts that last are as long as the step.
  const double longer = options_.error.size() > 0 && before_.h > 0.0 ? h / before_.h : 1.0;
  for (const FoundContact& contact : set_.contacts) {
    const Index row = contact.first_row;
    const auto known = before_.contacts.find(contact.identity);
    const bool closed = known != before_.contacts.end() && known->second.closed;
    // What approaches no faster than forces make it in one step has nothing to restitute.
    const double least = std::max(stepping::kRest, std::abs(problem_.free_change()(row)));
    if (!closed && problem_.start()(row) < -least) {
      problem_.restitute(contact);
      out.jumps = true;
    }
    if (known == before_.contacts.end()) continue;
    for (Index k = 0; k < contact.rows; ++k) {
      x_start_(row + k) = longer * known->second.impulses[at(k)];
    }
  }
}

void ManyContacts::solve(StepOutcome& out) {
  solve_sparse_friction(problem_.problem(), solver_, workspace_, result_, &x_start_);
  out.problems = 1;
  out.interrupted = result_.status == SparseFrictionStatus::Interrupted;
  out.iterations = result_.iterations;
  out.residual = result_.residual;
  const bool is_known = result_.x.allFinite() && result_.v.allFinite();
  if (!(result_.residual <= options_.tol)) {
    out.verdict = is_known ? StepVerdict::Missed : StepVerdict::Unsolved;
    if (options_.on_failure == OnStepFailure::Stop) list_missed(out);
  }
  if (!is_known) {
    result_.x.resize(0);
    return;
  }
  problem_.scatter(result_.v, out.end.y.segment(mechanics_.nq(), mechanics_.nu()));
}

// Those that alone are above the tolerance, or the worst, the worst first.
void ManyContacts::list_missed(StepOutcome& out) const {
  if (!result_.x.allFinite()) {
    for (std::size_t k = 0; k < set_.contacts.size(); ++k)
      out.missed.push_back(static_cast<Index>(k));
    return;
  }
  const Vector misses = sparse_friction_misses(problem_.problem(), result_.x, solver_.measure);
  const double bound = std::min(options_.tol, misses.maxCoeff());
  for (Index k = 0; k < misses.size(); ++k) {
    if (misses(k) >= bound) out.missed.push_back(k);
  }
  std::stable_sort(out.missed.begin(), out.missed.end(),
                   [&](Index a, Index b) { return misses(a) > misses(b); });
}

// Impulses and states, by identity for the next step.
void ManyContacts::decide(StepOutcome& out) {
  before_.contacts.clear();
  FoundContacts& found = out.found;
  found.contacts = set_.contacts;
  found.impulses.assign(set_.contacts.size(), {});
  found.states.assign(set_.contacts.size(), ContactState::Open);
  if (result_.x.size() == 0) return;
  const double fastest =
      std::max(problem_.start().cwiseAbs().maxCoeff(),
               (problem_.start() + problem_.free_change()).cwiseAbs().maxCoeff());
  const double nothing =
      std::max(stepping::kRest, std::max(stepping::kNoSlip, options_.tol) * fastest);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const FoundContact& contact = set_.contacts[k];
    const Index row = contact.first_row;
    if (!(result_.x(row) > 0.0)) continue;
    // Rolling rows come before the drilling one, of which either may be missing.
    const bool rolls = problem_.problem().blocks[k].rolling > 0;
    Memory memory;
    for (Index i = 0; i < contact.rows; ++i) {
      memory.impulses[at(i)] = result_.x(row + i);
      found.impulses[k][at(i < 3 || rolls ? i : i + 2)] = result_.x(row + i);
    }
    memory.closed = result_.y(row) - problem_.given()(row) <= nothing;
    if (memory.closed) {
      const double slip =
          (result_.y.segment(row + 1, 2) - problem_.given().segment(row + 1, 2)).norm();
      found.states[k] = slip > nothing ? ContactState::Slip : ContactState::Stick;
    }
    memory.state = found.states[k];
    before_.contacts.emplace(contact.identity, memory);
    keep_book(contact, out);
  }
}

bool ManyContacts::is_as_before() const {
  const auto& last = last_.contacts;
  return last.size() == before_.contacts.size() &&
         std::all_of(last.begin(), last.end(), [&](const auto& one) {
           const auto same = before_.contacts.find(one.first);
           return same != before_.contacts.end() && same->second.state == one.second.state;
         });
}

// Λᵀ γ̄ with the mean of the velocities before and behind, (7.13).
void ManyContacts::keep_book(const FoundContact& contact, StepOutcome& out) const {
  for (Index row = contact.first_row; row < contact.first_row + contact.rows; ++row) {
    const double behind = result_.y(row) - problem_.given()(row);
    out.impact_loss -= 0.5 * result_.x(row) * (problem_.start()(row) + behind);
    out.drive_work -= result_.x(row) * set_.w_tilde[at(row)];
  }
}

void ManyContacts::end(const RunState& from, double h, StepOutcome& out) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const double theta = options_.theta;
  u_mean_ = (1.0 - theta) * from.y.segment(nq, nu) + theta * out.end.y.segment(nq, nu);
  move_coordinates(mechanics_, from.t + theta * h, h, u_mean_, out.end.y.head(nq), q_step_);
  out.end.t = from.t + h;
  if (!out.end.y.allFinite()) return;
  place_.settle_modes(out.end.t, out.end.y, out.end.modes);
  place_walls(mechanics_, out.end.t, out.end.modes, out.end.y);
}

}  // namespace nsmb
