// Forces and accelerations while the contact state does not change: (5.15) at one (t, y) after the
// other.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/simulation/joined_equations.hpp"
#include "nsmb/simulation/mechanics.hpp"

namespace nsmb {

/// λ and u̇ at one (t, y).
struct FrozenSolution {
  explicit FrozenSolution(const System& system);
  Vector lambda_N, lambda_T, udot;  // (nc), (nt), (nu)
};

/// Rows that are equations, forces that are unknowns, and the factors of A_R between them.
class FrozenEquations {
 public:
  /// `factors_last`: A_R is the same as long as its rows are.
  FrozenEquations(const ContactRows& rows, const Cliques* cliques, bool factors_last);

  void freeze(const FrozenRoles& roles);
  /// Other rows, for the same unknowns.
  void renew(const FrozenRoles& roles);
  /// At the last update of `mechanics`.
  void solve(const Mechanics& mechanics, const FrozenRoles& roles);
  /// The unknowns that take what these accelerations leave of the equations away.
  void solve_for_rest(const Mechanics& mechanics, const Vector& udot);
  /// λ_N, λ_T of all contacts from the unknowns; `bound` null: without the given parts.
  void scatter(const FrozenRoles& roles, const Vector& mu, const Vector* bound, Vector& lambda_N,
               Vector& lambda_T);

  const std::vector<Index>& rows() const { return rows_; }
  const std::vector<Index>& normal_rows() const { return normal_rows_; }
  /// Factorised, as solve() has left them.
  JoinedEquations& factorised() { return equations_; }
  /// The determinant over that of the first solution in this state.
  double regularity() const { return rows_.empty() ? 1.0 : determinant_ / first_determinant_; }
  /// Return the determinant over the product of the diagonal of G: one for rows that do not feel
  /// each other, near zero for dependent ones.
  double independence(const Matrix& G) const;

 private:
  void list_rows(const FrozenRoles& roles);
  void join(const FrozenRoles& roles);

  const ContactRows& contact_rows_;
  std::vector<Index> rows_, normal_rows_, unknowns_;
  std::vector<Index> at_bound_;  // contacts
  JoinedEquations equations_;
  bool factors_last_;
  bool knows_factors_ = false;
  double determinant_ = 1.0, first_determinant_ = 0.0;
};

}  // namespace nsmb
