// Contact forces while the contact state does not change: the linear equations (5.15), (14).
#pragma once

#include <array>
#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/contact_laws/joined_contacts.hpp"

namespace nsmb {

/// How one contact takes part in the frozen equations. With dependent contacts neither all its
/// conditions nor all its forces do.
struct FrozenRole {
  ContactState state = ContactState::Open;
  bool normal_row = false;                    // γ̇_N = 0 is one of the equations
  bool normal_force = false;                  // λ_N is one of the unknowns; false: λ_N = 0
  std::array<bool, 2> tangential_row = {};    // γ̇_T = 0 is one of the equations
  std::array<bool, 2> tangential_force = {};  // λ_T is an unknown besides what friction gives
  /// λ_T = bound · friction: slip, or a sticking contact that carries its limit while other,
  /// dependent contacts carry the rest.
  bool at_bound = false;
  /// Slip in a plane that begins from γ_T = 0.
  bool from_rest = false;
};

struct FrozenRoles {
  std::vector<FrozenRole> contacts;  // (nc)
  Vector friction;                   // (nt) λ_T at its bound per unit of the bound
  Vector lambda_N, lambda_T;         // forces of the law at the instant the roles were chosen
  std::vector<Index> entry_rows;     // rows with γ = 0 at the start of the phase, independent
  /// Sticking contacts of a spatial system, or more forces than equations: whether the state lasts
  /// is then a question to the law, not to single forces.
  bool ask_law = false;
  /// The law gives the forces, too: dependent contacts in space of which some slide, where no
  /// choice of independent forces stays admissible.
  bool law_forces = false;
  /// Rows in space, or the effect of some force, are nearly sums of others.
  bool is_weak = false;
  /// Large forces on a light body nearly cancel: its acceleration is refined.
  bool refines = false;

  FrozenRole& operator[](std::size_t c) { return contacts[c]; }
  const FrozenRole& operator[](std::size_t c) const { return contacts[c]; }
  std::size_t size() const { return contacts.size(); }
  bool empty() const { return contacts.empty(); }
  void clear() { contacts.clear(); }
};

/// Workspace for questions of dependence. Where cliques are given rows of contacts that do not feel
/// each other are asked about by themselves; as a whole it allocates nothing after construction.
class RowSelection {
 public:
  RowSelection(const ContactRows& rows, const Cliques* cliques);

  /// Choose equations and unknowns for the states `states`: as many independent conditions as there
  /// are, and as many independent forces, those first that the transition law loaded, so that a
  /// force left out (dependent contacts) is one without load. Contacts marked `exhausted` come
  /// last, their normal force is about to end; those marked `from_rest` begin to slip in a plane.
  /// problem.friction holds the friction of contacts that slip. `roles` is overwritten.
  void choose(const AccelerationProblem& problem, const ContactStates& states,
              const AccelerationResult& forces, const std::vector<bool>& exhausted,
              const std::vector<bool>& from_rest, FrozenRoles& roles);

  /// The equations alone, with the state as it is: where normal rows depend on each other, those
  /// that lie furthest apart now. False: they are as they were.
  bool renew(const ContactRows& rows, const Matrix& G, FrozenRoles& roles);

  /// Is `row` of G independent of the other rows marked in `hold`?
  bool is_independent(const Matrix& G, const std::vector<bool>& hold, Index row);

  /// Are the rows of G marked in `hold` independent of each other?
  bool are_independent(const Matrix& G, const std::vector<bool>& hold);

 private:
  // Order in which forces are taken as unknowns.
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
    double margin;  // larger first: friction left; 1 of a normal force whose row is an equation
  };

  /// Rows of contacts that feel each other.
  struct Group {
    std::vector<Index> accepted;  // in order
    Matrix factor;                // row k: Cholesky factor of accepted row k
    Vector trial;
    std::vector<Index> equations;
    Index found = 0;  // forces
    Matrix basis;     // of their effects on the equations
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
  std::vector<Index> contacts_, sizes_;  // asked about; rows of each group
  std::vector<Index> accepted_;          // rows of all groups, in order
  std::vector<bool> before_;             // normal rows
  std::vector<Candidate> candidates_;
  std::vector<Index> rows_;
  Vector column_, projection_;
};

/// Has the law of the contact a friction coefficient or a given bound, and a direction?
bool has_friction(const ContactRows& rows, const std::vector<UnilateralContact>& laws,
                  Index contact);

/// Does a friction force of the contact move anything? Where nothing can be moved, as on a body of
/// prescribed motion, slip still has the friction of its law, but no law determines that of stick.
bool can_stick(const ContactRows& rows, const Matrix& G, const std::vector<UnilateralContact>& laws,
               Index contact);

/// Rows of G that are equations, and those whose forces are unknowns; both lists have the same
/// length.
void frozen_rows(const ContactRows& rows, const FrozenRoles& roles, std::vector<Index>& equations);
void frozen_forces(const ContactRows& rows, const FrozenRoles& roles, std::vector<Index>& forces);

/// A_R(r, k) = ∂γ̇_r/∂λ_k: W_Rᵀ M⁻¹ (W_K + N_G) of (5.15), with H_R of (14).
void assemble_frozen(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                     const Vector& mu, const std::vector<Index>& equations,
                     const std::vector<Index>& forces, MatrixRef A_R);

/// One column of it, for an unknown force.
void frozen_column(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                   const Vector& mu, const std::vector<Index>& equations, Index force,
                   VectorRef column);

/// What the given parts of the friction bounds add to γ̇ of row g; `at_bound` lists the contacts
/// that are.
double given_friction(const ContactRows& rows, const Matrix& G, const FrozenRoles& roles,
                      const std::vector<Index>& at_bound, const Vector& bound, Index g);

/// λ_N, λ_T of all contacts from the unknowns; `bound` null: without the given parts.
void scatter_forces(const ContactRows& rows, const FrozenRoles& roles, const Vector& mu,
                    const Vector* bound, const std::vector<Index>& forces,
                    const ConstVectorRef& lambda_K, VectorRef lambda_N, VectorRef lambda_T);

}  // namespace nsmb
