// Contact forces while the contact state does not change: the linear equations (5.15), (14).
#pragma once

#include <array>
#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/contact_laws/joined_contacts.hpp"

namespace nsmb {

/// The role of a contact in the frozen equations. For dependent contacts, not all of their
/// conditions and forces take part.
struct FrozenRole {
  ContactState state = ContactState::Open;
  bool normal_row = false;                    // γ̇_N = 0 is an equation
  bool normal_force = false;                  // λ_N is an unknown; false: λ_N = 0
  std::array<bool, 2> tangential_row = {};    // γ̇_T = 0 is an equation
  std::array<bool, 2> tangential_force = {};  // λ_T is an unknown, in addition to sliding friction
  /// λ_T = bound · friction: slip, or a sticking contact at its limit while other, dependent
  /// contacts carry the rest.
  bool at_bound = false;
  /// Two-dimensional slip that starts from γ_T = 0.
  bool from_rest = false;
};

struct FrozenRoles {
  std::vector<FrozenRole> contacts;  // (nc)
  Vector friction;                   // (nt) λ_T at its bound, per unit of the bound
  Vector lambda_N, lambda_T;         // forces of the law when the roles were chosen
  std::vector<Index> entry_rows;     // independent rows with γ = 0 at the start of the phase
  /// A spatial system with sticking contacts, or a state with more forces than equations. The law
  /// decides whether the state lasts, not the signs of single forces.
  bool ask_law = false;
  /// The law also determines the forces. This holds for dependent contacts of a spatial system of
  /// which some slide, where no choice of independent forces remains admissible.
  bool law_forces = false;
  /// Rows of a spatial system, or effects of forces, are nearly linearly dependent.
  bool is_weak = false;
  /// Large forces on a light body nearly cancel, so its acceleration is refined.
  bool refines = false;

  FrozenRole& operator[](std::size_t c) { return contacts[c]; }
  const FrozenRole& operator[](std::size_t c) const { return contacts[c]; }
  std::size_t size() const { return contacts.size(); }
  bool empty() const { return contacts.empty(); }
  void clear() { contacts.clear(); }
};

/// A workspace for tests of linear dependence. If cliques are given, contacts that do not influence
/// each other are tested separately. Otherwise nothing is allocated after construction.
class RowSelection {
 public:
  RowSelection(const ContactRows& rows, const Cliques* cliques);

  /// Choose equations and unknowns for the states `states`: a largest set of independent
  /// conditions, and as many independent forces. Forces that the transition law loaded come first,
  /// so that only unloaded forces of dependent contacts are left out. Contacts marked `exhausted`
  /// come last, since their normal force is about to vanish. Contacts marked `from_rest` start to
  /// slip in two dimensions. problem.friction contains the friction of slipping contacts. `roles`
  /// is overwritten.
  void choose(const AccelerationProblem& problem, const ContactStates& states,
              const AccelerationResult& forces, const std::vector<bool>& exhausted,
              const std::vector<bool>& from_rest, FrozenRoles& roles);

  /// Choose the equations again for the same state. Of dependent normal rows those of the most
  /// distant contacts are taken. Return false if nothing has changed.
  bool renew(const ContactRows& rows, const Matrix& G, FrozenRoles& roles);

  /// Return true if `row` of G is independent of the other rows marked in `hold`.
  bool is_independent(const Matrix& G, const std::vector<bool>& hold, Index row);

  /// Return true if the rows of G marked in `hold` are linearly independent.
  bool are_independent(const Matrix& G, const std::vector<bool>& hold);

 private:
  // Order in which forces become unknowns.
  enum Rank {
    kLoaded,
    kSlightlyLoaded,
    kFriction,
    kIdleFriction,
    kUnloaded,
    kUnloadedFriction,
    kAtLimit,
    kExhausted
  };
  struct Candidate {
    Index force;
    Index contact;
    Rank rank;      // lower first
    double margin;  // larger first: remaining friction, or 1 for a normal force whose row is an
                    // equation
  };

