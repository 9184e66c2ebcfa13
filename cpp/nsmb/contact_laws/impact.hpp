// Impacts: what all laws take and give.
#pragma once

#include <functional>
#include <vector>

#include "nsmb/contact_laws/contact_groups.hpp"
#include "nsmb/contact_laws/contact_problem.hpp"

namespace nsmb {

enum class ImpactLaw {
  Poisson,  // compression (8.87) and expansion (8.97), friction and tangential restitution
  Newton,   // (7.11), (7.12), without friction, with the check-and-remove loop of 7.2
  Moreau,   // Newton's restitution and Coulomb's friction on velocity level; may create energy
};

/// What an impact begins with, and how far it goes.
enum class ImpactCourse {
  Collision,         // of something that approaches
  WithoutCollision,  // closed contacts without approach that jam (Painlevé): impulses that are not
                     // zero, those an arbitrarily slow approach would have
  ToTheEnd,  // Newton's law: with all that follow at the same instant, until nothing approaches
};

struct ImpactResult;

/// Chooses the parameters of the expansion phase from the results of compression (8.10): changes
/// e_N, mu, e_T and nu of `laws` (nc), which come as the contacts have them.
using ExpansionParameters =
    std::function<void(const ImpactResult& compression, std::vector<UnilateralContact>& laws)>;

/// Vectors over all nc contacts or nt tangential rows; G in the order of ContactRows.
struct ImpactProblem {
  const ContactRows& rows;
  const Matrix& G;
  const Vector& gamma_N;  // (nc) γ_NA, m/s, before the impact
  const Vector& gamma_T;  // (nt) γ_TA
  const std::vector<UnilateralContact>& laws;
  const std::vector<Index>& participants;  // I_S: every unilateral contact with g_N = 0 (8.1)
  const ExpansionParameters* expansion = nullptr;
  ImpactCourse course = ImpactCourse::Collision;
  /// (rows) m/s: velocities below it count as zero, and solutions are judged row by row; null: of
  /// neither kind, G may then be one that no bodies have.
  const Vector* resolution = nullptr;
};

struct ImpactResult {
  explicit ImpactResult(const ContactRows& rows);

  LcpStatus status = LcpStatus::NotRun;
  double residual = 0.0;        // the larger one of the two phases
  int problems = 0;             // complementarity problems it took
  bool in_expansion = false;    // which phase failed, when not Solved
  std::vector<Index> failed;    // contacts of the group without solution, when not Solved
  std::vector<Index> struck;    // participants of the groups in which something approaches
  Vector Lambda_NC, Lambda_TC;  // (nc), (nt) N s, end of compression; one-phase laws: zero
  Vector Lambda_N, Lambda_T;    // (nc), (nt) N s, whole impact
  Vector gamma_NC, gamma_TC;    // (nc), (nt) m/s, end of compression
  Vector gamma_N, gamma_T;      // (nc), (nt) m/s, after the impact, of all contacts

  // Scratch.
  ContactGroups groups;
  std::vector<bool> is_rough;    // (nc)
  std::vector<Index> members;    // of the group at hand
  Vector gamma_NA, gamma_TA;     // γ_A, zero where it is below its resolution
  std::vector<Index> rough;      // contacts whose friction takes part
  std::vector<Index> normal_at;  // (nc)
  Vector start;
  std::vector<UnilateralContact> laws;  // (nc) of the expansion phase
};

/// The law of an impact of such a course: without approach Newton's says nothing.
inline ImpactLaw law_of(ImpactLaw law, ImpactCourse course) {
  const bool silent = law == ImpactLaw::Newton && course == ImpactCourse::WithoutCollision;
  return silent ? ImpactLaw::Poisson : law;
}

/// Group by group of contacts that impulses couple: one without approach takes no part. After a
/// solved impact of Poisson's law no participant approaches by more than `resolution`, or the
/// rounding of G Λ.
void solve_impact(ImpactLaw law, const ImpactProblem& problem, ContactSolver& solver,
                  ImpactResult& result);

/// The energy of one impact, contact by contact: T_E - T_A = change + drive.
struct EnergyBook {
  explicit EnergyBook(const ContactRows& rows);
  double change = 0.0;       // ½ Λᵀ(γ_A + γ_E), J: negative where contacts dissipate
  double compression = 0.0;  // its part until the end of compression, J; one-phase laws: zero
  double drive = 0.0;        // -Λᵀw̃, J: the work of surfaces that move
  Vector work_N, work_T;     // (nc) J, of the normal and tangential impulses; they add to `change`
};

/// T_C - T_A = ½ Λ_Cᵀ(γ_A + γ_C) - Λ_Cᵀw̃ (8.52), the same from C to E, and (7.13).
void keep_book(const ImpactProblem& problem, const ImpactResult& result, const Vector& w_tilde_N,
               const Vector& w_tilde_T, EnergyBook& book);

void solve_poisson_impact(const ImpactProblem& problem, ContactSolver& solver,
                          ImpactResult& result);
void solve_newton_impact(const ImpactProblem& problem, ContactSolver& solver, ImpactResult& result);
void solve_moreau_impact(const ImpactProblem& problem, ContactSolver& solver, ImpactResult& result);

/// Compression (8.87), or with `restitution` the right-hand sides (1 + ε) γ_A of a one-phase law.
void solve_one_phase(const ImpactProblem& problem, bool restitution, ContactSolver& solver,
                     ImpactResult& result, Vector& Lambda_N, Vector& Lambda_T);

namespace internal {

/// Fills result.rough and result.normal_at; returns the number of unknowns, and the scales.
Index place_impulses(const ImpactProblem& problem, ImpactResult& result, double& scale_G,
                     double& scale_b);
/// The blocks of G over the unknowns, divided by scale_G, and b = γ_A / scale_b.
ContactProblem& assemble_impact(const ImpactProblem& problem, const ImpactResult& result, Index n,
                                double scale_G, double scale_b, ContactSolver& solver);
bool accept(const ContactProblem& problem, ImpactResult& result);
/// Adds the impulses of a solved problem.
void scatter(const ImpactProblem& problem, const ImpactResult& result, const Vector& x, double unit,
             Vector& Lambda_N, Vector& Lambda_T);
/// γ += G Λ
void add_velocities(const ImpactProblem& problem, const Vector& Lambda_N, const Vector& Lambda_T,
                    Vector& gamma_N, Vector& gamma_T);
/// The participants of group k go to result.members.
void list_participants(const ImpactProblem& problem, ImpactResult& result, std::size_t k);
/// Does something approach, or is it asked what an approach would do?
bool takes_part(const ImpactProblem& group);
/// Calls `solve(group)` for the groups that take part, which tells by result.status whether it has
/// solved its problem; false: one of them has no solution, its contacts are in result.failed.
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
    // Which of the closed contacts jam is not known: a group that has no impulses need not.
    if (p.course != ImpactCourse::WithoutCollision) return false;
  }
  const bool moved = (r.Lambda_N.array() > 0.0).any() || (r.Lambda_NC.array() > 0.0).any();
  const bool solved = failure == LcpStatus::Solved || moved;
  r.status = solved ? LcpStatus::Solved : failure;
  return solved;
}

}  // namespace internal

}  // namespace nsmb
