// M of a system at one (t, q), and solutions with it.
#pragma once

#include <Eigen/Cholesky>

#include "nsmb/system/mass_solver.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// Workspace. A constant M is factorised once; a system that solves with M itself, as trees of many
/// bodies do, is asked for its entries only where they are needed.
class MassMatrix {
 public:
  MassMatrix(const System& system, SystemWorkspace& work);

  /// Throws std::domain_error when M is not positive definite at (t, q).
  void factorise(double t, const ConstVectorRef& q);
  /// B := M⁻¹ B.
  void solve(MatrixRef B);
  /// M itself.
  const Matrix& entries();
  bool is_constant() const { return is_constant_; }
  /// Where M is solved with by its entries, as beside bilateral constraints.
  const Eigen::LLT<Matrix>& cholesky() const { return llt_; }

 private:
  const System& system_;
  SystemWorkspace& work_;
  Matrix M_;
  Eigen::LLT<Matrix> llt_;
  const MassSolver* solver_;  // null: by the entries
  bool is_constant_, is_known_ = false;
  double t_ = 0.0;  // where M_ or what stands for it was made
  Vector q_;        // (nq)
  bool is_old_ = false;
};

}  // namespace nsmb
