// The forces of an instant, where velocities on the border of zero may be it, and what is said
// where there are none.
#include <algorithm>
#include <cmath>

#include "nsmb/complementarity/nnls.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/simulation/transition.hpp"

namespace nsmb {

namespace {

// An impact without collision ends the slip of a contact; more of them than this at one instant
// would be a circle.
constexpr int kMostJams = 5;
// Velocities below so many times their resolution may be what impacts, each solved to it, have left
// of zero.
constexpr double kBorder = 4.0;
// So many contacts with such velocities are tried in all their combinations.
constexpr std::size_t kMostOnBorder = 4;
// Weights of normal directions whose sum is this part of them have none: impulses would have to be
// 1e12 times those of the impact.
constexpr double kNoSum = 1e-12;

}  // namespace

std::string Transition::verdict(LcpStatus status) {
  switch (status) {
    case LcpStatus::NoSolution:
      return " has no solution (proven: there is none)";
    case LcpStatus::Ray:
      return " was not solved (Lemke ended on a ray for every covering vector)";
    case LcpStatus::PivotLimit:
      return " was not solved (the pivot limit was reached)";
    case LcpStatus::IterationLimit:
      return " was not solved (no method found a solution)";
    default:
      return " was not solved (the solution found is not accurate)";
  }
}

// Contacts with y > 0, M⁻¹W_N y = 0 and y·γ_N < 0 (Farkas): no impulses change y·γ_N, so that one
// of them always approaches. Empty: there is no such y.
std::vector<Index> Transition::contacts_that_close_in() const {
  const Index n = static_cast<Index>(touching_.size()), nu = mechanics_.nu();
  Matrix C(nu + 1, n);
  Vector resolution(n);
  double fastest = 0.0;
  for (Index k = 0; k < n; ++k) {
    const Index i = touching_[static_cast<std::size_t>(k)];
    const double size = mechanics_.delassus.Minv_W.col(i).norm();
    if (!(size > 0.0)) return {};
    C.col(k) << mechanics_.delassus.Minv_W.col(i) / size, mechanics_.gamma_N(i) / size;
    resolution(k) = zero_velocity(i) / size;
    fastest = std::max(fastest, std::abs(C(nu, k)));
  }
  if (!(fastest > 0.0)) return {};
  C.row(nu) /= fastest;
  Vector d = Vector::Zero(nu + 1);
  d(nu) = -1.0;
  const Vector y = solve_nnls(C, d).z;
  const double approach = -C.row(nu).dot(y);
  const double left = (C.topRows(nu) * y).norm();
  std::vector<Index> found;
  if (!(approach > resolution.dot(y) / fastest && left <= kNoSum * approach)) return found;
  for (Index k = 0; k < n; ++k) {
    if (y(k) > 0.0) found.push_back(touching_[static_cast<std::size_t>(k)]);
  }
  return found;
}

// What would have solved the impact that failed: it is tried before it is named.
std::string Transition::remedy() {
  const std::vector<Index> closing = contacts_that_close_in();
  if (!closing.empty()) {
    std::string names;
    for (const Index i : closing) {
      names += (names.empty() ? "" : ", ") +
               mechanics_.system().contacts()[static_cast<std::size_t>(i)].name;
    }
    return "; no impulses keep all of these from approaching: " + names +
           " close in on what is between them";
  }
  const auto solves = [&](ImpactLaw law, double share_of_mu) {
    std::vector<UnilateralContact> laws = mechanics_.laws;
    for (UnilateralContact& contact : laws) contact.mu *= share_of_mu;
    const ImpactProblem impact{
        rows_,   mechanics_.delassus.G,   mechanics_.gamma_N, mechanics_.gamma_T, laws, touching_,
        nullptr, ImpactCourse::Collision, &resolution_};
    solve_impact(law, impact, solver_, impact_);
    if (impact_.status != LcpStatus::Solved) return false;
    for (const Index i : touching_) {
      if (impact_.gamma_N(i) < -resolution_(i) && impact_.gamma_N(i) < mechanics_.gamma_N(i)) {
        return false;
      }
    }
    return true;
  };
  for (const auto& [law, name] :
       {std::pair(ImpactLaw::Poisson, "poisson"), std::pair(ImpactLaw::Moreau, "moreau")}) {
    if (law == options_.impact_law || !solves(law, 1.0)) continue;
    return std::string("; impact_law=\"") + name + "\" solves it";
  }
  for (const double share : {0.9, 0.5, 0.1, 0.0}) {
    if (!solves(options_.impact_law, share)) continue;
    return "; friction coefficients of " + to_text(share) + " times theirs have a solution";
  }
  return "; neither another impact law nor less friction solves it: look at the configuration of "
         "the contacts";
}

// Where there is no solution, free accelerations that are nothing but rounding are taken for zero:
// opposed contacts without load contradict each other by it.
void Transition::solve_law() {
  AccelerationProblem p = problem();
  solve_acceleration_law(p, solver_, forces_);
  ++counts_.contact_problems;
  if (forces_.status == LcpStatus::Solved) return;
  mechanics_.free_acceleration_resolutions(free_resolution_);
  free_resolution_ = free_resolution_.cwiseMax(rounding_terms_);
  p.resolution = &free_resolution_;
  solve_acceleration_law(p, solver_, forces_);
}

// Forces and roles by (6.35). After an impact everything is open again; otherwise what fired is
// settled unless the forces contradict it.
SimulationStatus Transition::decide(double t, VectorRef y, const ContactStates& states,
                                    const Triggers& triggers) {
  // The momentum balance of an impact holds to rounding: what slip it leaves lasts, if it can.
  takes_rest_ = !had_impact_;
  for (int attempt = 0;; ++attempt) {
    for (bool forced = !had_impact_;; forced = false) {
      assign_roles(triggers, forced);
      solve_law();
      if (forced && !(forces_.status == LcpStatus::Solved && forced_roles_hold())) continue;
      break;
    }
    if (forces_.status != LcpStatus::Solved && rows_.spatial && !takes_rest_) {
      takes_rest_ = true;
      continue;
    }
    if (forces_.status != LcpStatus::Solved) solve_on_the_border();
    counts_.largest_residual = std::max(counts_.largest_residual, forces_.residual);
    const bool singular = triggers.jams && !had_impact_ && !has_come_to_rest();
    if (forces_.status == LcpStatus::Solved && !singular) return SimulationStatus::Finished;
    // Painlevé: the sliding contacts jam; an impact without collision ends their slip.
    const bool jams = options_.on_inconsistent == OnInconsistent::Impact && attempt < kMostJams &&
                      apply_impact(y, states, ImpactCourse::WithoutCollision);
    if (!jams) break;
    ++counts_.impacts_without_collision;
    had_impact_ = true;
    mechanics_.update(t, y);
    mechanics_.measure_rounding(y.segment(mechanics_.nq(), mechanics_.nu()));
    const SimulationStatus impacts = apply_impacts(t, y, states);
    if (impacts != SimulationStatus::Finished) return impacts;
  }
  const bool jams = triggers.jams && forces_.status == LcpStatus::Solved;
  message_ = "t = " + to_text(t) + " s: the contact problem of " +
             describe(jams ? touching_ : forces_.failed) +
             (jams ? " comes within 1e-6 of being singular, where normal forces have no bound"
                   : verdict(forces_.status)) +
             "; rigid contacts with large friction can jam (Painlevé)";
  message_ += remedy_of_jam(t, y, states);  // solves other problems
  return SimulationStatus::NoContactSolution;
}

// Velocities a little above their resolution are taken for zero: those contacts stick or stay
// closed. False: no choice of them has a solution, and the forces are those of none.
bool Transition::solve_on_the_border() {
  const auto is_near = [](double velocity, double zero) { return velocity <= kBorder * zero; };
  // Closing a contact that still parts a little takes slip along.
  const auto is_slow = [&](Index i) {
    double taken = 0.0;
    for (const Index j : touching_) {
      if (contact_roles_[static_cast<std::size_t>(j)] == ContactRole::Absent) continue;
      const double per_speed =
          mechanics_.delassus.G.col(j).segment(rows_.row(i), rows_.dim(i)).norm() /
          mechanics_.delassus.G(j, j);
      taken += per_speed * std::abs(mechanics_.gamma_N(j));
    }
    return is_near(std::abs(mechanics_.slip(i)) - taken, zero_slip(i));
  };
  std::vector<Index> border;
  std::vector<bool> rests;
  for (const Index i : active_) {
    const ContactRole role = contact_roles_[static_cast<std::size_t>(i)];
    const bool slips = sliding_sign(role) != 0 && is_slow(i);
    const bool leaves = role == ContactRole::Absent && rows_.is_unilateral(i) &&
                        is_near(mechanics_.gamma_N(i), zero_velocity(i));
    if (!slips && !leaves) continue;
    border.push_back(i);
    rests.push_back(is_slow(i));
  }
  if (border.empty()) return false;
  const std::vector<ContactRole> roles = contact_roles_;
  const Vector friction = friction_;
  // Of more contacts than that all or none: their combinations would not fit a number either.
  const bool together = border.size() > kMostOnBorder;
  const std::size_t all = together ? 1 : (std::size_t{1} << border.size()) - 1;
  for (std::size_t choice = all;; --choice) {
    contact_roles_ = roles;
    friction_ = friction;
    for (std::size_t k = 0; k < border.size(); ++k) {
      if (!((together ? choice : choice >> k) & 1u)) continue;
      const Index i = border[k];
      auto along = friction_.segment(rows_.tangent(i), rows_.dim(i));
      ContactRole& role = contact_roles_[static_cast<std::size_t>(i)];
      role = mechanics_.role(i, options_.rest_velocity, along);
      if (sliding_sign(role) == 0 || !rests[k]) continue;
      role = ContactRole::Candidate;
      along.setZero();
    }
    solve_law();
    if (choice == 0) return false;
    if (forces_.status == LcpStatus::Solved) return true;
  }
}

// Named is what has been tried.
std::string Transition::remedy_of_jam(double t, const ConstVectorRef& y,
                                      const ContactStates& states) {
  std::string friction;
  for (const double share : {0.9, 0.5, 0.1, 0.0}) {
    const Vector mu = share * mechanics_.mu;
    const AccelerationProblem smoother{
        rows_,    mechanics_.delassus.G,     mechanics_.free_N, mechanics_.free_T,
        mu,       mechanics_.contacts.bound, mechanics_.laws,   contact_roles_,
        friction_};
    solve_acceleration_law(smoother, solver_, other_forces_);
    if (other_forces_.status != LcpStatus::Solved) continue;
    friction = "a smaller friction coefficient, " + to_text(share) + " times it, has a solution";
    break;
  }
  const bool asks = options_.on_inconsistent == OnInconsistent::Stop;
  const bool goes_on = asks && has_motion_behind_jam(t, y, states);
  if (goes_on)
    friction = "on_inconsistent=\"impact\" goes on" + (friction.empty() ? "" : ", " + friction);
  if (!friction.empty()) return ": " + friction;
  return ": neither an impact without collision nor less friction has a solution; look at the "
         "configuration of the contacts";
}

// Would impacts without collision lead to a motion? Nothing but mechanics() is changed by the
// trial.
bool Transition::has_motion_behind_jam(double t, const ConstVectorRef& y,
                                       const ContactStates& states) {
  const TransitionCounts counts = counts_;
  const std::size_t events = event_count_;
  const std::string message = message_;
  Vector after = y;
  bool solved = false;
  for (int attempt = 0; attempt < kMostJams && !solved; ++attempt) {
    if (!apply_impact(after, states, ImpactCourse::WithoutCollision)) break;
    mechanics_.update(t, after);
    mechanics_.measure_rounding(after.segment(mechanics_.nq(), mechanics_.nu()));
    if (apply_impacts(t, after, states) != SimulationStatus::Finished) break;
    assign_roles(none_, false);
    solve_law();
    solved = forces_.status == LcpStatus::Solved || solve_on_the_border();
  }
  counts_ = counts;
  event_count_ = events;
  message_ = message;
  mechanics_.update(t, y);
  return solved;
}

}  // namespace nsmb
