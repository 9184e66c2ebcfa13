// Impacts of two phases, and Newton's, among all contacts of a step that touch.
#pragma once

#include <vector>

#include "nsmb/stepping/dense_contacts.hpp"
#include "nsmb/stepping/step_impact.hpp"
#include "nsmb/stepping/step_outcome.hpp"

namespace nsmb {

/// Workspace.
class SetImpact {
 public:
  SetImpact(ImpactLaw law, const FrictionOptions& options) : impact_(law), solver_(options) {}

  /// Nothing has struck in this step.
  void begin() { x_.resize(0); }
  bool has_struck() const { return x_.size() > 0; }
  /// Resistance to rolling and drilling has no part in them: it acts among the finite forces.
  /// Impacts of the contacts of `set` that touch, marked in `touches`, before the finite forces of
  /// the step: velocities of `problem` are those behind them. False: there are too many rows, or
  /// one has no solution.
  bool apply(const ContactSet& set, const ContactModel& model, const std::vector<bool>& touches,
             SetProblem& problem, StepOutcome& outcome);
  /// (rows) N s
  const Vector& impulses() const { return x_; }
  /// What they change of velocities of the problem, m/s.
  const Vector& velocities() const { return change_; }
  /// Losses and works of contact k of the set.
  void keep_book(const ContactSet& set, std::size_t k, StepOutcome& outcome) const;
  double change() const { return impact_.change(); }  // J, by contacts

 private:
  StepImpact impact_;
  ContactSolver solver_;
  DenseContacts dense_;
  std::vector<Index> touching_;
  Vector gamma_N_, gamma_T_, w_tilde_N_, w_tilde_T_, resolution_;
  Vector x_, change_;
};

}  // namespace nsmb
