// The contact problem of a step: solved exactly for few contacts and by sparse solvers otherwise,
// with a fallback if they fail.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "nsmb/stepping/dense_contacts.hpp"
#include "nsmb/stepping/step_outcome.hpp"
#include "nsmb/stepping/time_stepping_options.hpp"

namespace nsmb {

/// A workspace for the contact problem of a step.
class StepSolver {
 public:
  explicit StepSolver(const TimeSteppingOptions& options);

  void watch(std::function<bool()> keep_going) { options_.keep_going = std::move(keep_going); }
  /// Compute impulses x and velocities v, y of a problem with contacts, starting from x_start.
  /// `outcome` receives the verdict, residual and counts. If no point was found, x is empty.
  void solve(const SetProblem& problem, const ContactSet& set, const ContactModel& model,
             const Vector& x_start, SparseFrictionResult& result, StepOutcome& outcome);

 private:
  bool solve_dense(const SetProblem& problem, const ContactSet& set, const ContactModel& model,
                   SparseFrictionResult& result, StepOutcome& outcome);
  void list_missed(const SetProblem& problem, const ContactSet& set, const ContactModel& model,
                   const SparseFrictionResult& result, std::vector<Index>& missed) const;

  SparseFrictionOptions options_;
  bool lists_missed_;  // the names of missed contacts are needed
  bool takes_dense_;   // neither a solver nor a budget was given
  SparseFrictionWorkspace workspace_;
  ContactSolver contact_solver_;
  DenseContacts dense_;
};

}  // namespace nsmb
