// Dynamics of a tree: M, h and u̇ of M u̇ = h + τ, (3.11). Everything works on what
// evaluate_positions or evaluate_state has left in the workspace.
#pragma once

#include "nsmb/multibody/tree_workspace.hpp"

namespace nsmb {

/// M (nu, nu) by composite rigid bodies. Needs positions.
void mass_matrix(const Tree& tree, TreeWorkspace& work, MatrixRef M);

/// Its diagonal (nu), linear in the number of bodies, none of them elastic. Needs positions.
void mass_diagonal(const Tree& tree, TreeWorkspace& work, VectorRef diagonal);

/// Of h: gyroscopic terms and prescribed accelerations, gravity and applied wrenches, or both.
enum class TreeForces { All, Gyroscopic, Loads };

/// h (nu) by the recursive Newton-Euler algorithm. Needs the state. Parts are those of rigid
/// bodies.
void forces(const Tree& tree, TreeWorkspace& work, VectorRef h, TreeForces parts = TreeForces::All);

/// -1, or the first velocity met that can be changed without moving any mass: M is singular.
struct InertiaResult {
  Index massless = -1;
  bool ok() const { return massless < 0; }
};

/// u̇ = M⁻¹ (h + τ) by the articulated-body algorithm, linear in the number of bodies. Needs the
/// state; tau (nu) or empty.
InertiaResult forward_dynamics(const Tree& tree, TreeWorkspace& work, const ConstVectorRef& tau,
                               VectorRef udot);

/// Articulated inertias for solve_inertia. Needs positions.
InertiaResult factorise_inertia(const Tree& tree, TreeWorkspace& work);

/// B := M⁻¹ B (nu, any), linear in the number of bodies for each column. After factorise_inertia or
/// forward_dynamics at the same position.
void solve_inertia(const Tree& tree, TreeWorkspace& work, MatrixRef B);
/// The same for the velocities of links `first` to `end` in b (nu), a part of the tree whose root
/// hangs on nothing that moves.
void solve_inertia(const Tree& tree, TreeWorkspace& work, Index first, Index end, VectorRef b);

/// ½ Σ (m vᵀv + Ωᵀ I_S Ω) in J, of elastic bodies with what (11.17), (11.18) have besides. Needs
/// the state.
double kinetic_energy(const Tree& tree, const TreeWorkspace& work);
/// Of the links `first` to `end`.
double kinetic_energy(const Tree& tree, const TreeWorkspace& work, Index first, Index end);

/// -Σ m gᵀr_S + ½ Σ pᵀK p in J. Needs positions.
double potential_energy(const Tree& tree, const TreeWorkspace& work);

struct Momentum {
  double mass = 0.0;                 // kg
  Vector3 center = Vector3::Zero();  // common centre of mass, m
  Vector3 p = Vector3::Zero();       // Σ m v_S, N s
  Vector3 L = Vector3::Zero();       // about the inertial origin, N m s
};

/// Needs the state.
Momentum momentum(const Tree& tree, const TreeWorkspace& work);

}  // namespace nsmb
