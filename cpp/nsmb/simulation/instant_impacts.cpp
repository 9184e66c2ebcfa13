#include "nsmb/simulation/instant_impacts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsmb/complementarity/nnls.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Maximum number of impacts with ImpactCourse::ToTheEnd by the Newton impact law. They leave only
// approaches of rounding.
constexpr int kMostEnds = 5;

}  // namespace

InstantImpacts::InstantImpacts(InstantWorkspace& work, const InstantResolution& resolution)
    : work_(work),
      resolution_(resolution),
      impact_(work.rows),
      zero_(Vector::Zero(work.rows.size())) {}

bool InstantImpacts::has_approach() const {
  for (const Index i : work_.touching) {
    if (work_.mechanics.gamma_N(i) < -resolution_.velocity(i)) return true;
  }
  return false;
}

bool InstantImpacts::apply_one(VectorRef y, const ContactStates& states, ImpactCourse course) {
  const Index nq = work_.mechanics.nq();
  auto u = y.segment(nq, work_.mechanics.nu());
  const ImpactProblem impact{work_.rows,
                             work_.mechanics.delassus.G,
                             work_.mechanics.gamma_N,
                             work_.mechanics.gamma_T,
                             work_.mechanics.laws,
                             work_.touching,
                             &work_.options.expansion,
                             course,
                             &zero_};
  for (Index k = 0; k < zero_.size(); ++k) zero_(k) = resolution_.velocity(k);
  // A contact slides through compression however slow it is. Its direction is limited by rounding
  // alone.
  for (Index k = work_.rows.nc; work_.options.sliding_compression && k < zero_.size(); ++k) {
    zero_(k) = work_.mechanics.velocity_resolution(k, 0.0);
  }
  solve_impact(law_of(work_.options.impact_law, course), impact, work_.solver, impact_);
  work_.counts.contact_problems += impact_.problems;
  work_.counts.largest_residual = std::max(work_.counts.largest_residual, impact_.residual);
  if (impact_.status != LcpStatus::Solved) return false;
  if (course == ImpactCourse::WithoutCollision && !(impact_.Lambda_N.maxCoeff() > 0.0))
    return false;
  std::fill(work_.hold.begin(), work_.hold.end(), false);
  for (const Index i : work_.touching) {
    work_.hold[static_cast<std::size_t>(i)] = true;
    for (Index d = 0; d < work_.rows.dim(i); ++d) {
      work_.hold[static_cast<std::size_t>(work_.rows.row(i) + d)] = work_.mechanics.can_stick(i);
    }
  }
  if (!work_.selection.are_independent(work_.mechanics.delassus.G, work_.hold))
    ++work_.counts.dependent_impacts;
  TransitionEvent& event = work_.events.next(EventKind::Impact, u, states);
  work_.mechanics.delassus.add_accelerations(impact_.Lambda_N, impact_.Lambda_T, u);
  work_.mechanics.add_impulses(impact_.Lambda_N, impact_.Lambda_T);
  event.u_plus = u;
  for (const Index i : work_.touching) {
    event.approach = std::max(event.approach, -work_.mechanics.gamma_N(i));
  }
  event.course = course;
  event.Lambda_N = impact_.Lambda_N;
  event.Lambda_T = impact_.Lambda_T;
  event.Lambda_NC = impact_.Lambda_NC;
  event.Lambda_TC = impact_.Lambda_TC;
  for (const Index i : work_.touching) {
    event.contacts[static_cast<std::size_t>(i)] = impact_.Lambda_N(i) > 0.0;
  }
  book(impact, event);
  return true;
}

// Return -Λ_Bᵀ w̃_B, with M (u⁺ - u⁻) = W Λ + W_B Λ_B.
double InstantImpacts::work_of_constraints(const TransitionEvent& event) {
  Mechanics& mechanics = work_.mechanics;
  if (mechanics.nb() == 0 || mechanics.bilateral.kinematics.w_tilde.isZero(0.0)) return 0.0;
  Vector force = mechanics.mass.entries() * (event.u_plus - event.u_minus);
  force -= mechanics.contacts.W_N * event.Lambda_N + mechanics.contacts.W_T * event.Lambda_T;
  Vector Lambda_B(mechanics.nb());
  mechanics.bilateral.forces(force, Lambda_B);
  return -Lambda_B.dot(mechanics.bilateral.kinematics.w_tilde);
}

// Record the energies of the impact, and any energy that the law has created.
void InstantImpacts::book(const ImpactProblem& impact, TransitionEvent& event) {
  const ContactKinematics& contacts = work_.mechanics.contacts;
  keep_book(impact, impact_, contacts.w_tilde_N, contacts.w_tilde_T, event.energy);
  event.energy.drive += work_of_constraints(event);
  const double gain = event.energy.change;
  // Near rest, velocities after an impact are no more accurate than this.
  double unresolved = resolutions::kEnergy * work_.mechanics.kinetic_energy(event.u_plus);
  for (Index i = 0; i < work_.mechanics.nc(); ++i) {
    unresolved += std::abs(impact_.Lambda_N(i)) * zero_(i);
  }
  for (Index k = 0; k < work_.mechanics.nt(); ++k) {
    unresolved += std::abs(impact_.Lambda_T(k)) * zero_(work_.mechanics.nc() + k);
  }
  if (gain > unresolved) {
    ++work_.counts.energy_gains;
    work_.counts.largest_gain = std::max(work_.counts.largest_gain, gain);
  }
}

