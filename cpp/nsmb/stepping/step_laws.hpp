// The contact laws over one step: impulses computed from the velocities without them.
//
//   γ_E = G Λ + γ_F,   0 <= Λ_N ⟂ γ_NE + e_N γ_NA >= 0,   -(γ_TE + e_T γ_TA) ∈ N_C(Λ_T),
//   C = {|Λ_T| <= μ Λ_N + h β}
#pragma once

#include <vector>

#include "nsmb/contact_laws/contact_groups.hpp"
#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

/// Contacts of a step. Vectors contain all nc contacts or nt tangential rows. G has the order of
/// ContactRows, and only rows of contacts that take part are read. G need not be symmetric.
struct StepContacts {
  const ContactRows& rows;
  const Matrix& G;
  const Vector& free_N;   // (nc) γ_NF without impulses of contacts, m/s
  const Vector& free_T;   // (nt)
  const Vector& given_N;  // (nc) e_N γ_NA required by restitution, otherwise 0
  const Vector& given_T;  // (nt) e_T γ_TA
  const Vector& mu;       // (nc)
  const Vector& bound;    // (nc) h β, N s
  const std::vector<UnilateralContact>& laws;
  const std::vector<Index>& closed;  // contacts that take part, including friction-only contacts
};

struct StepImpulses {
  explicit StepImpulses(const ContactRows& rows) { resize(rows); }

  void resize(const ContactRows& rows) {
    Lambda_N.setZero(rows.nc);
    Lambda_T.setZero(rows.nt);
    rough.resize(at(rows.nc));
    unmoved.resize(at(rows.nc));
    normal_at.resize(at(rows.nc));
  }

  Vector Lambda_N, Lambda_T;  // (nc), (nt) N s
  double residual = 0.0;      // largest violation over the largest velocity of its group
  std::vector<Index> missed;  // contacts of groups whose residual exceeds `tol`
  bool unsolved = false;      // some group has no solution at all
  long problems = 0;

  // Scratch.
  ContactGroups groups;
  std::vector<Index> members;
  std::vector<bool> rough, unmoved;
  std::vector<Index> normal_at;  // (nc)
};

/// Solve the laws group by group of contacts coupled by impulses.
void solve_step_laws(const StepContacts& contacts, double tol, ContactSolver& solver,
                     StepImpulses& impulses);

}  // namespace nsmb
