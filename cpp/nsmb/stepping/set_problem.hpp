// The problem of a step whose contacts a system has found:
//
//   M v = M u_F + H Λ,   y = Hᵀ v + w,   w = w̃ + ε γ_k where something strikes
//
// over the velocities of the cliques that are touched; M by its blocks, H sparse. Cliques with
// bilateral constraints are taken by the velocities s these leave, v = v_b + Z s:
//
//   ZᵀM Z s = ZᵀM (u_F - v_b) + ZᵀH Λ,   y = HᵀZ s + w + Hᵀ v_b
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/clique_constraints.hpp"
#include "nsmb/stepping/contact_model.hpp"

namespace nsmb {

/// Workspace.
class SetProblem {
 public:
  SetProblem(Mechanics& mechanics, const ContactModel& model);

  /// With M at its last factorise(). u_start (nu) are the velocities before a step of length h,
  /// u_free (nu) those after it without impulses.
  void assemble(const ContactSet& set, double h, const ConstVectorRef& u_start,
                const ConstVectorRef& u_free);
  /// Of displacements instead of velocities, and gaps alone: 0 <= g_N + W_Nᵀ v ⟂ Λ >= 0.
  void assemble_gaps(const ContactSet& set);
  /// Bilateral constraints at the place of the next problems, W (nu, nb).
  void constrain(const Matrix& W);
  /// Those of cliques that have constraints become u_F that meets Wᵀ u = b (nb), with impulses that
  /// Lambda_B (nb) gets; null: not asked for.
  void hold(const Vector& b, VectorRef u, Vector* Lambda_B);
  /// An impact that comes before the forces changes velocities of the problem by v.
  void strike(const Vector& v);
  /// What restitution asks of a contact that strikes.
  void restitute(const FoundContact& contact);
  /// A contact may go on with this speed, m/s, until it touches.
  void leave(const FoundContact& contact, double speed);
  /// The velocities (nu) get those of the problem.
  void scatter(const Vector& v, VectorRef u) const;
  /// Impulses of constraints that belong to impulses x, which change velocities by v.
  void add_constraint_impulses(const ContactSet& set, const Vector& v, const Vector& x,
                               Vector& Lambda_B);

  const SparseFrictionProblem& problem() const { return problem_; }
  /// Cliques that are touched, ascending.
  const std::vector<Index>& touched() const { return touched_; }
  /// vᵀM v of a touched clique, and the same of what forces do to it in the step.
  double energy(Index clique, const Vector& v) const;
  double energy_of_forces(Index clique) const;
  /// Those velocities of the problem that forces alone lead to.
  const Vector& free() const { return u_free_; }
  /// (rows) relative velocities before the step, with w̃.
  const Vector& start() const { return start_; }
  /// (rows) what forces add to them in it.
  const Vector& free_change() const { return free_change_; }
  /// (rows) what restitution asks for; 0 without.
  const Vector& given() const { return given_; }

 private:
  void number_velocities(const ContactSet& set);
  Matrix& block(Index clique);
  void add_mass(Index clique);
  void add_directions(const ContactSet& set, const FoundContact& contact, Index rows, Index column);
  /// (rows, size of the clique)
  Eigen::Map<const Matrix> directions(const ContactSet& set, const FoundContact& contact,
                                      std::size_t side) const;
  void add_rest(const ContactSet& set, const ConstVectorRef& u, Vector& y) const;
  void gather_clique(Index clique, const ConstVectorRef& u, Vector& part) const;
  void scatter_clique(Index clique, const Vector& part, VectorRef u) const;
  bool constrains(Index clique) const {
    return has_constraints_ && constraints_.constrains(clique);
  }
  void add_laws(const ContactSet& set, double h);
  Index block_of(const ContactSet& set, const FoundContact& friction) const;
  Index size(Index clique) const;
  Index reduced_size(Index clique) const;
  void gather(const ConstVectorRef& u, Vector& part) const;

  Mechanics& mechanics_;
  const ContactModel& model_;
  const Cliques& cliques_;
  std::vector<Index> place_;    // (cliques) where its velocities begin; -1: nothing touches it
  std::vector<Index> touched_;  // ascending
  std::vector<Eigen::Triplet<double>> entries_;
  CliqueConstraints constraints_;
  bool has_constraints_ = false;
  SparseFrictionProblem problem_;
  Vector unit_;         // (nu) scratch
  Matrix inverse_, M_;  // of one clique
  Matrix reduced_;
  Vector part_;
  Vector u_start_, u_free_;  // of the touched ones
  Vector start_, free_change_, given_;
};

}  // namespace nsmb
