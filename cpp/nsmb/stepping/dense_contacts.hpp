// The problem of a step with few contacts, as a dense one: laws are solved group by group and to
// the last row, as at an instant.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/stepping/contact_model.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/stepping/step_laws.hpp"

namespace nsmb {

/// Workspace.
class DenseContacts {
 public:
  /// Whether the problem is one of few contacts without resistance to rolling and drilling.
  static bool fit(const SparseFrictionProblem& problem);

  /// G and velocities of this problem, which must last.
  void assemble(const SetProblem& problem, const ContactSet& set, const ContactModel& model);
  /// Impulses x, y, v and what is left of the laws: the largest violation over the largest velocity
  /// of its group.
  void solve(double tol, ContactSolver& solver, SparseFrictionResult& result);
  long problems() const { return impulses_.problems; }

  /// Contacts in the order of the set, and G in that of these rows.
  const ContactRows& rows() const { return rows_; }
  const Matrix& G() const { return G_; }
  const std::vector<UnilateralContact>& laws() const { return laws_; }
  /// A vector (m) over rows of the set in parts of contacts.
  void gather(const ConstVectorRef& from, Vector& of_N, Vector& of_T) const;
  /// And back.
  void scatter(const Vector& of_N, const Vector& of_T, Vector& x) const;
  /// Velocities of the problem: v += M⁻¹H x.
  void add_velocities(const Vector& x, Vector& v) const;

 private:
  // Entries of one column of H on one body.
  struct Piece {
    Index body, column, first, size;  // `first` among entries_
  };

  void list_rows(const SparseFrictionProblem& problem);
  void list_pieces(const SparseFrictionProblem& problem);
  void find_G(const SparseFrictionProblem& problem);

  const SetProblem* problem_ = nullptr;
  ContactRows rows_;
  std::vector<Index> place_;  // (m) of a row of the problem in G; -1: rolling or drilling
  std::vector<Piece> pieces_;
  std::vector<double> entries_, solved_;  // of H, M⁻¹H
  DenseCholesky mass_;
  Matrix M_, G_;
  Vector free_, free_N_, free_T_, given_N_, given_T_, mu_, bound_;
  std::vector<UnilateralContact> laws_;
  std::vector<Index> closed_;
  StepImpulses impulses_{ContactRows()};
};

}  // namespace nsmb
