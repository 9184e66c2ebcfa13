// Matrix and linear solver of SUNDIALS for a SparseNewton. Internal.
#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "nsmb/integration/sparse_newton.hpp"

namespace nsmb::sundials {

/// Create objects that borrow `newton`. Return nullptr if there is no memory.
SUNMatrix make_sparse_matrix(SparseNewton& newton, SUNContext context);
SUNLinearSolver make_sparse_solver(SparseNewton& newton, SUNContext context);

/// Return the values in the order of the pattern.
double* sparse_values(SUNMatrix matrix);

}  // namespace nsmb::sundials
