// Detachment and stick-slip transitions on acceleration level: the LCP (6.35), and with two
// tangential directions the problem (29) of Wösle and Pfeiffer.
#pragma once

#include <vector>

#include "nsmb/contact_laws/contact_groups.hpp"
#include "nsmb/contact_laws/contact_problem.hpp"
#include "nsmb/contact_laws/contact_state.hpp"

namespace nsmb {

/// Vectors over all nc contacts or nt tangential rows; G in the order of ContactRows.
struct AccelerationProblem {
  const ContactRows& rows;
  const Matrix& G;
  const Vector& free_N;  // (nc) W_Nᵀ M⁻¹h + w̄_N
  const Vector& free_T;  // (nt) W_Tᵀ M⁻¹h + w̄_T
  const Vector& mu;      // (nc)
  const Vector& bound;   // (nc) given part of the friction bound, N
  const std::vector<UnilateralContact>& laws;
  const std::vector<ContactRole>& roles;
  /// (nt) λ_T of a sliding contact per unit of its bound: -sign(γ_T) (5.7), or -γ_T/|γ_T| (12).
  const Vector& friction;
  /// Contacts in the opposite order: where their forces are a choice, another one may be found.
  bool backwards = false;
  /// (nc + nt) m/s²: where there is no solution, free accelerations below it are taken for zero, as
  /// their rounding must not decide what exists. nullptr: they are what they are.
  const Vector* resolution = nullptr;
};

struct AccelerationResult {
  explicit AccelerationResult(const ContactRows& rows);

  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;          // the largest of all groups
  Vector inaccuracy;              // (nc + nt) m/s², what the solver may have left in each row
  std::vector<Index> failed;      // contacts of the group without solution, when not Solved
  Vector lambda_N, lambda_T;      // (nc), (nt) N; zero for absent contacts
  Vector gammadot_N, gammadot_T;  // (nc), (nt) m/s², of all contacts under these forces
  Vector radius;                  // (nc) N, bound of the friction force: β + μ λ_N

  // Scratch.
  ContactGroups groups;
  std::vector<bool> rough;          // (nc)
  std::vector<Index> present;       // contacts that take part
  std::vector<Index> movable;       // contacts that some force moves
  std::vector<Index> members;       // of the group at hand
  Matrix factor;                    // (nc, nc)
  Vector free;                      // (nc + nt)
  std::vector<Vector> start;        // by the number of unknowns
  std::vector<Index> normal_at;     // (nc) place of λ_N in the unknowns, -1: none
  std::vector<Index> candidate_at;  // (nc) place of λ_T of a candidate, -1: none
};

/// Group by group of contacts that forces couple, each with its own scale. `warm`: begin with the
/// forces in `result`. With two tangential directions, normal forces of dependent contacts are
/// those of contacts that all give way by as little: their split is then one and continuous.
void solve_acceleration_law(const AccelerationProblem& problem, ContactSolver& solver,
                            AccelerationResult& result, bool warm = false);

/// Assemble the problem of all contacts over the unknowns (λ_N, λ_T of candidates), unscaled but
/// for `scale_G` and `scale_b`; its place in the unknowns goes to `result`. Returns nullptr when
/// nothing moves.
ContactProblem* assemble_acceleration(const AccelerationProblem& problem, ContactSolver& solver,
                                      AccelerationResult& result, double& scale_G, double& scale_b);

/// λ, γ̇ and the friction bounds from a solution x of the assembled problem.
void apply_acceleration(const AccelerationProblem& problem, const ConstVectorRef& x, double unit,
                        AccelerationResult& result);

}  // namespace nsmb
