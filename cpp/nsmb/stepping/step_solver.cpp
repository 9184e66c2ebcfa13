#include "nsmb/stepping/step_solver.hpp"

#include <algorithm>
#include <numeric>

#include "nsmb/stepping/missed_contacts.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

StepSolver::StepSolver(const TimeSteppingOptions& options)
    : options_(options.sparse),
      lists_missed_(options.on_failure == OnStepFailure::Stop),
      takes_dense_(options_.method == SparseFrictionMethod::Auto && options_.max_time == 0.0 &&
                   options_.max_iterations == 0),
      contact_solver_(options.friction) {
  options_.tol = options.tol;
  options_.measure.impulse_scale = 0.0;
  options_.measure.scale = stepping::kRest;
}

void StepSolver::solve(const SetProblem& problem, const ContactSet& set, const ContactModel& model,
                       const Vector& x_start, SparseFrictionResult& result, StepOutcome& out) {
  if (!solve_dense(problem, set, model, result, out)) {
    solve_sparse_friction(problem.problem(), options_, workspace_, result, &x_start);
    ++out.problems;
  }
  out.iterations += result.iterations;
  out.interrupted = result.status == SparseFrictionStatus::Interrupted;
  out.residual = result.residual;
  if (!(result.residual <= options_.tol) && !out.interrupted) {
    // A preceding impact may have missed, too.
    if (lists_missed_ && out.missed.empty()) list_missed(problem, set, model, result, out.missed);
    out.verdict =
        worse(out.verdict, settle_missed(problem, options_.measure, options_.tol, result));
    out.residual = result.residual;
  }
  if (!result.x.allFinite() || !result.v.allFinite()) result.x.resize(0);
}

// Return false if there are too many contacts or no solution was found.
bool StepSolver::solve_dense(const SetProblem& problem, const ContactSet& set,
                             const ContactModel& model, SparseFrictionResult& result,
                             StepOutcome& out) {
  if (!takes_dense_ || !DenseContacts::fit(problem.problem())) return false;
  dense_.assemble(problem, set, model);
  dense_.solve(options_.tol, contact_solver_, result);
  out.problems += dense_.problems();
  return result.residual <= options_.tol;
}

// List contacts whose own residual exceeds the tolerance, or else the worst, in decreasing order.
void StepSolver::list_missed(const SetProblem& problem, const ContactSet& set,
                             const ContactModel& model, const SparseFrictionResult& result,
                             std::vector<Index>& missed) const {
  if (result.x.allFinite()) {
    const Vector misses = sparse_friction_misses(problem.problem(), result.x, options_.measure);
    const double bound = std::min(options_.tol, misses.maxCoeff());
    for (Index k = 0; k < misses.size(); ++k) {
      if (misses(k) >= bound) missed.push_back(k);
    }
    std::stable_sort(missed.begin(), missed.end(),
                     [&](Index a, Index b) { return misses(a) > misses(b); });
  } else {
    missed.resize(set.contacts.size());
    std::iota(missed.begin(), missed.end(), Index{0});
  }
  for (Index& k : missed) k = model.number(set, k);
}

}  // namespace nsmb
