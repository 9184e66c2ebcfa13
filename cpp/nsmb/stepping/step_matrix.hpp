// What a step makes of velocities and states under impulses: A Δ = right, W_Bᵀ(u + Δu) + w̃_B = 0.
#pragma once

#include "nsmb/core/dense_lu.hpp"
#include "nsmb/core/dense_qr.hpp"
#include "nsmb/simulation/mechanics.hpp"

namespace nsmb {

/// Workspace. Δ = (Δu, Δx); A is M, or M and what the linearised forces add to it.
class StepMatrix {
 public:
  explicit StepMatrix(Mechanics& mechanics);

  /// A = M on velocities and 1 on states.
  void take_mass() { is_mass_ = true; }
  /// This A (nu + nx, nu + nx); false: it is singular.
  bool take(const Matrix& A);
  /// Constraints: forces in these directions, velocities restricted in those at the end of a step.
  void constrain(const Matrix& force_directions, const Matrix& velocity_directions);

  /// B := A⁻¹B (nu + nx, any), without constraints.
  void solve(MatrixRef B);
  /// Adds to B what impulses of constraints do to it: W_Bᵀ B_u = 0. Their impulses are `Lambda`
  /// (nb, any).
  void project(MatrixRef B, MatrixRef Lambda) const;
  /// The increments d get those that constraints need: W_Bᵀ(u + d) + w̃_B = 0. Their impulses are
  /// added to `Lambda_B`.
  void satisfy(const ConstVectorRef& u, const ConstVectorRef& w_tilde, VectorRef d,
               VectorRef Lambda_B) const;

  Index size() const { return nu_ + nx_; }
  Index constraints() const { return nb_; }

 private:
  Mechanics& mechanics_;
  Index nu_, nx_, nb_;
  bool is_mass_ = true;
  DenseLu lu_;
  Matrix directions_, effects_;  // (nu, nb) of velocities, (nu + nx, nb) A⁻¹W_B
  RankedQr inverse_;
  Matrix solution_;  // scratch
};

}  // namespace nsmb
