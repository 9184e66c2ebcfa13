// The bilateral constraints of a system at one (t, q, u).
#pragma once

#include <memory>

#include "nsmb/simulation/constraints.hpp"
#include "nsmb/simulation/mass_matrix.hpp"
#include "nsmb/simulation/singular_position.hpp"
#include "nsmb/system/constraint_set.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// A workspace for the kinematics of the constraints, their effect on M⁻¹, and the projection of
/// states onto them. M is the matrix of the last MassMatrix::factorise().
class BilateralConstraints {
 public:
  BilateralConstraints(const System& system, SystemWorkspace& work, MassMatrix& mass);

  bool exist() const { return system_.nb() > 0; }
  void update(double t, const ConstVectorRef& q, const ConstVectorRef& u);
  /// Discard the findings about singular positions of earlier motion.
  void forget();

  /// Compute B := P W_B, given B = M⁻¹ W_B.
  void project(MatrixRef B) { projection_.project(mass_.cholesky(), B); }
  /// Compute the acceleration a on constraints with this w̄ (nb), given a = M⁻¹ h.
  void project_acceleration(const ConstVectorRef& w_bar, VectorRef a) {
    projection_.project_acceleration(mass_.cholesky(), w_bar, a);
  }
  /// Compute the smallest step in velocities, in the kinetic metric, that takes `value` to zero.
  void correction(const ConstVectorRef& value, VectorRef step);
  /// Compute the same step for the velocities u of the last update.
  void velocity_correction(const ConstVectorRef& u, VectorRef step);
  /// Compute λ_B (nb) that add up to `force` (nu).
  void forces(const ConstVectorRef& force, VectorRef lambda_B);

  /// Return true if the independent part of a constraint is smaller than `part` times its largest
  /// value in previous calls.
  bool near_singular_position(double part);
  bool is_weak(Index i, double part) const { return projection_.is_weak(i, part); }

  /// Move (t, y) onto the constraints, in position and velocity. Return false if this fails.
  bool satisfy(double t, VectorRef y);
  /// Project the velocities of (t, y) onto the constraints by impulses that take no energy from the
  /// admissible motion.
  void project_velocities(double t, VectorRef y);
  /// Move (t, y), which is near the constraints, onto them as accurately as a few steps allow.
  void approach(double t, VectorRef y);

  ConstraintKinematics kinematics;
  Vector gamma;  // (nb)

 private:
  void pass_singular_position(double t, const ConstVectorRef& q, const ConstVectorRef& u);
  void find_velocities(const ConstVectorRef& u);
  bool step_back(double t, VectorRef q, double rounding);

  const System& system_;
  SystemWorkspace& work_;
  MassMatrix& mass_;
  ConstraintProjection projection_;
  std::unique_ptr<SingularPosition> singular_;
  Vector sizes_;                  // (nb) largest norms in the kinetic metric
  Index always_weak_ = 0;         // number of constraints that are weak everywhere
  Vector u_scratch_, q_scratch_;  // (nu), (nq)
};

}  // namespace nsmb