SimulationStatus InstantImpacts::apply(double t, VectorRef y, const ContactStates& states) {
  // The Poisson impact law leaves no approach. The other laws may, by impulses passed on to
  // neighbours. The Newton impact law may pass them back and forth indefinitely, so after this many
  // impacts an impact to the end follows.
  const int many = 20 + 10 * static_cast<int>(work_.rows.nc);
  const bool newton = work_.options.impact_law == ImpactLaw::Newton;
  const int limit = many + (newton ? kMostEnds : 0);
  for (int count = 0; has_approach(); ++count) {
    if (count == limit) {
      std::vector<Index> approaching;
      for (const Index i : work_.touching) {
        if (work_.mechanics.gamma_N(i) < -resolution_.velocity(i)) approaching.push_back(i);
      }
      work_.message = "t = " + to_text(t) + " s: the contacts " + work_.describe(approaching) +
                      " still approach after " + std::to_string(limit) + " impacts at one instant";
      work_.message += remedy();
      return SimulationStatus::EventLimit;
    }
    if (!apply_one(y, states, count < many ? ImpactCourse::Collision : ImpactCourse::ToTheEnd)) {
      work_.message =
          "t = " + to_text(t) + " s: the " + (impact_.in_expansion ? "expansion" : "compression") +
          " problem of the impact at " + work_.describe(impact_.failed) + verdict(impact_.status);
      work_.message += remedy();  // overwrites impact_
      return SimulationStatus::NoImpactSolution;
    }
    work_.mechanics.update_contacts(t, y);
    work_.mechanics.measure_rounding(y.segment(work_.mechanics.nq(), work_.mechanics.nu()));
  }
  return SimulationStatus::Finished;
}

// Return contacts with y > 0, M⁻¹W_N y = 0 and y·γ_N < 0 (Farkas). No impulses change y·γ_N, so one
// of these contacts always approaches. Empty: there is no such y.
std::vector<Index> InstantImpacts::contacts_that_close_in() const {
  const Index n = static_cast<Index>(work_.touching.size()), nu = work_.mechanics.nu();
  Matrix C(nu + 1, n);
  Vector resolution(n);
  double fastest = 0.0;
  for (Index k = 0; k < n; ++k) {
    const Index i = work_.touching[static_cast<std::size_t>(k)];
    const double size = work_.mechanics.delassus.Minv_W.col(i).norm();
    if (!(size > 0.0)) return {};
    C.col(k) << work_.mechanics.delassus.Minv_W.col(i) / size, work_.mechanics.gamma_N(i) / size;
    resolution(k) = resolution_.velocity(i) / size;
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
  if (!(approach > resolution.dot(y) / fastest && left <= resolutions::kNoSum * approach))
    return found;
  for (Index k = 0; k < n; ++k) {
    if (y(k) > 0.0) found.push_back(work_.touching[static_cast<std::size_t>(k)]);
  }
  return found;
}

// Return a remedy for the impact that failed. It is tried before it is named.
std::string InstantImpacts::remedy() {
  const std::vector<Index> closing = contacts_that_close_in();
  if (!closing.empty()) {
    std::string names;
    for (const Index i : closing) {
      names += (names.empty() ? "" : ", ") +
               work_.mechanics.system().contacts()[static_cast<std::size_t>(i)].name;
    }
    return "; no impulses can stop all of these contacts from approaching: " + names +
           ". They close in on the bodies between them.";
  }
  const auto solves = [&](ImpactLaw law, double share_of_mu) {
    std::vector<UnilateralContact> laws = work_.mechanics.laws;
    for (UnilateralContact& contact : laws) contact.mu *= share_of_mu;
    const ImpactProblem impact{work_.rows,
                               work_.mechanics.delassus.G,
                               work_.mechanics.gamma_N,
                               work_.mechanics.gamma_T,
                               laws,
                               work_.touching,
                               nullptr,
                               ImpactCourse::Collision,
                               &zero_};
    solve_impact(law, impact, work_.solver, impact_);
    if (impact_.status != LcpStatus::Solved) return false;
    for (const Index i : work_.touching) {
      if (impact_.gamma_N(i) < -zero_(i) && impact_.gamma_N(i) < work_.mechanics.gamma_N(i)) {
        return false;
      }
    }
    return true;
  };
  for (const auto& [law, name] :
       {std::pair(ImpactLaw::Poisson, "poisson"), std::pair(ImpactLaw::Moreau, "moreau")}) {
    if (law == work_.options.impact_law || !solves(law, 1.0)) continue;
    return std::string(". Use impact_law=\"") + name + "\", which solves this impact.";
  }
  for (const double share : {0.9, 0.5, 0.1, 0.0}) {
    if (!solves(work_.options.impact_law, share)) continue;
    return ". Reduce the friction coefficients to " + to_text(share) +
           " times their values, for which a solution exists.";
  }
  return "; neither another impact law nor less friction solves it. Check the configuration of the "
         "contacts.";
}

}  // namespace nsmb
