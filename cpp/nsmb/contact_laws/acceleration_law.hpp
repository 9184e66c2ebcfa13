// Detachment and stick-slip transitions on acceleration level: the LCP (6.35), or with two
// tangential directions the problem (29) of Wösle and Pfeiffer.
#pragma once

#include <vector>

#include "nsmb/contact_laws/contact_groups.hpp"
#include "nsmb/contact_laws/contact_problem.hpp"
#include "nsmb/contact_laws/contact_state.hpp"

namespace nsmb {

/// The data of an acceleration problem. Vectors contain all nc contacts or nt tangential rows, and
/// G has the order of ContactRows.
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
  /// Reverse the order of contacts. If the forces are not unique, a different solution may be
  /// found.
  bool backwards = false;
  /// (nc + nt) m/s². If there is no solution, smaller free accelerations are set to zero, so that
  /// their rounding does not decide on existence. nullptr: they are left unchanged.
  const Vector* resolution = nullptr;
};

struct AccelerationResult {
  explicit AccelerationResult(const ContactRows& rows);

  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;          // largest of all groups
  Vector inaccuracy;              // (nc + nt) m/s², possible residual of the solver in each row
  std::vector<Index> failed;      // contacts of the group without a solution, unless Solved
  Vector lambda_N, lambda_T;      // (nc), (nt) N; zero for absent contacts
  Vector gammadot_N, gammadot_T;  // (nc), (nt) m/s² of all contacts under these forces
  Vector radius;                  // (nc) N, bound of the friction force: β + μ λ_N

  // Scratch.
  ContactGroups groups;
  std::vector<bool> rough;          // (nc)
  std::vector<Index> present;       // contacts that take part
  std::vector<Index> movable;       // contacts that some force can move
  std::vector<Index> members;       // members of the current group
  Matrix factor;                    // (nc, nc)
  Vector free;                      // (nc + nt)
  std::vector<Vector> start;        // by number of unknowns
  std::vector<Index> normal_at;     // (nc) index of λ_N in the unknowns, -1: none
  std::vector<Index> candidate_at;  // (nc) index of λ_T of a candidate, -1: none
};

/// Solve the law for each group of contacts coupled by forces, with its own scale. `warm`: start
/// from the forces in `result`. With two tangential directions, dependent contacts get the normal
/// forces of equally compliant contacts in the limit of zero compliance. Their distribution is then
/// unique and continuous.
void solve_acceleration_law(const AccelerationProblem& problem, ContactSolver& solver,
                            AccelerationResult& result, bool warm = false);

/// Assemble the problem of all contacts over the unknowns (λ_N, λ_T of candidates), scaled only by
/// `scale_G` and `scale_b`. Indices of the unknowns are stored in `result`. Return nullptr if
/// nothing moves.
ContactProblem* assemble_acceleration(const AccelerationProblem& problem, ContactSolver& solver,
                                      AccelerationResult& result, double& scale_G, double& scale_b);

/// Compute λ, γ̇ and the friction bounds from a solution x of the assembled problem.
void apply_acceleration(const AccelerationProblem& problem, const ConstVectorRef& x, double unit,
                        AccelerationResult& result);

}  // namespace nsmb
