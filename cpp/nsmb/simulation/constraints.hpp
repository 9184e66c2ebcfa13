// Bilateral constraints leave the equations by projection: M⁻¹ becomes
//   P = M⁻¹ - M⁻¹W (Wᵀ M⁻¹ W)⁺ Wᵀ M⁻¹,
// and all contact laws then see the constrained system. Redundant constraints are allowed.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Workspace. With M = L Lᵀ and Y = L⁻¹W of full rank r after pivoting, Y Π = Q R.
class ConstraintProjection {
 public:
  ConstraintProjection(Index nu, Index nb);

  /// Decompose at the present M and W.
  void update(const Eigen::LLT<Matrix>& M, const ConstraintKinematics& constraints);
  Index rank() const { return rank_; }

  /// B := P W_B for several directions at once, given B = M⁻¹ W_B.
  void project(const Eigen::LLT<Matrix>& M, MatrixRef B);
  /// a := P h - M⁻¹ W (Wᵀ M⁻¹ W)⁺ w̄, given a = M⁻¹ h.
  void project_acceleration(const Eigen::LLT<Matrix>& M, const ConstVectorRef& w_bar, VectorRef a);
  /// The smallest step in the kinetic metric, -M⁻¹ W (Wᵀ M⁻¹ W)⁺ value: takes `value` of the
  /// constraints to zero.
  void correction(const Eigen::LLT<Matrix>& M, const ConstVectorRef& value, VectorRef step);
  /// λ (nb) with W λ = force in the range of W; zero for constraints that depend on the others.
  void forces(const Eigen::LLT<Matrix>& M, const ConstVectorRef& force, VectorRef lambda);

 private:
  Matrix Q_;                  // (nu, nb) orthonormal basis of L⁻¹W, first rank_ columns
  Matrix R_;                  // (nb, nb)
  std::vector<Index> pivot_;  // (nb)
  Index rank_ = 0;
  Vector coefficients_;  // (nb)
  Vector scratch_;       // (nu)
};

}  // namespace nsmb
