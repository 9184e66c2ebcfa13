// Derivatives of a system with respect to y = (q, u, x), for stiff solvers.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class System;

/// The accelerations and forces at one instant that are held constant.
struct GivenForces {
  explicit GivenForces(const System& system);
  Vector udot;                // (nu)
  Vector lambda_N, lambda_T;  // (nc), (nt)
  Vector zeta;                // (ne), of force elements
  Vector lambda_B;            // (nb), of bilateral constraints
};

/// Derivatives with respect to q, u and the states of the system itself, in ny_own columns. ∂u̇/∂y
/// and ∂λ/∂y follow from M u̇ = h + w ζ + W λ and the constant γ̇.
struct Jacobians {
  explicit Jacobians(const System& system);
  Matrix residual;  // (nu, ny_own) of M u̇ - h - w ζ - W λ
  Matrix gammadot;  // (nc + nt + nb, ny_own) of Wᵀu̇ + w̄: ContactRows, then bilateral constraints
  Matrix element;   // (2 ne, ny_own) of γ, then of γ̇
  Matrix qdot;      // (nq, ny_own)
  Matrix xdot;      // (nx_own, ny_own)
};

class Differentiable {
 public:
  /// Compute the derivatives at the state of the last contact_kinematics() call.
  virtual void jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, const GivenForces& forces, Jacobians& jacobians,
                         SystemWorkspace& work) const = 0;

 protected:
  ~Differentiable() = default;
};

}  // namespace nsmb
