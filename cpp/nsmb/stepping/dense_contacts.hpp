// The problem of a step with few contacts, as a dense one: laws are solved group by group and to
// the last row, as at an instant.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/stepping/contact_model.hpp"
#include "nsmb/stepping/step_laws.hpp"
#include "nsmb/stepping/surface_problem.hpp"

namespace nsmb {

/// Workspace.
class DenseContacts {
 public:
  /// Whether the problem is one of few contacts without resistance to rolling and drilling.
  static bool fit(const SparseFrictionProblem& problem);

  /// G and velocities of this problem, which must last.
  void assemble(const SurfaceProblem& problem, const ContactSet& set, const ContactModel& model);
  /// Impulses x, y, v and what is left of the laws: the largest violation over the largest velocity
  /// of its group.
  void solve(double tol, ContactSolver& solver, SparseFrictionResult& result);
  long problems() const { return impulses_.problems; }

 private:
  // Entries of one column of H on one body.
  struct Piece {
    Index body, column, first, size;  // `first` among entries_
  };

  void list_rows(const SparseFrictionProblem& problem);
  void list_pieces(const SparseFrictionProblem& problem);
  void find_G(const SparseFrictionProblem& problem);
  void gather(const Vector& from, Vector& of_N, Vector& of_T) const;

  const SurfaceProblem* problem_ = nullptr;
  ContactRows rows_;
  std::vector<Index> place_;  // (m) of a row of the problem among those of G
  std::vector<Piece> pieces_;
  std::vector<double> entries_, solved_;  // of H, M⁻¹H
  DenseCholesky mass_;
  Matrix M_, G_;
  Vector free_N_, free_T_, given_N_, given_T_, mu_, bound_;
  std::vector<UnilateralContact> laws_;
  std::vector<Index> closed_;
  StepImpulses impulses_{ContactRows()};
};

}  // namespace nsmb
