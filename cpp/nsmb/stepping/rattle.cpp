#include "nsmb/stepping/rattle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Newton steps to the place at the end of a step.
constexpr int kRattleSteps = 12;

}  // namespace

Rattle::Rattle(Mechanics& mechanics, const TimeSteppingOptions& options)
    : mechanics_(mechanics),
      options_(options),
      place_(mechanics, options.gap_tolerance),
      forces_(mechanics),
      columns_(mechanics),
      solver_(options.friction),
      first_(mechanics.rows()),
      whole_(mechanics.rows()),
      start_(mechanics.nu(), mechanics.rows()),
      mixed_(mechanics.nu(), mechanics.rows()),
      y_(mechanics.system().ny()),
      rates_(mechanics.nu() + mechanics.system().nx()),
      delta_(rates_.size()),
      v_(mechanics.rows()) {}

void Rattle::step(const RunState& from, double h, StepOutcome& out) {
  out.begin(from);
  look_at_start(from, h);
  move(from, h, out);
  if (!out.end.y.allFinite()) return;
  find_velocities(from, h, out);
  finish(from, h, out);
}

// Forces of the first half, implicit in velocities and states; smooth_ is what they do.
void Rattle::look_at_start(const RunState& from, double h) {
  const Index nu = mechanics_.nu();
  mechanics_.elements.modes = from.modes;
  mechanics_.contacts.features = from.features;
  RunState here = from;
  place_.look(from.t, from.y, here);
  mu_ = mechanics_.mu;
  half_bound_ = 0.5 * h * mechanics_.contacts.bound;
  W_B_ = mechanics_.bilateral.kinematics.W;
  forces_.evaluate(from.t, from.y, rates_);
  smooth_ = h * rates_;
  mechanics_.mass.solve(smooth_.head(nu));
  const Matrix& A =
      forces_.linearise(from.t, from.y, rates_, 0.5 * h, 0.0, mechanics_.mass.entries(), smooth_);
  if (!A.allFinite() || !columns_.matrix().take(A)) {
    throw std::domain_error("the forces have no derivative there");
  }
  smooth_ = 0.5 * h * rates_;
  columns_.matrix().solve(smooth_);
}

// To q_1, by Newton's method on gaps and constraints there.
void Rattle::move(const RunState& from, double h, StepOutcome& out) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  delta_ = smooth_;
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kRattleSteps; ++step) {
    const double change = correct(from, h, step == 0, out);
    const double fastest = std::max(from.y.segment(nq, nu).cwiseAbs().maxCoeff(),
                                    delta_.head(nu).cwiseAbs().maxCoeff());
    if (!(change > stepping::kConverged * fastest)) break;
    if (step > 3 && !(change < 0.5 * before)) break;  // rounding, or gaps that turn too fast
    before = change;
  }
  y_ = from.y;
  y_.tail(nu + mechanics_.system().nx()) += delta_;
  move_coordinates(mechanics_, from.t, h, y_.segment(nq, nu), y_.head(nq), q_step_);
  out.end.y = y_;
}

