// A SparseNewton as SUNDIALS wants it: its matrix and its linear solver. Internal.
#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "nsmb/integration/sparse_newton.hpp"

namespace nsmb::sundials {

/// They borrow `newton`. nullptr: no memory.
SUNMatrix make_sparse_matrix(SparseNewton& newton, SUNContext context);
SUNLinearSolver make_sparse_solver(SparseNewton& newton, SUNContext context);

/// Values in the order of the pattern.
double* sparse_values(SUNMatrix matrix);

}  // namespace nsmb::sundials
