// Two-phase impacts and Newton impacts among all contacts of a step that touch.
#pragma once

#include <vector>

#include "nsmb/stepping/dense_contacts.hpp"
#include "nsmb/stepping/step_impact.hpp"
#include "nsmb/stepping/step_outcome.hpp"

namespace nsmb {

/// A workspace for the impacts of a step.
class SetImpact {
 public:
  SetImpact(ImpactLaw law, const FrictionOptions& options) : impact_(law), solver_(options) {}

  /// Start a step without impacts.
  void begin() { x_.resize(0); }
  bool has_struck() const { return x_.size() > 0; }
  /// Solve the impacts of the contacts of `set` that are marked in `touches`, before the finite
  /// forces act. The velocities of `problem` become those after the impacts. Rolling and drilling
  /// resistance acts with the finite forces only. Return false if there are too many rows or an
  /// impact has no solution.
  bool apply(const ContactSet& set, const ContactModel& model, const std::vector<bool>& touches,
             SetProblem& problem, StepOutcome& outcome);
  /// Impulses (rows) in N s.
  const Vector& impulses() const { return x_; }
  /// Change of the velocities of the problem in m/s.
  const Vector& velocities() const { return change_; }
  /// Add the losses and works of contact k of the set.
  void keep_book(const ContactSet& set, std::size_t k, StepOutcome& outcome) const;
  double change() const { return impact_.change(); }  // J, kinetic energy change by contacts

 private:
  StepImpact impact_;
  ContactSolver solver_;
  DenseContacts dense_;
  std::vector<Index> touching_;
  Vector gamma_N_, gamma_T_, w_tilde_N_, w_tilde_T_, resolution_;
  Vector x_, change_;
};

}  // namespace nsmb
