#include "nsmb/simulation/row_equations.hpp"

#include <limits>

namespace nsmb {

RowEquations::RowEquations(Index n)
    : A(n, n),
      factorised(Matrix::Constant(n, n, std::numeric_limits<double>::quiet_NaN())),
      right(n),
      lambda(n),
      lu(n) {}

// Where G is constant the same rows are solved for at every look at the motion.
void RowEquations::factorise() {
  if (A == factorised) return;
  lu.compute(A);
  factorised = A;
}

// By its factors: PartialPivLU::solve would allocate.
void RowEquations::substitute() {
  lambda.noalias() = lu.permutationP() * right;
  lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(lambda);
  lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(lambda);
}

}  // namespace nsmb
