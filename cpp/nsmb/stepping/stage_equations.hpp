// The equations of motion at a stage of a step, under constant contact forces:
//
//   M u̇ = F(t, q, u, x) + W_N λ_N + W_T λ_T + W_B λ_B,   W_Bᵀu̇ + w̄_B = 0            (3.1)-(3.6)
#pragma once

#include <vector>

#include "nsmb/stepping/smooth_forces.hpp"

namespace nsmb {

/// A workspace for the equations of motion, with the force-element modes and contact features of
/// `mechanics`.
class StageEquations {
 public:
  explicit StageEquations(Mechanics& mechanics);

  Mechanics& mechanics() const { return mechanics_; }
  /// Set the contact forces (nc) and (nt), in N, for all following calls.
  void hold(const Vector& lambda_N, const Vector& lambda_T);
  /// Compute ẏ (ny) at (t, y), and leave `mechanics` at this state.
  void rates(double t, const ConstVectorRef& y, VectorRef ydot);
  /// Compute q̇ alone, and leave the other entries of ydot unchanged.
  void coordinate_rates(double t, const ConstVectorRef& y, VectorRef ydot);
  /// Compute λ_B (nb) at the state of the last rates().
  void constraint_forces(const ConstVectorRef& ydot, VectorRef lambda_B);
  /// Compute P W (nu, rows) at (t, y): accelerations by unit forces of these rows, with
  /// constraints.
  void columns(double t, const ConstVectorRef& y, const std::vector<Index>& rows, Matrix& columns);

  const Vector& lambda_N() const { return lambda_N_; }
  const Vector& lambda_T() const { return lambda_T_; }

 private:
  Mechanics& mechanics_;
  SmoothForces forces_;
  Vector lambda_N_, lambda_T_;
  Vector rates_;  // (nu + nx) F, then u̇; ẋ
};

}  // namespace nsmb
