// Dynamics of a tree: M, h and u̇ of M u̇ = h + τ, (3.11). All functions use the results of
// evaluate_positions or evaluate_state in the workspace.
#pragma once

#include "nsmb/multibody/tree_workspace.hpp"

namespace nsmb {

/// Compute M (nu, nu) by composite rigid bodies. Requires positions.
void mass_matrix(const Tree& tree, TreeWorkspace& work, MatrixRef M);

/// Compute the diagonal (nu) of M in linear time. Requires positions, and a tree without elastic
/// bodies.
void mass_diagonal(const Tree& tree, TreeWorkspace& work, VectorRef diagonal);

/// Parts of h: gyroscopic terms and prescribed accelerations, gravity and applied wrenches, or
/// both.
enum class TreeForces { All, Gyroscopic, Loads };

/// Compute h (nu) by the recursive Newton-Euler algorithm. Requires the state. `parts` other than
/// All require rigid bodies.
void forces(const Tree& tree, TreeWorkspace& work, VectorRef h, TreeForces parts = TreeForces::All);

/// Result of a factorisation: `massless` is -1, or the first velocity found that moves no mass, in
/// which case M is singular.
struct InertiaResult {
  Index massless = -1;
  bool ok() const { return massless < 0; }
};

/// Compute u̇ = M⁻¹ (h + τ) by the articulated-body algorithm, linear in the number of bodies.
/// Requires the state. tau (nu) may be empty.
InertiaResult forward_dynamics(const Tree& tree, TreeWorkspace& work, const ConstVectorRef& tau,
                               VectorRef udot);

/// Compute articulated inertias for solve_inertia. Requires positions.
InertiaResult factorise_inertia(const Tree& tree, TreeWorkspace& work);

/// Replace B (nu, any) by M⁻¹ B, linear in the number of bodies for each column. Call after
/// factorise_inertia or forward_dynamics at the same position.
void solve_inertia(const Tree& tree, TreeWorkspace& work, MatrixRef B);
/// Solve for the velocities of links `first` to `end` in b (nu). These links form a part of the
/// tree whose root is attached to nothing that moves.
void solve_inertia(const Tree& tree, TreeWorkspace& work, Index first, Index end, VectorRef b);

/// Return ½ Σ (m vᵀv + Ωᵀ I_S Ω) in J, with the additional terms of (11.17), (11.18) for elastic
/// bodies. Requires the state.
double kinetic_energy(const Tree& tree, const TreeWorkspace& work);
/// Return the kinetic energy of the links `first` to `end`.
double kinetic_energy(const Tree& tree, const TreeWorkspace& work, Index first, Index end);

/// Return -Σ m gᵀr_S + ½ Σ pᵀK p in J. Requires positions.
double potential_energy(const Tree& tree, const TreeWorkspace& work);

struct Momentum {
  double mass = 0.0;                 // kg
  Vector3 center = Vector3::Zero();  // common centre of mass, m
  Vector3 p = Vector3::Zero();       // Σ m v_S, N s
  Vector3 L = Vector3::Zero();       // about the inertial origin, N m s
};

/// Compute the total momentum. Requires the state.
Momentum momentum(const Tree& tree, const TreeWorkspace& work);

}  // namespace nsmb