  /// Rows of contacts that influence one another.
  struct Group {
    std::vector<Index> accepted;  // in order
    Matrix factor;                // row k: Cholesky factor of accepted row k
    Vector trial;
    std::vector<Index> equations;
    Index found = 0;  // number of forces
    Matrix basis;     // basis of their effects on the equations
  };

  void clear();
  void find_groups(const std::vector<Index>& contacts);
  template <typename StateOf>
  void find_closed_groups(const StateOf& state_of, std::size_t count);
  void find_held_groups(const std::vector<bool>& hold, Index row);
  Group& group_of(Index row) { return groups_[static_cast<std::size_t>(joined_.of_row(row))]; }
  double independent_part(const Matrix& G, Index row);
  bool try_accept(const Matrix& G, Index row);
  bool try_force(const AccelerationProblem& p, const Candidate& candidate, double least,
                 FrozenRoles& roles);
  bool is_unsupported(const AccelerationProblem& p, const Candidate& candidate,
                      const FrozenRoles& roles) const;
  void choose_normal_rows(const ContactRows& rows, const Matrix& G, FrozenRoles& roles);
  bool hardly_independent();
  void choose_rows(const AccelerationProblem& p, const ContactStates& states, FrozenRoles& roles);
  void add_candidate(const Candidate& candidate);
  void list_candidates(const AccelerationProblem& p, const AccelerationResult& forces,
                       const std::vector<bool>& exhausted, FrozenRoles& roles);

  const ContactRows& contact_rows_;
  JoinedContacts joined_;
  std::vector<Group> groups_;
  std::vector<Index> contacts_, sizes_;  // contacts considered; number of rows of each group
  std::vector<Index> accepted_;          // rows of all groups, in order
  std::vector<bool> before_;             // normal rows
  std::vector<Candidate> candidates_;
  std::vector<Index> rows_;
  Vector column_, projection_;
};

/// Return true if the law of the contact has a friction coefficient or a given bound, and a
/// direction.
bool has_friction(const ContactRows& rows, const std::vector<UnilateralContact>& laws,
                  Index contact);

/// Return true if friction of the contact can move something. On a body with prescribed motion,
/// slip has the friction of its law, but no law determines the friction of stick.
bool can_stick(const ContactRows& rows, const Matrix& G, const std::vector<UnilateralContact>& laws,
               Index contact);

/// List the rows of G that are equations, and those whose forces are unknowns. Both lists have the
/// same length.
void frozen_rows(const ContactRows& rows, const FrozenRoles& roles, std::vector<Index>& equations);
void frozen_forces(const ContactRows& rows, const FrozenRoles& roles, std::vector<Index>& forces);

/// Assemble A_R(r, k) = ∂γ̇_r/∂λ_k: W_Rᵀ M⁻¹ (W_K + N_G) of (5.15), with H_R of (14).
void assemble_frozen(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                     const Vector& mu, const std::vector<Index>& equations,
                     const std::vector<Index>& forces, MatrixRef A_R);

/// Compute one column of A_R, for an unknown force.
void frozen_column(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                   const Vector& mu, const std::vector<Index>& equations, Index force,
                   VectorRef column);

/// Return the contribution of the given parts of friction bounds to γ̇ of row g. `at_bound` lists
/// the contacts at their bound.
double given_friction(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                      const std::vector<Index>& at_bound, const Vector& bound, Index g);

/// Compute λ_N and λ_T of all contacts from the unknowns. `bound` null: without the given parts.
void scatter_forces(const ContactRows& rows, const FrozenRoles& roles, const Vector& mu,
                    const Vector* bound, const std::vector<Index>& forces,
                    const ConstVectorRef& lambda_K, VectorRef lambda_N, VectorRef lambda_T);

}  // namespace nsmb
