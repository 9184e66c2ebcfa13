// Contact forces while the contact state does not change: the linear equations (5.15).
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"

namespace nsmb {

/// How one contact takes part in the frozen equations.
struct FrozenRole {
  ContactState state = ContactState::Open;
  bool normal_row = false;      // γ̇_N = 0 determines λ_N; false: λ_N = 0
  bool tangential_row = false;  // γ̇_T = 0 determines λ_T
  /// λ_T = -friction_sign μ λ_N: slip, or a sticking contact that carries its limit while
  /// other, dependent contacts carry the rest.
  std::int8_t friction_sign = 0;

  bool operator==(const FrozenRole&) const = default;
};

using FrozenRoles = std::vector<FrozenRole>;

/// Choose an independent set of rows for the states `states` and the forces of the transition
/// law: rows with force come first, so that a redundant row (dependent contacts) is one without.
/// `roles` (nc) is overwritten. G as in Delassus.
void choose_rows(const Matrix& G, const ContactStates& states, const Vector& mu,
                 const AccelerationResult& forces, FrozenRoles& roles);

/// Is the tangential row of `contact` independent of all rows that `states` keeps closed without
/// it?
bool is_tangentially_independent(const Matrix& G, const ContactStates& states, const Vector& mu,
                                 Index contact);

/// The rows of G (normal rows 0..nc-1, tangential rows nc..2nc-1) that are constraints.
void constraint_rows(const FrozenRoles& roles, std::vector<Index>& rows);

/// A_R(r, k) = ∂γ̇_r/∂λ_k, k over the same rows: W_Rᵀ M⁻¹ (W_R + N_G) of (5.15).
void assemble_frozen(const Matrix& G, const FrozenRoles& roles, const Vector& mu,
                     const std::vector<Index>& rows, MatrixRef A_R);

/// λ_N, λ_T of all contacts from the forces of the constraint rows.
void scatter_forces(const FrozenRoles& roles, const Vector& mu, const std::vector<Index>& rows,
                    const ConstVectorRef& lambda_R, VectorRef lambda_N, VectorRef lambda_T);

}  // namespace nsmb
