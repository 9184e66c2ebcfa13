// What loads do in a step, at its middle: h_1 of force_parts.hpp, force elements, and ẋ.
//
//   J (Δu, Δx) = h (F, ẋ)(t_p, q_p, u⁻, x_k),
//   J = (M, 1) - θh ∂(F, ẋ)/∂(u, x) - (θh)² ∂(F, ẋ)/∂q B
//
// J is put together for cliques that loads act on, A is the symmetric part of what it leaves of
// velocities. Impulses WΛ would make J⁻¹WΛ of velocities, the problem of contacts makes A⁻¹WΛ.
#pragma once

#include <vector>

#include "nsmb/core/dense_lu.hpp"
#include "nsmb/stepping/smooth_forces.hpp"
#include "nsmb/stepping/step_inertia.hpp"

namespace nsmb {

/// Cliques that loads act on, those that the same load acts on together. One for all unless a
/// system says more.
std::vector<std::vector<Index>> loaded_cliques(const System& system, const Cliques& cliques);

/// Workspace.
class StepLoads {
 public:
  StepLoads(Mechanics& mechanics, ForceParts& parts, StepInertia& inertia,
            std::vector<std::vector<Index>> loaded);

  /// F and ẋ at (t, y), force elements in the modes of `mechanics`.
  void evaluate(double t, const ConstVectorRef& y);
  /// J there, for a step of length h; `inertia` gets A. With M at its last factorise().
  void linearise(double t, double h, const ConstVectorRef& y);
  /// Changes (nu), (nx) in the step.
  const Vector& change() const { return change_; }
  const Vector& state_change() const { return state_change_; }
  /// All J are: there is nothing to correct.
  bool are_symmetric() const;
  /// Adds (J⁻¹ - A⁻¹) WΛ to the change; `forces` are WΛ (nu). False: there is none.
  bool correct(const ConstVectorRef& forces);
  /// Impulses besides have changed velocities by du (nu): what that does to states.
  void follow(const ConstVectorRef& du, VectorRef dx);

  /// (nu + nx) F, ẋ.
  const Vector& rates() const { return rates_; }

 private:
  struct Group {
    Index unit = 0;
    std::vector<Index> velocities;
    bool is_taken = false, is_symmetric = true;
    Matrix J, of_velocities;  // (n + nx, n + nx); what it leaves of velocities, (n, n)
    Matrix effect;            // (nx, n) of velocities on states
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
  bool is_linear_ = false;  // J depends on h alone
  double h_ = 0.0;          // of J
  Vector rates_, others_, change_, state_change_, part_, solved_;
  Vector y_, direction_, q_step_;
};

}  // namespace nsmb
