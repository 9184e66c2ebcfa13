// The contact problem of a step with few contacts, as a dense problem. The laws are solved group by
// group and checked in every row, as at an instant of the event-driven method.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/stepping/contact_model.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/stepping/step_laws.hpp"

namespace nsmb {

/// A workspace for the dense contact problem of a step.
class DenseContacts {
 public:
  /// Return true if the problem has few contacts and no rolling or drilling resistance.
  static bool fit(const SparseFrictionProblem& problem);

  /// Assemble G and the velocities of a problem, which must stay valid while it is used here.
  void assemble(const SetProblem& problem, const ContactSet& set, const ContactModel& model);
  /// Compute the impulses x, the velocities y and v, and the residual of the laws: the largest
  /// violation divided by the largest velocity of its group.
  void solve(double tol, ContactSolver& solver, SparseFrictionResult& result);
  long problems() const { return impulses_.problems; }

  /// Contacts in the order of the set. G is ordered by these rows.
  const ContactRows& rows() const { return rows_; }
  const Matrix& G() const { return G_; }
  const std::vector<UnilateralContact>& laws() const { return laws_; }
  /// Split a vector (m) over the rows of the set into normal and tangential parts.
  void gather(const ConstVectorRef& from, Vector& of_N, Vector& of_T) const;
  /// Reverse gather().
  void scatter(const Vector& of_N, const Vector& of_T, Vector& x) const;
  /// Add the velocities of impulses x: v += M⁻¹H x.
  void add_velocities(const Vector& x, Vector& v) const;

 private:
  // The entries of one column of H that belong to one body.
  struct Piece {
    Index body, column, first, size;  // `first` among entries_
  };

  void list_rows(const SparseFrictionProblem& problem);
  void list_pieces(const SparseFrictionProblem& problem);
  void find_G(const SparseFrictionProblem& problem);

  const SetProblem* problem_ = nullptr;
  ContactRows rows_;
  std::vector<Index> place_;  // (m) index in G of each row of the problem; -1: rolling or drilling
  std::vector<Piece> pieces_;
  std::vector<double> entries_, solved_;  // entries of H and of M⁻¹H
  DenseCholesky mass_;
  Matrix M_, G_;
  Vector free_, free_N_, free_T_, given_N_, given_T_, mu_, bound_;
  std::vector<UnilateralContact> laws_;
  std::vector<Index> closed_;
  StepImpulses impulses_{ContactRows()};
};

}  // namespace nsmb
