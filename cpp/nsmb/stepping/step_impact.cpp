#include "nsmb/stepping/step_impact.hpp"

#include <algorithm>

namespace nsmb {

namespace {

// Number of impacts in one step before the Newton law combines all that follow, and limit of such
// combinations.
constexpr int kMany = 20, kMostEnds = 5;

bool approach(const StruckContacts& contacts, const Vector& gamma_N) {
  return std::any_of(contacts.touching.begin(), contacts.touching.end(),
                     [&](Index i) { return gamma_N(i) < -contacts.resolution(i); });
}

}  // namespace

bool StepImpact::apply(const StruckContacts& c, Vector& gamma_N, Vector& gamma_T,
                       ContactSolver& solver) {
  for (Vector* of_contacts : {&Lambda_N_, &work_N_, &work_T_}) of_contacts->setZero(c.rows.nc);
  Lambda_T_.setZero(c.rows.nt);
  change_ = 0.0;
  problems_ = 0;
  if (!approach(c, gamma_N)) return true;
  ImpactResult result(c.rows);
  EnergyBook book(c.rows);
  const bool has_end = law_ == ImpactLaw::Newton;
  for (int count = 0; approach(c, gamma_N); ++count) {
    if (count == kMany + (has_end ? kMostEnds : 0)) return false;
    const bool to_the_end = has_end && count >= kMany;
    const ImpactProblem problem{
        c.rows,       c.G,
        gamma_N,      gamma_T,
        c.laws,       c.touching,
        nullptr,      to_the_end ? ImpactCourse::ToTheEnd : ImpactCourse::Collision,
        &c.resolution};
    solve_impact(law_, problem, solver, result);
    problems_ += result.problems;
    if (result.status != LcpStatus::Solved) return false;
    keep_book(problem, result, c.w_tilde_N, c.w_tilde_T, book);
    gamma_N = result.gamma_N;
    gamma_T = result.gamma_T;
    Lambda_N_ += result.Lambda_N;
    Lambda_T_ += result.Lambda_T;
    work_N_ += book.work_N;
    work_T_ += book.work_T;
    change_ += book.change;
  }
  return true;
}

}  // namespace nsmb
