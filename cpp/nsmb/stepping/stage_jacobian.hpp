// The Jacobian ∂ẏ/∂y under constant contact forces, for implicit stages.
#pragma once

#include "nsmb/stepping/stage_equations.hpp"
#include "nsmb/system/jacobians.hpp"

namespace nsmb {

/// A workspace for the Jacobian. If the system provides derivatives, M u̇ = F + W λ + W_B λ_B is
/// differentiated implicitly. Otherwise finite differences are used.
class StageJacobian {
 public:
  explicit StageJacobian(StageEquations& equations);

  /// Compute the Jacobian (ny, ny) at (t, y). h in s sets the scale of displacements in a step.
  const Matrix& find(double t, double h, const ConstVectorRef& y);

 private:
  void differentiate(double t, const ConstVectorRef& y);
  void add_column(Index k);
  void take_differences(double t, double h, const ConstVectorRef& y);

  StageEquations& equations_;
  const bool is_known_;
  GivenForces forces_;
  Jacobians jacobians_;
  Vector w_bar_B_, udot_;
  Vector y_, rates_, moved_;
  Matrix J_;
};

}  // namespace nsmb