// One step of it from delta_: how much that changes, m/s.
double Rattle::correct(const RunState& from, double h, bool first, StepOutcome& out) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const double t_end = from.t + h;
  y_ = from.y;
  y_.segment(nq, nu) += delta_.head(nu);
  move_coordinates(mechanics_, from.t, h, y_.segment(nq, nu), y_.head(nq), q_step_);
  if (!y_.allFinite()) return 0.0;
  place_.look(t_end, y_, out.end);
  double deepest = 0.0;
  for (const Index i : place_.touching()) {
    deepest = std::min(deepest, mechanics_.contacts.g_N(i));
  }
  place_.list(std::max(options_.gap_tolerance, -2.0 * deepest));
  if (first) find_start_directions(from, out.end.features);
  const ContactKinematics& there = mechanics_.contacts;
  mixed_.W_N = there.W_N;
  mixed_.W_T = start_.W_T;
  const auto u = y_.segment(nq, nu);
  StepMatrix& matrix = columns_.matrix();
  next_ = smooth_;
  out.Lambda_B.setZero();
  if (mechanics_.nb() > 0) {
    const ConstraintKinematics& constraints = mechanics_.bilateral.kinematics;
    matrix.constrain(W_B_, constraints.W);
    matrix.satisfy(from.y.segment(nq, nu), constraints.g / h - constraints.W.transpose() * u, next_,
                   out.Lambda_B);
  }
  free_ = next_.head(nu);
  columns_.find(place_.closed(), start_, mixed_);
  // Gaps at the end, linearised, over h; slip at the start.
  v_.free_N = there.g_N / h;
  v_.free_T = start_.w_tilde_T;
  columns_.add_normal_rates(next_.head(nu) - delta_.head(nu), v_.free_N);
  columns_.add_tangential_rates(from.y.segment(nq, nu) + next_.head(nu), v_.free_T);
  v_.given_N.setZero();
  v_.given_T.setZero();
  solve_step_laws({mechanics_.rows(), columns_.G(), v_.free_N, v_.free_T, v_.given_N, v_.given_T,
                   mu_, half_bound_, mechanics_.laws, place_.closed()},
                  options_.tol, solver_, first_);
  out.problems += first_.problems;
  columns_.add_increments(first_.Lambda_N, first_.Lambda_T, next_, out.Lambda_B);
  const double change = (next_.head(nu) - delta_.head(nu)).cwiseAbs().maxCoeff();
  delta_ = next_;
  return change;
}

void Rattle::find_start_directions(const RunState& from, const ContactFeatures& features) {
  const System& system = mechanics_.system();
  start_.features = features;
  system.contact_kinematics(mechanics_.span().inside(from.t), from.y.head(system.nq()),
                            from.y.segment(system.nq(), system.nu()), start_, mechanics_.work());
  const auto u = from.y.segment(system.nq(), system.nu());
  v_.start_N = start_.w_tilde_N + start_.W_N.transpose() * u;
  v_.start_T = start_.w_tilde_T + start_.W_T.transpose() * u;
}

// Contacts that close here, and what they restitute.
void Rattle::find_strikes(const RunState& from, StepOutcome& out) {
  const ContactRows& rows = mechanics_.rows();
  const Index nu = mechanics_.nu();
  v_.given_N.setZero();
  v_.given_T.setZero();
  for (const Index i : place_.touching()) {
    const double forced = 2.0 * std::abs(start_.W_N.col(i).dot(smooth_.head(nu)));
    const bool restitutes = !is_closed(from.states[at(i)]) &&
                            std::abs(v_.start_N(i)) > std::max(stepping::kRest, forced);
    out.strikes[at(i)] = restitutes && v_.start_N(i) < 0.0;
    if (out.strikes[at(i)]) out.jumps = true;
    if (!restitutes) continue;  // what leaves does, too: one ε for all that one impact reaches
    v_.given_N(i) = mechanics_.laws[at(i)].e_N * v_.start_N(i);
    for (Index t = rows.tangent(i); t < rows.tangent(i) + rows.dim(i); ++t) {
      v_.given_T(t) = mechanics_.laws[at(i)].e_T * v_.start_T(t);
    }
  }
}

