// Impacts: the common input and output of all impact laws.
#pragma once

#include <functional>
#include <vector>

#include "nsmb/contact_laws/contact_groups.hpp"
#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

enum class ImpactLaw {
  Poisson,  // compression (8.87) and expansion (8.97), friction and tangential restitution
  Newton,   // (7.11), (7.12), without friction, with the check-and-remove loop of 7.2
  Moreau,   // Newton restitution and Coulomb friction on velocity level; may create energy
};

/// The start and the extent of an impact.
enum class ImpactCourse {
  Collision,         // a contact approaches
  WithoutCollision,  // closed contacts jam without approach (Painlevé); the nonzero impulses are
                     // those of an arbitrarily slow approach
  ToTheEnd,          // Newton law: includes all impacts that follow at the same instant
};

struct ImpactResult;

/// A function that chooses the parameters of the expansion phase from the results of compression
/// (8.10). It changes e_N, mu, e_T and nu in `laws` (nc), which contain those of the contacts.
using ExpansionParameters =
    std::function<void(const ImpactResult& compression, std::vector<UnilateralContact>& laws)>;

/// The data of an impact. Vectors contain all nc contacts or nt tangential rows, and G has the
/// order of ContactRows.
struct ImpactProblem {
  const ContactRows& rows;
  const Matrix& G;
  const Vector& gamma_N;  // (nc) γ_NA, m/s, before the impact
  const Vector& gamma_T;  // (nt) γ_TA
  const std::vector<UnilateralContact>& laws;
  const std::vector<Index>& participants;  // I_S: all unilateral contacts with g_N = 0 (8.1)
  const ExpansionParameters* expansion = nullptr;
  ImpactCourse course = ImpactCourse::Collision;
  /// (rows) m/s. Smaller velocities count as zero, and solutions are judged row by row. null:
  /// neither applies, and G need not be physically realisable.
  const Vector* resolution = nullptr;
};

struct ImpactResult {
  explicit ImpactResult(const ContactRows& rows);

  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;        // larger one of both phases
  int problems = 0;             // number of complementarity problems solved
  bool in_expansion = false;    // unless Solved: the expansion phase failed
  std::vector<Index> failed;    // contacts of the group without a solution, unless Solved
  std::vector<Index> struck;    // participants of groups with an approach
  Vector Lambda_NC, Lambda_TC;  // (nc), (nt) N s, end of compression; zero for one-phase laws
  Vector Lambda_N, Lambda_T;    // (nc), (nt) N s, whole impact
  Vector gamma_NC, gamma_TC;    // (nc), (nt) m/s, end of compression
  Vector gamma_N, gamma_T;      // (nc), (nt) m/s, after the impact, all contacts

  // Scratch.
  ContactGroups groups;
  std::vector<bool> is_rough;    // (nc)
  std::vector<Index> members;    // members of the current group
  Vector gamma_NA, gamma_TA;     // γ_A, set to zero below its resolution
  std::vector<Index> rough;      // contacts whose friction takes part
  std::vector<Index> normal_at;  // (nc)
  Vector start;
  std::vector<UnilateralContact> laws;  // (nc) of the expansion phase
};

/// Return the impact law that applies to a course. The Newton law has no statement without
/// approach.
inline ImpactLaw law_of(ImpactLaw law, ImpactCourse course) {
  const bool silent = law == ImpactLaw::Newton && course == ImpactCourse::WithoutCollision;
  return silent ? ImpactLaw::Poisson : law;
}

/// Solve the impact for each group of contacts coupled by impulses. Groups without approach take no
/// part. After a solved Poisson impact no participant approaches by more than `resolution`, or the
/// rounding of G Λ.
void solve_impact(ImpactLaw law, const ImpactProblem& problem, ContactSolver& solver,
                  ImpactResult& result);

