// Eigenvalues of dense symmetric matrices, of which the lower half is read.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Ascending.
Vector symmetric_eigenvalues(const ConstMatrixRef& A);
/// Ascending, with orthonormal eigenvectors by columns; false if the iteration does not converge.
bool symmetric_eigenvectors(const ConstMatrixRef& A, Vector& values, Matrix& vectors);

}  // namespace nsmb
