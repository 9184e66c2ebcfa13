// ∂ẏ/∂y under forces of contacts that are held, for implicit stages.
#pragma once

#include "nsmb/stepping/stage_equations.hpp"
#include "nsmb/system/jacobians.hpp"

namespace nsmb {

/// Workspace. Of systems that know their derivatives by implicit differentiation of
/// M u̇ = F + W λ + W_B λ_B, of others by differences.
class StageJacobian {
 public:
  explicit StageJacobian(StageEquations& equations);

  /// (ny, ny) at (t, y); h s is about how far coordinates go in a step.
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
