#include "nsmb/stepping/moreau_jean.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/constraint_set.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Contacts that a step reaches bring others with them, seldom more than one after the other.
constexpr int kMoreauTurns = 5;

}  // namespace

MoreauJean::MoreauJean(Mechanics& mechanics, const TimeSteppingOptions& options)
    : mechanics_(mechanics),
      options_(options),
      place_(mechanics, options.gap_tolerance),
      forces_(mechanics),
      columns_(mechanics),
      impact_(options.impact_law),
      projection_(mechanics),
      struck_(at(mechanics.nc()), false),
      solver_(options.friction),
      impulses_(mechanics.rows()),
      constraints_(mechanics.nu(), mechanics.nb()),
      y_(mechanics.system().ny()),
      rates_(mechanics.nu() + mechanics.system().nx()),
      delta_(rates_.size()),
      v_(mechanics.rows()) {}

// Where the end of a step would lie behind a contact that was open in its middle, the contact
// belongs to the step: a projection alone would push it out again, time after time, with no law
// for the velocity and none for the energy.
void MoreauJean::step(const RunState& from, double h, StepOutcome& out) {
  reached_.clear();
  for (int turn = 0;; ++turn) {
    out.begin(from);
    look(from, h, out);
    place_.add(reached_);
    find_matrix(h);
    strike(from, h, out);
    move_freely(out);
    solve(out);
    end(from, h, out);
    if (options_.scheme != SteppingScheme::Projected || !out.end.y.allFinite()) break;
    if (turn == kMoreauTurns || !reaches_more(out)) break;
  }
  if (out.end.y.allFinite()) settle(out);
}

// Contacts that are passed at the end and were not asked.
bool MoreauJean::reaches_more(const StepOutcome& out) {
  const std::size_t before = reached_.size();
  mechanics_.contacts.features = out.end.features;
  mechanics_.update_gaps(out.end.t, out.end.y);
  const ContactKinematics& contacts = mechanics_.contacts;
  const std::vector<Index>& closed = place_.closed();
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (!mechanics_.rows().is_unilateral(i) || !contacts.is_valid(i)) continue;
    if (!(contacts.g_N(i) < -options_.gap_tolerance)) continue;
    if (!std::binary_search(closed.begin(), closed.end(), i)) reached_.push_back(i);
  }
  return reached_.size() > before;
}

// Forces, kinematics and constraints in the middle of the step, where the start leads.
void MoreauJean::look(const RunState& from, double h, StepOutcome& out) {
  const System& system = mechanics_.system();
  const Index nq = system.nq(), nu = system.nu();
  t_ = from.t + options_.theta * h;
  y_ = from.y;
  const auto u = from.y.segment(nq, nu);
  move_coordinates(mechanics_, from.t, options_.theta * h, u, y_.head(nq), q_step_);
  place_.settle_modes(t_, y_, out.end.modes);
  out.end.y.tail(system.nx()) = y_.tail(system.nx());
  if (system.nb() > 0) {
    u_mean_ = from.y.head(nq);
    move_coordinates(mechanics_, from.t, h, u, u_mean_, q_step_);
    system.constraint_set()->constraint_kinematics(mechanics_.span().inside(from.t + h), u_mean_, u,
                                                   constraints_, mechanics_.work());
  }
  place_.look(t_, y_, out.end);
  forces_.evaluate(t_, y_, rates_);
}

// M - θh ∂F/∂u - (θh)² ∂F/∂q B, and likewise of the states.
void MoreauJean::find_matrix(double h) {
  StepMatrix& matrix = columns_.matrix();
  const double along = options_.theta * h;
  delta_ = h * rates_;
  mechanics_.mass.solve(delta_.head(mechanics_.nu()));
  const Matrix& A =
      forces_.linearise(t_, y_, rates_, along, along, mechanics_.mass.entries(), delta_);
  if (!A.allFinite() || !matrix.take(A)) matrix.take_mass();
  matrix.constrain(mechanics_.bilateral.kinematics.W, constraints_.W);
}

