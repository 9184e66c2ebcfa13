// Linear equations of a few contact rows, and the workspaces they are solved in.
#include <algorithm>
#include <cmath>

#include "nsmb/simulation/smooth_phase.hpp"

namespace nsmb {

// By its factors: PartialPivLU::solve would allocate.
void SmoothPhase::LinearSolver::solve() {
  lu.compute(A);
  substitute();
}

void SmoothPhase::LinearSolver::substitute() {
  lambda.noalias() = lu.permutationP() * right;
  lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(lambda);
  lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(lambda);
}

SmoothPhase::LinearSolver& SmoothPhase::solver_of(std::size_t n) {
  return solvers_.try_emplace(static_cast<Index>(n), static_cast<Index>(n)).first->second;
}

// Of the equations of the frozen state.
SmoothPhase::LinearSolver& SmoothPhase::frozen_solver() {
  const Index n = static_cast<Index>(rows_.size());
  return frozen_solvers_.try_emplace(n, n).first->second;
}

// Solves G_SS x = g for a set S of rows of G; the workspace of that size is kept.
void SmoothPhase::solve_rows(const std::vector<Index>& rows, LinearSolver& solver) {
  const Index n = static_cast<Index>(rows.size());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      solver.A(i, j) = mechanics_.delassus.G(rows[static_cast<std::size_t>(i)],
                                             rows[static_cast<std::size_t>(j)]);
    }
  }
  solver.solve();
}

// Adds to correction_ what takes `value` of the rows, as it is behind correction_, to zero.
void SmoothPhase::correct_rows(const std::vector<Index>& rows, const Vector& value_N,
                               const Vector& value_T) {
  if (rows.empty()) return;
  const Index nc = mechanics_.nc();
  LinearSolver& solver = solver_of(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index row = rows[k];
    solver.right(static_cast<Index>(k)) = (row < nc ? value_N(row) : value_T(row - nc)) +
                                          mechanics_.delassus.W.col(row).dot(correction_);
  }
  solve_rows(rows, solver);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    correction_ -= mechanics_.delassus.Minv_W.col(rows[k]) * solver.lambda(static_cast<Index>(k));
  }
}

double SmoothPhase::largest_of(const std::vector<Index>& rows, const Vector& value_N,
                               const Vector& value_T) const {
  double largest = 0.0;
  for (const Index row : rows) {
    const Index nc = mechanics_.nc();
    largest = std::max(largest, std::abs(row < nc ? value_N(row) : value_T(row - nc)));
  }
  return largest;
}

}  // namespace nsmb
