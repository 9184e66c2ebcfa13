#include "nsmb/simulation/row_equations.hpp"

#include <limits>

namespace nsmb {

RowEquations::RowEquations(Index n)
    : A(n, n),
      factorised(Matrix::Constant(n, n, std::numeric_limits<double>::quiet_NaN())),
      right(n),
      lambda(n),
      lu(n) {}

// With constant G the same rows are solved at every evaluation of the motion.
void RowEquations::factorise() {
  if (A == factorised) return;
  lu.compute(A);
  factorised = A;
}

void RowEquations::substitute() { lu.solve_to(right, lambda); }

}  // namespace nsmb
