// Derivatives of a system with respect to y = (q, u, x), as stiff solvers want them.
#pragma once

#include "nsmb/system/workspace.hpp"

namespace nsmb {

class System;

/// What is held: accelerations and forces at one instant.
struct GivenForces {
  explicit GivenForces(const System& system);
  Vector udot;                // (nu)
  Vector lambda_N, lambda_T;  // (nc), (nt)
  Vector zeta;                // (ne) of the force elements
  Vector lambda_B;            // (nb) of the bilateral constraints
};

/// Columns: q, u and the system's own states, ny_own in number. From M u̇ = h + w ζ + W λ and the
/// γ̇ that stay constant follow ∂u̇/∂y and ∂λ/∂y.
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
  /// At a place where contact_kinematics has been asked last.
  virtual void jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, const GivenForces& forces, Jacobians& jacobians,
                         SystemWorkspace& work) const = 0;

 protected:
  ~Differentiable() = default;
};

}  // namespace nsmb
