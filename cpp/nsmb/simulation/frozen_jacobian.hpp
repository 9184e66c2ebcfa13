// The Jacobian of the motion between two events, for stiff integrators: implicit differentiation of
//   M u̇ = h + w ζ + W λ,   γ̇_R = 0 of the rows that stay closed,
// with the forces of sliding contacts at their bound.
#pragma once

#include "nsmb/simulation/frozen_equations.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/system/jacobians.hpp"

namespace nsmb {

/// ∂ẏ/∂y of systems that know their derivatives.
class FrozenJacobian {
 public:
  explicit FrozenJacobian(const System& system);

  /// Not where more changes than W, w̄ and λ_N: coefficients that depend on the slip speed,
  /// directions of slip in a plane, given bounds.
  static bool is_known(const System& system);

  /// At (t, y), to which `mechanics` is updated; `equations` give `solution` there.
  void find(double t, const ConstVectorRef& y, const FrozenRoles& roles,
            const FrozenSolution& solution, Mechanics& mechanics, FrozenEquations& equations,
            MatrixRef dfdy);

 private:
  void find_column(Index k, const FrozenRoles& roles, Mechanics& mechanics,
                   FrozenEquations& equations, MatrixRef dfdy);

  const System& system_;
  GivenForces forces_;
  Jacobians jacobians_;
  Vector w_bar_B_;
  FrozenSolution change_;  // along one column
};

}  // namespace nsmb
