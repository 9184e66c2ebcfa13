#include "nsmb/simulation/mass_matrix.hpp"

#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/core/small_products.hpp"

namespace nsmb {

MassMatrix::MassMatrix(const System& system, SystemWorkspace& work)
    : system_(system),
      work_(work),
      M_(system.nu(), system.nu()),
      llt_(system.nu()),
      solver_(system.nb() == 0 ? system.mass_solver() : nullptr),
      is_constant_(system.constant_mass_matrix()),
      q_(system.nq()) {}

void MassMatrix::factorise(double t, const ConstVectorRef& q) {
  if (is_known_ && is_constant_) return;
  t_ = t;
  q_ = q;
  is_old_ = solver_ != nullptr;
  if (solver_) return solver_->factorise_mass(t, q, work_);
  system_.mass_matrix(t, q, M_, work_);
  llt_.compute(M_);
  if (llt_.info() != Eigen::Success || !llt_.matrixLLT().allFinite()) {
    throw std::domain_error("mass matrix: not positive definite at t = " + to_text(t));
  }
  is_known_ = true;
}

const Matrix& MassMatrix::entries() {
  if (is_old_) system_.mass_matrix(t_, q_, M_, work_);
  is_old_ = false;
  return M_;
}

void MassMatrix::solve(MatrixRef B) {
  if (solver_) return solver_->solve_mass(B, work_);
  if (B.cols() == 1) {  // known to be one column, which needs no blocks
    auto b = B.col(0);
    if (b.size() <= kSmallSolve) return solve_small_cholesky(llt_.matrixLLT(), b);
    llt_.matrixL().solveInPlace(b);
    llt_.matrixU().solveInPlace(b);
    return;
  }
  llt_.matrixL().solveInPlace(B);
  llt_.matrixU().solveInPlace(B);
}

}  // namespace nsmb
