// The bilateral constraints of a system at one (t, q, u).
#pragma once

#include <memory>

#include "nsmb/simulation/constraints.hpp"
#include "nsmb/simulation/mass_matrix.hpp"
#include "nsmb/simulation/singular_position.hpp"
#include "nsmb/system/constraint_set.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// Workspace: their kinematics, what they make of M⁻¹, and the ways back onto them. M is that of
/// the last MassMatrix::factorise().
class BilateralConstraints {
 public:
  BilateralConstraints(const System& system, SystemWorkspace& work, MassMatrix& mass);

  bool exist() const { return system_.nb() > 0; }
  void update(double t, const ConstVectorRef& q, const ConstVectorRef& u);
  /// Forget what singular positions of earlier motion have shown.
  void forget();

  /// B := P W_B, given B = M⁻¹ W_B.
  void project(MatrixRef B) { projection_.project(mass_.cholesky(), B); }
  /// a := the acceleration on constraints with this w̄ (nb), given a = M⁻¹ h.
  void project_acceleration(const ConstVectorRef& w_bar, VectorRef a) {
    projection_.project_acceleration(mass_.cholesky(), w_bar, a);
  }
  /// The smallest step in velocities, in the kinetic metric, that takes `value` to zero.
  void correction(const ConstVectorRef& value, VectorRef step);
  /// The same for the velocities u of the last update.
  void velocity_correction(const ConstVectorRef& u, VectorRef step);
  /// λ_B (nb) that make up `force` (nu).
  void forces(const ConstVectorRef& force, VectorRef lambda_B);

  /// Is less than this part left of a constraint beside the others, measured by the largest it has
  /// been where this was asked?
  bool near_singular_position(double part);
  bool is_weak(Index i, double part) const { return projection_.is_weak(i, part); }

  /// (t, y) onto them, in position and velocity. False: no way was found.
  bool satisfy(double t, VectorRef y);
  /// The velocities of (t, y) onto them, by the impulses that take no energy from what they allow.
  void project_velocities(double t, VectorRef y);
  /// (t, y), which is near them, onto them as well as few steps do it.
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
  Index always_weak_ = 0;         // those that are weak wherever the motion goes
  Vector u_scratch_, q_scratch_;  // (nu), (nq)
};

}  // namespace nsmb
