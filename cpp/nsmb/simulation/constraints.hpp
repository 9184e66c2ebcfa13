// Bilateral constraints leave the equations by projection: M⁻¹ becomes
//   P = M⁻¹ - M⁻¹W (Wᵀ M⁻¹ W)⁺ Wᵀ M⁻¹,
// and all contact laws then see the constrained system. Redundant constraints are allowed.
#pragma once

#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/system/constraint_set.hpp"

namespace nsmb {

/// What constraints that lose their independence at a singular position go on to demand there: the
/// limit along the motion, see singular_position.hpp.
struct ConstraintContinuation {
  Matrix projector;     // (nu, nu) Q Qᵀ
  Vector velocity;      // (nu) the smallest velocity with γ = 0
  Vector acceleration;  // (nu) the smallest acceleration with γ̇ = 0
  Index rank = 0;       // of the projector
};

/// Workspace. With M = L Lᵀ and Y = L⁻¹W of full rank r after pivoting, Y Π = Q R.
class ConstraintProjection {
 public:
  ConstraintProjection(Index nu, Index nb);

  /// Decompose at the present M and W.
  void update(const DenseCholesky& M, const ConstraintKinematics& constraints);
  Index rank() const { return rank_; }
  /// How many constraints the others leave less of than this part of the largest one.
  Index weak(double part) const;
  /// Is constraint i one of them?
  bool is_weak(Index i, double part) const;
  /// Do the others leave less than this part of a constraint, measured by `sizes` (nb), the largest
  /// it has had? Those that always depend on others do not count.
  bool has_weaker_than(double part, const ConstVectorRef& sizes) const;
  /// By columns: W in the kinetic metric, and its largest column.
  const Matrix& Y() const { return Y_; }
  double largest() const { return largest_; }
  /// Q (nu, rank()).
  auto basis() const { return Q_.leftCols(rank_); }

  /// Below this part of the largest, constraints are replaced by their continuation. False, and
  /// nothing is changed: it does not fit what is left here.
  bool continue_with(const DenseCholesky& M, double part,
                     const ConstraintContinuation& continuation);
  bool is_continued() const { return strong_ < rank_; }

  /// B := P W_B for several directions at once, given B = M⁻¹ W_B.
  void project(const DenseCholesky& M, MatrixRef B);
  /// a := P h - M⁻¹ W (Wᵀ M⁻¹ W)⁺ w̄, given a = M⁻¹ h.
  void project_acceleration(const DenseCholesky& M, const ConstVectorRef& w_bar, VectorRef a);
  /// The smallest step in the kinetic metric, -M⁻¹ W (Wᵀ M⁻¹ W)⁺ value: takes `value` of the
  /// constraints to zero, of continued ones nothing.
  void correction(const DenseCholesky& M, const ConstVectorRef& value, VectorRef step);
  /// The same for velocities u with γ = Wᵀu + w̃, continued constraints included.
  void velocity_correction(const DenseCholesky& M, const ConstVectorRef& u,
                           const ConstVectorRef& gamma, VectorRef step);
  /// λ (nb) with W λ = force in the range of W; zero for constraints that depend on the others,
  /// also where they do so for an instant only.
  void forces(const DenseCholesky& M, const ConstVectorRef& force, VectorRef lambda);

 private:
  Matrix Y_;                  // (nu, nb) L⁻¹W
  Matrix Q_;                  // (nu, nb) orthonormal basis of L⁻¹W, first rank_ columns
  Matrix R_;                  // (nb, nb)
  std::vector<Index> pivot_;  // (nb)
  Index rank_ = 0;
  Index strong_ = 0;  // columns of Q_ that belong to columns of R_
  double largest_ = 0.0;
  Vector coefficients_;                         // (nb)
  Vector continued_velocity_, continued_rate_;  // (nb) along Q_, behind strong_
  Vector scratch_;                              // (nu)
};

}  // namespace nsmb