// Velocities at q_1, where y_ stands with those of the middle.
void Rattle::find_velocities(const RunState& from, double h, StepOutcome& out) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  const double t_end = from.t + h;
  place_.settle_modes(t_end, y_, out.end.modes);
  place_.look(t_end, y_, out.end);
  std::vector<Index> closed = place_.closed();
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const bool listed = std::find(closed.begin(), closed.end(), i) != closed.end();
    if (!listed && first_.Lambda_N(i) > 0.0 && mechanics_.contacts.is_valid(i)) closed.push_back(i);
  }
  std::sort(closed.begin(), closed.end());
  place_.take(closed);
  forces_.evaluate(t_end, y_, rates_);
  StepMatrix& matrix = columns_.matrix();
  matrix.take_mass();
  matrix.constrain(mechanics_.bilateral.kinematics.W, mechanics_.bilateral.kinematics.W);
  delta_ = 0.5 * h * rates_;
  matrix.solve(delta_);
  const auto u = y_.segment(nq, nu);
  matrix.satisfy(u, mechanics_.bilateral.kinematics.w_tilde, delta_, out.Lambda_B);
  columns_.find(place_.closed(), mechanics_.contacts, mechanics_.contacts);
  find_strikes(from, out);
  bound_ = half_bound_ + 0.5 * h * mechanics_.contacts.bound;
  v_.free_N = mechanics_.gamma_N;
  v_.free_T = mechanics_.gamma_T;
  columns_.add_rates(delta_.head(nu), v_.free_N, v_.free_T);
  columns_.add_velocities(-first_.Lambda_N, -first_.Lambda_T, v_.free_N, v_.free_T);
  solve_step_laws({mechanics_.rows(), columns_.G(), v_.free_N, v_.free_T, v_.given_N, v_.given_T,
                   mechanics_.mu, bound_, mechanics_.laws, place_.closed()},
                  options_.tol, solver_, whole_);
  v_.end_N = v_.free_N;
  v_.end_T = v_.free_T;
  columns_.add_velocities(whole_.Lambda_N, whole_.Lambda_T, v_.end_N, v_.end_T);
  out.u_free = from.y.segment(nq, nu) + free_ + delta_.head(nu);
  columns_.add_increments(whole_.Lambda_N - first_.Lambda_N, whole_.Lambda_T - first_.Lambda_T,
                          delta_, out.Lambda_B);
  tell(out);
}

// The verdict of both problems, states and energies.
void Rattle::tell(StepOutcome& out) {
  const ContactRows& rows = mechanics_.rows();
  out.problems += whole_.problems;
  out.residual = std::max(first_.residual, whole_.residual);
  out.missed = first_.missed;
  out.missed.insert(out.missed.end(), whole_.missed.begin(), whole_.missed.end());
  if (!out.missed.empty()) {
    const bool unsolved = first_.unsolved || whole_.unsolved;
    out.verdict = unsolved ? StepVerdict::Unsolved : StepVerdict::Missed;
  }
  out.Lambda_N = whole_.Lambda_N;
  out.Lambda_T = whole_.Lambda_T;
  decide_states(rows, place_.closed(), v_, out.Lambda_N, options_.tol, out.end.states);
  // Of the first half along the directions of the start, of the second along those of the end.
  const Index nu = mechanics_.nu();
  const auto u_half = y_.segment(mechanics_.nq(), nu);
  const Vector half_N = start_.w_tilde_N + start_.W_N.transpose() * u_half;
  const Vector half_T = start_.w_tilde_T + start_.W_T.transpose() * u_half;
  double work = book_impulses(start_, rows, place_.closed(), first_.Lambda_N, first_.Lambda_T,
                              {v_.start_N, v_.start_T, half_N, half_T}, out);
  work += book_impulses(mechanics_.contacts, rows, place_.closed(),
                        whole_.Lambda_N - first_.Lambda_N, whole_.Lambda_T - first_.Lambda_T,
                        {mechanics_.gamma_N, mechanics_.gamma_T, v_.end_N, v_.end_T}, out);
  if (mechanics_.nb() > 0) {
    out.drive_work -= out.Lambda_B.dot(mechanics_.bilateral.kinematics.w_tilde);
  }
  if (!out.has_impact() || are_driven(mechanics_.contacts, rows, place_.closed())) return;
  if (work > stepping::kGain * mechanics_.kinetic_energy(u_half)) out.gain = work;
}

void Rattle::finish(const RunState& from, double h, StepOutcome& out) {
  out.end.t = from.t + h;
  out.end.y = y_;
  out.end.y.tail(delta_.size()) += delta_;
  if (!out.end.y.allFinite()) return;
  place_.settle_modes(out.end.t, out.end.y, out.end.modes);
  place_walls(mechanics_, out.end.t, out.end.modes, out.end.y);
}

}  // namespace nsmb
