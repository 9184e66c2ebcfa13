// Eigenvalues of dense symmetric matrices, of which only the lower half is read.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Return the eigenvalues, ascending.
Vector symmetric_eigenvalues(const ConstMatrixRef& A);
/// Compute eigenvalues, ascending, and orthonormal eigenvectors by columns. Return false if the
/// iteration does not converge.
bool symmetric_eigenvectors(const ConstMatrixRef& A, Vector& values, Matrix& vectors);

}  // namespace nsmb
