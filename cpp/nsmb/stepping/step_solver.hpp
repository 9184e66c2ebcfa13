// The contact problem of a step: exactly where contacts are few, by sparse solvers otherwise; and
// what becomes of it where they miss it.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "nsmb/stepping/dense_contacts.hpp"
#include "nsmb/stepping/step_outcome.hpp"
#include "nsmb/stepping/time_stepping_options.hpp"

namespace nsmb {

/// Workspace.
class StepSolver {
 public:
  explicit StepSolver(const TimeSteppingOptions& options);

  void watch(std::function<bool()> keep_going) { options_.keep_going = std::move(keep_going); }
  /// Impulses x and velocities v, y of a problem with contacts, from x_start. `outcome` gets
  /// verdict, residual and counts. Without a point x is empty.
  void solve(const SetProblem& problem, const ContactSet& set, const ContactModel& model,
             const Vector& x_start, SparseFrictionResult& result, StepOutcome& outcome);

 private:
  bool solve_dense(const SetProblem& problem, const ContactSet& set, const ContactModel& model,
                   SparseFrictionResult& result, StepOutcome& outcome);
  void list_missed(const SetProblem& problem, const ContactSet& set, const ContactModel& model,
                   const SparseFrictionResult& result, std::vector<Index>& missed) const;

  SparseFrictionOptions options_;
  bool lists_missed_;  // their names are asked for
  bool takes_dense_;   // neither a solver nor a budget was asked for
  SparseFrictionWorkspace workspace_;
  ContactSolver contact_solver_;
  DenseContacts dense_;
};

}  // namespace nsmb
