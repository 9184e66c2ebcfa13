// Elimination of bilateral constraints by projection: M⁻¹ becomes
//   P = M⁻¹ - M⁻¹W (Wᵀ M⁻¹ W)⁺ Wᵀ M⁻¹,
// and all contact laws then see the constrained system. Redundant constraints are allowed.
#pragma once

#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/system/constraint_set.hpp"

namespace nsmb {

/// The values that constraints prescribe at a singular position, where they lose their
/// independence, as limits along the motion. See singular_position.hpp.
struct ConstraintContinuation {
  Matrix projector;     // (nu, nu) Q Qᵀ
  Vector velocity;      // (nu) the smallest velocity with γ = 0
  Vector acceleration;  // (nu) the smallest acceleration with γ̇ = 0
  Index rank = 0;       // of the projector
};

/// A workspace for the projection. With M = L Lᵀ, pivoting of Y = L⁻¹W with rank r gives Y Π = Q R.
class ConstraintProjection {
 public:
  ConstraintProjection(Index nu, Index nb);

  /// Decompose at the current M and W.
  void update(const DenseCholesky& M, const ConstraintKinematics& constraints);
  Index rank() const { return rank_; }
  /// Return the number of constraints whose independent part is smaller than `part` times the
  /// largest constraint.
  Index weak(double part) const;
  /// Return true if constraint i is one of these.
  bool is_weak(Index i, double part) const;
  /// Return true if the independent part of a constraint is smaller than `part` times its largest
  /// size so far, `sizes` (nb), or if is_continued(). Constraints that always depend on others do
  /// not count.
  bool has_weaker_than(double part, const ConstVectorRef& sizes) const;
  /// Return W in the kinetic metric, by columns, and the norm of its largest column.
  const Matrix& Y() const { return Y_; }
  double largest() const { return largest_; }
  /// Return the orthonormal basis Q, shape (nu, rank()).
  auto basis() const { return Q_.leftCols(rank_); }

  /// Replace constraints that are smaller than `part` times the largest one by their continuation.
  /// Return false, without changes, if the continuation does not fit the remaining constraints.
  bool continue_with(const DenseCholesky& M, double part,
                     const ConstraintContinuation& continuation);
  bool is_continued() const { return strong_ < rank_; }

  /// Compute B := P W_B for several directions at once, given B = M⁻¹ W_B.
  void project(const DenseCholesky& M, MatrixRef B);
  /// Compute a := P h - M⁻¹ W (Wᵀ M⁻¹ W)⁺ w̄, given a = M⁻¹ h.
  void project_acceleration(const DenseCholesky& M, const ConstVectorRef& w_bar, VectorRef a);
  /// Compute the smallest step in the kinetic metric, -M⁻¹ W (Wᵀ M⁻¹ W)⁺ value, that takes `value`
  /// of the constraints to zero. Continued constraints are left out.
  void correction(const DenseCholesky& M, const ConstVectorRef& value, VectorRef step);
  /// Compute the same step for velocities u with γ = Wᵀu + w̃, continued constraints included.
  void velocity_correction(const DenseCholesky& M, const ConstVectorRef& u,
                           const ConstVectorRef& gamma, VectorRef step);
  /// Compute λ (nb) with W λ = force in the range of W. λ is zero for constraints that depend on
  /// the others, even if only for an instant.
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
  Vector continued_velocity_, continued_rate_;  // (nb) along Q_, from strong_ on
  Vector scratch_;                              // (nu)
};

}  // namespace nsmb
