#include "nsmb/simulation/row_equations.hpp"

namespace nsmb {

// By its factors: PartialPivLU::solve would allocate.
void RowEquations::solve() {
  lu.compute(A);
  substitute();
}

void RowEquations::substitute() {
  lambda.noalias() = lu.permutationP() * right;
  lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(lambda);
  lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(lambda);
}

}  // namespace nsmb