// Laws of two phases, and laws that are silent about finite forces: first the impact, then those.
void MoreauJean::strike(const RunState& from, double h, StepOutcome& out) {
  const ContactRows& rows = mechanics_.rows();
  v_.start_N = mechanics_.gamma_N;
  v_.start_T = mechanics_.gamma_T;
  bound_ = h * mechanics_.contacts.bound;
  v_.given_N.setZero();
  v_.given_T.setZero();
  // What approaches no faster than the forces of one step make it has nothing to restitute:
  // contacts at rest stay there.
  delta_ = h * rates_;
  columns_.matrix().solve(delta_);
  columns_.find(place_.closed(), mechanics_.contacts, mechanics_.contacts);
  v_.free_N = Vector::Zero(rows.nc);
  v_.free_T = Vector::Zero(rows.nt);
  columns_.add_rates(delta_.head(mechanics_.nu()), v_.free_N, v_.free_T);
  bool any = false;
  for (const Index i : place_.touching()) {
    const double least = std::max(stepping::kRest, std::abs(v_.free_N(i)));
    const bool restitutes = !is_closed(from.states[at(i)]) && std::abs(v_.start_N(i)) > least;
    const bool strikes = restitutes && v_.start_N(i) < 0.0;
    out.strikes[at(i)] = strikes;
    any = any || strikes;
    // What leaves, too: one ε for all that one impact reaches.
    if (!restitutes || options_.impact_law != ImpactLaw::Moreau) continue;
    const UnilateralContact& law = mechanics_.laws[at(i)];
    v_.given_N(i) = law.e_N * v_.start_N(i);
    for (Index t = rows.tangent(i); t < rows.tangent(i) + rows.dim(i); ++t) {
      v_.given_T(t) = law.e_T * v_.start_T(t);
    }
  }
  out.jumps = any;
  two_phases_ = any && options_.impact_law != ImpactLaw::Moreau;
  if (!two_phases_) return;
  collide(out);
}

// All impacts of the step, before its finite forces.
void MoreauJean::collide(StepOutcome& out) {
  auto u = y_.segment(mechanics_.nq(), mechanics_.nu());
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    struck_[at(i)] = !mechanics_.rows().is_unilateral(i);
  }
  for (const Index i : place_.touching()) struck_[at(i)] = true;
  mechanics_.restrict_to(&struck_);
  mechanics_.update_contacts(t_, y_);
  mechanics_.measure_rounding(u);
  Vector resolution(mechanics_.rows().size());
  mechanics_.velocity_resolutions(stepping::kRest, resolution);
  const ContactKinematics& contacts = mechanics_.contacts;
  const StruckContacts struck{mechanics_.rows(),  mechanics_.delassus.G, contacts.w_tilde_N,
                              contacts.w_tilde_T, mechanics_.laws,       place_.touching(),
                              resolution};
  if (!impact_.apply(struck, v_.start_N, v_.start_T, solver_)) {
    out.verdict = StepVerdict::Unsolved;
    out.missed = place_.touching();
  }
  out.problems += impact_.problems();
  u_mean_ = u;
  mechanics_.delassus.add_accelerations(impact_.Lambda_N(), impact_.Lambda_T(), u_mean_);
  u = u_mean_;
  mechanics_.update_contacts(t_, y_);
  v_.start_N = mechanics_.gamma_N;
  v_.start_T = mechanics_.gamma_T;
}

// Without impulses of contacts; delta_ has what forces do.
void MoreauJean::move_freely(StepOutcome& out) {
  const Index nu = mechanics_.nu();
  const auto u = y_.segment(mechanics_.nq(), nu);
  columns_.matrix().satisfy(u, constraints_.w_tilde, delta_, out.Lambda_B);
  v_.free_N = v_.start_N;
  v_.free_T = v_.start_T;
  columns_.add_rates(delta_.head(nu), v_.free_N, v_.free_T);
  out.u_free = out.end.y.segment(mechanics_.nq(), nu) + delta_.head(nu);
}

void MoreauJean::solve(StepOutcome& out) {
  const StepContacts contacts{mechanics_.rows(), columns_.G(),   v_.free_N,     v_.free_T,
                              v_.given_N,        v_.given_T,     mechanics_.mu, bound_,
                              mechanics_.laws,   place_.closed()};
  solve_step_laws(contacts, options_.tol, solver_, impulses_);
  out.problems += impulses_.problems;
  out.residual = impulses_.residual;
  find_ends();
  if (!impulses_.missed.empty()) {
    out.missed.insert(out.missed.end(), impulses_.missed.begin(), impulses_.missed.end());
    out.verdict = worse(out.verdict, settle_missed(out));
  }
  columns_.add_increments(impulses_.Lambda_N, impulses_.Lambda_T, delta_, out.Lambda_B);
  add_lock(out);
  out.Lambda_N = impulses_.Lambda_N;
  out.Lambda_T = impulses_.Lambda_T;
  if (two_phases_) {
    out.Lambda_N += impact_.Lambda_N();
    out.Lambda_T += impact_.Lambda_T();
  }
}