/// The energy balance of an impact, contact by contact: T_E - T_A = change + drive.
struct EnergyBook {
  explicit EnergyBook(const ContactRows& rows);
  double change = 0.0;       // ½ Λᵀ(γ_A + γ_E), J; negative if contacts dissipate
  double compression = 0.0;  // part of `change` in compression, J; zero for one-phase laws
  double drive = 0.0;        // -Λᵀw̃, J; the work of moving surfaces
  Vector work_N, work_T;     // (nc) J, of normal and tangential impulses; their sum is `change`
};

/// Compute T_C - T_A = ½ Λ_Cᵀ(γ_A + γ_C) - Λ_Cᵀw̃ (8.52), the same from C to E, and (7.13).
void keep_book(const ImpactProblem& problem, const ImpactResult& result, const Vector& w_tilde_N,
               const Vector& w_tilde_T, EnergyBook& book);

void solve_poisson_impact(const ImpactProblem& problem, ContactSolver& solver,
                          ImpactResult& result);
void solve_newton_impact(const ImpactProblem& problem, ContactSolver& solver, ImpactResult& result);
void solve_moreau_impact(const ImpactProblem& problem, ContactSolver& solver, ImpactResult& result);

/// Solve compression (8.87), or with `restitution` a one-phase law with right-hand sides (1 + ε)
/// γ_A.
void solve_one_phase(const ImpactProblem& problem, bool restitution, ContactSolver& solver,
                     ImpactResult& result, Vector& Lambda_N, Vector& Lambda_T);

namespace internal {

/// Fill result.rough and result.normal_at. Return the number of unknowns, and set the scales.
Index place_impulses(const ImpactProblem& problem, ImpactResult& result, double& scale_G,
                     double& scale_b);
/// Assemble the blocks of G over the unknowns, divided by scale_G, and b = γ_A / scale_b.
ContactProblem& assemble_impact(const ImpactProblem& problem, const ImpactResult& result, Index n,
                                double scale_G, double scale_b, ContactSolver& solver);
bool accept(const ContactProblem& problem, ImpactResult& result);
/// Add the impulses of a solved problem.
void scatter(const ImpactProblem& problem, const ImpactResult& result, const Vector& x, double unit,
             Vector& Lambda_N, Vector& Lambda_T);
/// Add the velocity changes: γ += G Λ.
void add_velocities(const ImpactProblem& problem, const Vector& Lambda_N, const Vector& Lambda_T,
                    Vector& gamma_N, Vector& gamma_T);
/// Store the participants of group k in result.members.
void list_participants(const ImpactProblem& problem, ImpactResult& result, std::size_t k);
/// Return true if a contact approaches, or if the response to a hypothetical approach is required.
bool takes_part(const ImpactProblem& group);
/// Call `solve(group)` for the groups that take part. It reports success in result.status. Return
/// false if a group has no solution, with its contacts in result.failed.
template <class Solve>
bool for_each_group(const ImpactProblem& p, ImpactResult& r, const Solve& solve) {
  LcpStatus failure = LcpStatus::Solved;
  for (std::size_t k = 0; k < r.groups.count(); ++k) {
    list_participants(p, r, k);
    const ImpactProblem group{p.rows,    p.G,         p.gamma_N, p.gamma_T,   p.laws,
                              r.members, p.expansion, p.course,  p.resolution};
    if (!takes_part(group)) continue;
    r.status = LcpStatus::Solved;
    solve(group);
    if (r.status == LcpStatus::Solved) continue;
    if (failure == LcpStatus::Solved) r.failed = r.members;
    failure = r.status;
    // The jammed contacts are not known, so groups without impulses are accepted.
    if (p.course != ImpactCourse::WithoutCollision) return false;
  }
  const bool moved = (r.Lambda_N.array() > 0.0).any() || (r.Lambda_NC.array() > 0.0).any();
  const bool solved = failure == LcpStatus::Solved || moved;
  r.status = solved ? LcpStatus::Solved : failure;
  return solved;
}

}  // namespace internal

}  // namespace nsmb
