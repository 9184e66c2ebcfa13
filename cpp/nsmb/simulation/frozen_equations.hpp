// Forces and accelerations while the contact state does not change: (5.15) at successive (t, y).
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

/// The rows that are equations, the unknown forces, and the factors of the matrix A_R between them.
class FrozenEquations {
 public:
  /// `factors_last`: A_R changes only with its rows.
  FrozenEquations(const ContactRows& rows, const Cliques* cliques, bool factors_last);

  void freeze(const FrozenRoles& roles);
  /// Change the rows, with the same unknowns.
  void renew(const FrozenRoles& roles);
  /// Solve at the last update of `mechanics`.
  void solve(const Mechanics& mechanics, const FrozenRoles& roles);
  /// Solve for the unknowns that remove the residual of these accelerations in the equations.
  void solve_for_rest(const Mechanics& mechanics, const Vector& udot);
  /// Compute λ_N, λ_T of all contacts from the unknowns. If `bound` is null, given friction bounds
  /// are left out.
  void scatter(const FrozenRoles& roles, const Vector& mu, const Vector* bound, Vector& lambda_N,
               Vector& lambda_T);

  const std::vector<Index>& rows() const { return rows_; }
  const std::vector<Index>& normal_rows() const { return normal_rows_; }
  /// Return the equations as factorised by the last solve().
  JoinedEquations& factorised() { return equations_; }
  /// Return the determinant relative to that of the first solution in this state.
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