// Velocities at the end by the impulses at hand.
void MoreauJean::find_ends() {
  v_.end_N = v_.free_N;
  v_.end_T = v_.free_T;
  columns_.add_velocities(impulses_.Lambda_N, impulses_.Lambda_T, v_.end_N, v_.end_T);
}

// Impulses that no step may take become none, and missed_ has what happens instead.
StepVerdict MoreauJean::settle_missed(StepOutcome& out) {
  missed_.emplace(mechanics_, v_, bound_, constraints_.W, impulses_);
  if (!impulses_.unsolved && missed_->are_acceptable(v_, impulses_)) {
    missed_.reset();
    return StepVerdict::Missed;
  }
  const PlasticLock& lock = missed_->lock(impulses_);
  if (!lock.holds) {
    missed_->brake(v_, impulses_);
    missed_.reset();
    find_ends();
    return StepVerdict::Unsolved;
  }
  if (lock.certified) out.residual = lock.residual;
  missed_->put(Vector::Zero(lock.Lambda.size()), impulses_);
  find_ends();
  return lock.certified ? StepVerdict::Solved : StepVerdict::Locked;
}

// What a lock does besides the impulses of all others.
void MoreauJean::add_lock(StepOutcome& out) {
  if (!missed_) return;
  const Vector change = missed_->change();
  delta_.head(mechanics_.nu()) += change;
  columns_.add_rates(change, v_.end_N, v_.end_T);
  if (mechanics_.nb() > 0) out.Lambda_B += missed_->constraint_impulses();
  missed_->put_lock(impulses_);
  missed_.reset();
}

void MoreauJean::end(const RunState& from, double h, StepOutcome& out) {
  const System& system = mechanics_.system();
  const Index nq = system.nq(), nu = system.nu(), nx = system.nx();
  decide_states(mechanics_.rows(), place_.closed(), v_, out.Lambda_N, options_.tol, out.end.states);
  keep_book(out);
  const double theta = options_.theta, t_end = from.t + h;
  auto u = out.end.y.segment(nq, nu);
  u = y_.segment(nq, nu) + delta_.head(nu);
  out.end.y.tail(nx) += delta_.tail(nx);
  u_mean_ = (1.0 - theta) * from.y.segment(nq, nu) + theta * u;
  move_coordinates(mechanics_, t_, h, u_mean_, out.end.y.head(nq), q_step_);
  out.end.t = t_end;
}

// Onto gaps and constraints, and the modes there.
void MoreauJean::settle(StepOutcome& out) {
  const double t_end = out.end.t;
  if (options_.scheme == SteppingScheme::Projected) {
    mechanics_.contacts.features = out.end.features;
    projection_.apply(t_end, out.end.y, options_.gap_tolerance, solver_);
    out.judge_depth(projection_.deepest(), stepping::kLeftIn * options_.gap_tolerance);
  }
  if (mechanics_.nb() > 0) mechanics_.approach_constraints(t_end, out.end.y);
  place_.settle_modes(t_end, out.end.y, out.end.modes);
  place_walls(mechanics_, t_end, out.end.modes, out.end.y);
}

// Λᵀ γ̄ with the mean of the velocities before and behind, (7.13).
void MoreauJean::keep_book(StepOutcome& out) {
  const ContactRows& rows = mechanics_.rows();
  const ContactKinematics& contacts = mechanics_.contacts;
  double work =
      book_impulses(contacts, rows, place_.closed(), impulses_.Lambda_N, impulses_.Lambda_T,
                    {v_.start_N, v_.start_T, v_.end_N, v_.end_T}, out);
  if (two_phases_) {
    for (const Index i : place_.closed()) {
      double drive = -impact_.Lambda_N()(i) * contacts.w_tilde_N(i);
      for (Index t = rows.tangent(i); t < rows.tangent(i) + rows.dim(i); ++t) {
        drive -= impact_.Lambda_T()(t) * contacts.w_tilde_T(t);
      }
      out.drive_work += drive;
      out.friction_loss(i) -= impact_.work_T()(i);
      out.impact_loss -= impact_.work_N()(i) - drive;
    }
    work += impact_.change();
  }
  if (mechanics_.nb() > 0) out.drive_work -= out.Lambda_B.dot(constraints_.w_tilde);
  const auto u = y_.segment(mechanics_.nq(), mechanics_.nu());
  if (!out.has_impact() || are_driven(contacts, rows, place_.closed())) return;
  if (work > stepping::kGain * mechanics_.kinetic_energy(u)) out.gain = work;
}

}  // namespace nsmb
