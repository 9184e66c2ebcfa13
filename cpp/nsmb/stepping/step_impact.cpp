#include "nsmb/stepping/step_impact.hpp"

#include <algorithm>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Impacts in one step, before Newton's law takes all that follow as one; and these.
constexpr int kMany = 20, kMostEnds = 5;

}  // namespace

StepImpact::StepImpact(Mechanics& mechanics, ImpactLaw law)
    : mechanics_(mechanics),
      law_(law),
      result_(mechanics.rows()),
      book_(mechanics.rows()),
      needed_(static_cast<std::size_t>(mechanics.nc()), false),
      resolution_(mechanics.rows().size()),
      Lambda_N_(Vector::Zero(mechanics.nc())),
      Lambda_T_(Vector::Zero(mechanics.nt())),
      work_N_(Vector::Zero(mechanics.nc())),
      work_T_(Vector::Zero(mechanics.nc())) {}

bool StepImpact::approaches(const std::vector<Index>& closed) const {
  return std::any_of(closed.begin(), closed.end(), [&](Index i) {
    return mechanics_.gamma_N(i) < -mechanics_.velocity_resolution(i, stepping::kRest);
  });
}

bool StepImpact::apply(const std::vector<Index>& closed, double t, VectorRef y,
                       ContactSolver& solver) {
  for (Vector* sum : {&Lambda_N_, &Lambda_T_, &work_N_, &work_T_}) sum->setZero();
  change_ = residual_ = 0.0;
  problems_ = 0;
  std::fill(needed_.begin(), needed_.end(), false);
  for (const Index i : closed) needed_[static_cast<std::size_t>(i)] = true;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (!mechanics_.rows().is_unilateral(i)) needed_[static_cast<std::size_t>(i)] = true;
  }
  mechanics_.restrict_to(&needed_);
  auto u = y.segment(mechanics_.nq(), mechanics_.nu());
  bool solved = true;
  for (int count = 0; solved; ++count) {
    mechanics_.update_contacts(t, y);
    mechanics_.measure_rounding(u);
    if (!approaches(closed)) break;
    if (count == kMany + (law_ == ImpactLaw::Newton ? kMostEnds : 0)) {
      solved = false;
      break;
    }
    mechanics_.velocity_resolutions(stepping::kRest, resolution_);
    const ImpactProblem problem{mechanics_.rows(),
                                mechanics_.delassus.G,
                                mechanics_.gamma_N,
                                mechanics_.gamma_T,
                                mechanics_.laws,
                                closed,
                                nullptr,
                                count < kMany || law_ != ImpactLaw::Newton ? ImpactCourse::Collision
                                                                           : ImpactCourse::ToTheEnd,
                                &resolution_};
    solve_impact(law_, problem, solver, result_);
    problems_ += result_.problems;
    residual_ = std::max(residual_, result_.residual);
    solved = result_.status == LcpStatus::Solved;
    if (!solved) break;
    keep_book(problem, result_, mechanics_.contacts, book_);
    u_ = u;
    mechanics_.delassus.add_accelerations(result_.Lambda_N, result_.Lambda_T, u_);
    u = u_;
    mechanics_.add_impulses(result_.Lambda_N, result_.Lambda_T);
    Lambda_N_ += result_.Lambda_N;
    Lambda_T_ += result_.Lambda_T;
    work_N_ += book_.work_N;
    work_T_ += book_.work_T;
    change_ += book_.change;
  }
  return solved;
}

}  // namespace nsmb
