// Variational equations δẏ = f_y δy + f_p δp along one step of the motion. They are solved by the
// exponential of a constant matrix, or by Gauss collocation of order 8 on the integrated motion.
#pragma once

#include "nsmb/simulation/gauss_collocation.hpp"
#include "nsmb/simulation/varied_systems.hpp"

namespace nsmb {

class VariationFlow {
 public:
  VariationFlow(VariedSystems& systems, const FrozenChoices& frozen);

  /// Start a phase with other frozen equations.
  void begin_phase() { has_constant_jacobian_ = false; }
  /// Propagate Y (ny, ny + np) along the last step of `phase`, as it is after a location. Return
  /// the number of parameters whose contribution is not known.
  Index step(const Phase& phase, Matrix& Y);
  /// Compute ∂ẏ/∂y at (t, y).
  void jacobian(double t, const ConstVectorRef& y, MatrixRef J);

 private:
  void multiply_exponential(double h, MatrixRef Y);
  Index propagate_linear(double t, double h, const Phase& phase, Matrix& Y);
  void propagate(double t, double h, const Phase& phase, Matrix& Y);
  void parameter_rates(double t, const ConstVectorRef& y, MatrixRef B);
  int parts_of_step(double h);

  VariedSystems& systems_;
  const FrozenChoices& frozen_;
  Index n_;  // ny
  Vector y_, plus_, minus_;
  Matrix scaled_, term_, product_, before_step_;
  Matrix J_;                            // (ny, ny)
  bool has_constant_jacobian_ = false;  // constant_jacobian_ is that of the frozen state
  Matrix constant_jacobian_;
  GaussCollocation collocation_;
};

}  // namespace nsmb
