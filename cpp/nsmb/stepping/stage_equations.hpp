// The equations of motion at a stage of a step, under constant contact forces:
//
//   M u̇ = F(t, q, u, x) + W_N λ_N + W_T λ_T + W_B λ_B,   W_Bᵀu̇ + w̄_B = 0            (3.1)-(3.6)
#pragma once

#include <vector>

#include "nsmb/stepping/smooth_forces.hpp"

namespace nsmb {

/// Workspace; force elements in the modes, contacts at the features of `mechanics`.
class StageEquations {
 public:
  explicit StageEquations(Mechanics& mechanics);

  Mechanics& mechanics() const { return mechanics_; }
  /// Forces of contacts from now on, (nc) and (nt), N.
  void hold(const Vector& lambda_N, const Vector& lambda_T);
  /// ẏ (ny) at (t, y), where `mechanics` then stands.
  void rates(double t, const ConstVectorRef& y, VectorRef ydot);
  /// q̇ alone; the rest of ydot is as it was.
  void coordinate_rates(double t, const ConstVectorRef& y, VectorRef ydot);
  /// λ_B (nb) where rates() were asked last.
  void constraint_forces(const ConstVectorRef& ydot, VectorRef lambda_B);
  /// P W (nu, rows) at (t, y): accelerations by unit forces of these rows, constraints included.
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
