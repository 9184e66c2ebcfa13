// Contact forces while the contact state does not change: the linear equations (5.15).
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"

namespace nsmb {

/// How one contact takes part in the frozen equations. With dependent contacts neither all its
/// conditions nor all its forces do.
struct FrozenRole {
  ContactState state = ContactState::Open;
  bool normal_row = false;        // γ̇_N = 0 is one of the equations
  bool tangential_row = false;    // γ̇_T = 0 is one of the equations
  bool normal_force = false;      // λ_N is one of the unknowns; false: λ_N = 0
  bool tangential_force = false;  // λ_T is an unknown besides what friction_sign gives
  /// λ_T = -friction_sign μ λ_N: slip, or a sticking contact that carries its limit while
  /// other, dependent contacts carry the rest.
  std::int8_t friction_sign = 0;
};

using FrozenRoles = std::vector<FrozenRole>;

/// Workspace for questions of dependence; allocates nothing after construction. G as in Delassus.
class RowSelection {
 public:
  explicit RowSelection(Index nc);

  /// Choose equations and unknowns for the states `states`: as many independent conditions as there
  /// are, and as many independent forces, those first that the transition law loaded, so that a
  /// force left out (dependent contacts) is one without load. Contacts marked `exhausted` come
  /// last, their normal force is about to end. `roles` (nc) is overwritten.
  void choose(const Matrix& G, const ContactStates& states, const Vector& mu,
              const AccelerationResult& forces, const std::vector<bool>& exhausted,
              FrozenRoles& roles);

  /// Is `row` of G independent of the other rows marked in `hold` (2nc)?
  bool is_independent(const Matrix& G, const std::vector<bool>& hold, Index row);

  /// Are the rows of G marked in `hold` (2nc) independent of each other?
  bool are_independent(const Matrix& G, const std::vector<bool>& hold);

 private:
  // Order in which forces are taken as unknowns.
  enum Rank {
    kLoaded,
    kFriction,
    kIdleFriction,
    kUnloaded,
    kUnloadedFriction,
    kAtLimit,
    kExhausted
  };
  struct Candidate {
    Index force;
    Rank rank;      // lower first
    double margin;  // friction left, larger first
  };

  void clear() { accepted_.clear(); }
  bool try_accept(const Matrix& G, Index row);
  void add_candidate(const Candidate& candidate);
  void list_candidates(const Matrix& G, const Vector& mu, const AccelerationResult& forces,
                       const std::vector<bool>& exhausted, FrozenRoles& roles);

  std::vector<Index> accepted_;  // rows, in order
  Matrix factor_;                // row k: Cholesky factor of accepted row k
  Vector trial_;
  std::vector<Candidate> candidates_;
  std::vector<Index> rows_;
  Matrix basis_;
  Vector column_, projection_;
};

/// Rows of G (normal rows 0..nc-1, tangential rows nc..2nc-1) that are equations, and those whose
/// forces are unknowns; both lists have the same length.
void frozen_rows(const FrozenRoles& roles, std::vector<Index>& rows);
void frozen_forces(const FrozenRoles& roles, std::vector<Index>& forces);

/// A_R(r, k) = ∂γ̇_r/∂λ_k: W_Rᵀ M⁻¹ (W_K + N_G) of (5.15).
void assemble_frozen(const Matrix& G, const FrozenRoles& roles, const Vector& mu,
                     const std::vector<Index>& rows, const std::vector<Index>& forces,
                     MatrixRef A_R);

/// λ_N, λ_T of all contacts from the unknowns.
void scatter_forces(const FrozenRoles& roles, const Vector& mu, const std::vector<Index>& forces,
                    const ConstVectorRef& lambda_K, VectorRef lambda_N, VectorRef lambda_T);

}  // namespace nsmb
