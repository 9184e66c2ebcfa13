// The effect of loads in a step, at its middle: h_1 of force_parts.hpp, force elements, and ẋ.
//
//   J (Δu, Δx) = h (F, ẋ)(t_p, q_p, u⁻, x_k),
//   J = (M, 1) - θh ∂(F, ẋ)/∂(u, x) - (θh)² ∂(F, ẋ)/∂q B
//
// J is assembled for cliques under loads. A is the symmetric part of what J leaves for velocities.
// Impulses WΛ would change the velocities by J⁻¹WΛ, while the contact problem uses A⁻¹WΛ.
#pragma once

#include <vector>

#include "nsmb/core/dense_lu.hpp"
#include "nsmb/stepping/smooth_forces.hpp"
#include "nsmb/stepping/step_inertia.hpp"

namespace nsmb {

/// Return the cliques under loads, grouped by common loads. By default all cliques form one group.
std::vector<std::vector<Index>> loaded_cliques(const System& system, const Cliques& cliques);

/// A workspace for the loads of a step.
class StepLoads {
 public:
  StepLoads(Mechanics& mechanics, ForceParts& parts, StepInertia& inertia,
            std::vector<std::vector<Index>> loaded);

  /// Compute F and ẋ at (t, y) with the force-element modes of `mechanics`.
  void evaluate(double t, const ConstVectorRef& y);
  /// Compute J at (t, y) for a step of length h, and pass A to `inertia`. M is that of the last
  /// factorise().
  void linearise(double t, double h, const ConstVectorRef& y);
  /// Changes (nu), (nx) of velocities and states in the step.
  const Vector& change() const { return change_; }
  const Vector& state_change() const { return state_change_; }
  /// Return true if all J are symmetric, so that no correction is needed.
  bool are_symmetric() const;
  /// Add (J⁻¹ - A⁻¹) WΛ to the change, with `forces` WΛ (nu). Return false if the correction is
  /// zero.
  bool correct(const ConstVectorRef& forces);
  /// Compute the effect of additional impulses on the states. They change the velocities by du
  /// (nu).
  void follow(const ConstVectorRef& du, VectorRef dx);

  /// (nu + nx) F, ẋ.
  const Vector& rates() const { return rates_; }

 private:
  struct Group {
    Index unit = 0;
    std::vector<Index> velocities;
    bool is_taken = false, is_symmetric = true;
    Matrix J, of_velocities;  // (n + nx, n + nx); part that it leaves for velocities, (n, n)
    Matrix effect;            // (nx, n) effect of velocities on states
    DenseLu lu, lu_of_velocities, lu_of_states;
    DenseCholesky llt;
    Vector distances;  // (n) scratch
  };

  void differ(double t, double h, const ConstVectorRef& y);
  void take(Group& group);

  Mechanics& mechanics_;
  SmoothForces forces_;
  StepInertia& inertia_;
  std::vector<Group> groups_;
  bool is_linear_ = false;  // J depends on h only
  double h_ = 0.0;          // step length of J
  Vector rates_, others_, change_, state_change_, part_, solved_;
  Vector y_, direction_, q_step_;
};

}  // namespace nsmb
