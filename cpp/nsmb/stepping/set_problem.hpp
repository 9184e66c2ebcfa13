// The problem of a step whose contacts a system has found:
//
//   M v = M u_F + H Λ,   y = Hᵀ v + w,   w = w̃ + ε γ_k where something strikes
//
// over the velocities of the units that are touched, see step_inertia.hpp; M, or A instead, by its
// blocks, H sparse. Units with bilateral constraints are taken by the velocities s these leave, v =
// v_b + Z s:
//
//   ZᵀM Z s = ZᵀM (u_F - v_b) + ZᵀH Λ,   y = HᵀZ s + w + Hᵀ v_b
#pragma once

#include <array>
#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/contact_model.hpp"
#include "nsmb/stepping/step_inertia.hpp"
#include "nsmb/stepping/unit_constraints.hpp"

namespace nsmb {

/// Workspace.
class SetProblem {
 public:
  SetProblem(Mechanics& mechanics, const ContactModel& model, StepInertia& inertia);

  /// u_start (nu) are the velocities before a step of length h,
  /// u_free (nu) those after it without impulses.
  void assemble(const ContactSet& set, double h, const ConstVectorRef& u_start,
                const ConstVectorRef& u_free);
  /// M and H alone, of the first rows[k] rows of contact k.
  void assemble_rows(const ContactSet& set, const std::vector<Index>& rows);
  /// Of these rows one after the other, Wᵀu + w̃ at the velocities u (nu).
  void rates(const ContactSet& set, const std::vector<Index>& rows, const ConstVectorRef& u,
             VectorRef y) const;
  /// Bilateral constraints at the place of the next problems, W (nu, nb); Wᵀ u = 0 for the time.
  void constrain(const Matrix& W);
  /// Those of units that have constraints become u_F that meets Wᵀ u = b (nb), with impulses that
  /// Lambda_B (nb) gets; null: not asked for.
  void hold(const Vector& b, VectorRef u, Vector* Lambda_B);
  /// An impact that comes before the forces changes velocities of the problem by v.
  void strike(const Vector& v);
  /// What restitution asks of contact k, which strikes; its friction has the coefficient at rest.
  void restitute(const FoundContact& contact, std::size_t k);
  /// The law is that of the mean of the velocities before and behind, of tangential ones where it
  /// `sticks`. Up to `held`, m/s, those before are none: what a solver leaves is not turned around.
  void take_mean(const FoundContact& contact, bool sticks, double held);
  /// m/s, of all rates at the start and without impulses behind it.
  double fastest() const;
  /// Coefficients of friction of contacts that do not strike become those at the mean slip of the
  /// step, which ends with y (rows). False: none depends on it.
  bool take_mean_slip(const ContactSet& set, const Vector& y);
  /// The velocities (nu) get those of the problem.
  void scatter(const Vector& v, VectorRef u) const;
  /// Impulses of constraints that belong to impulses x, which change velocities by v.
  void add_constraint_impulses(const ContactSet& set, const Vector& v, const Vector& x,
                               Vector& Lambda_B);

  const SparseFrictionProblem& problem() const { return problem_; }
  /// Cliques of units that are touched, ascending.
  const std::vector<Index>& touched() const { return touched_cliques_; }
  /// vᵀM v of a touched clique, and the same of what forces do to it in the step.
  double energy(Index clique, const Vector& v) const;
  double energy_of_forces(Index clique) const;
  /// Those velocities of the problem that forces alone lead to.
  const Vector& free() const { return u_free_; }
  /// Those before the step, behind an impact that came first.
  const Vector& start_velocities() const { return u_start_; }
  /// (rows) relative velocities before the step, with w̃.
  const Vector& start() const { return start_; }
  /// (rows) what forces add to them in it.
  const Vector& free_change() const { return free_change_; }
  /// (rows) what restitution asks for; 0 without.
  const Vector& given() const { return given_; }

 private:
  void number_velocities(const ContactSet& set);
  void add_inertia(Index unit);
  void add_directions(const ContactSet& set, const FoundContact& contact, Index rows, Index column);
  void insert(const Vector& part, Index first, Index column);
  std::array<std::size_t, 2> in_order(const FoundContact& contact) const;
  /// (rows, size of the clique)
  Eigen::Map<const Matrix> directions(const ContactSet& set, const FoundContact& contact,
                                      std::size_t side) const;
  /// Rows of Z that belong to a clique.
  Matrix::ConstRowsBlockXpr basis_rows(Index clique) const;
  void add_rest(const ContactSet& set, const ConstVectorRef& u, Vector& y) const;
  Index first_of(Index clique) const;
  bool constrains(Index unit) const { return has_constraints_ && constraints_.constrains(unit); }
  void add_laws(const ContactSet& set, double h);
  Index block_of(const ContactSet& set, const FoundContact& friction) const;
  Index reduced_size(Index unit) const;
  void gather(const ConstVectorRef& u, Vector& part) const;

  Mechanics& mechanics_;
  const ContactModel& model_;
  StepInertia& inertia_;
  std::vector<Index> place_;    // (units) where its velocities begin; -1: nothing touches it
  std::vector<Index> touched_;  // units, ascending
  std::vector<Index> touched_cliques_;
  std::vector<Eigen::Triplet<double>> entries_;
  UnitConstraints constraints_;  // of units
  bool has_constraints_ = false;
  SparseFrictionProblem problem_;
  std::vector<char> strikes_;  // (contacts)
  Matrix reduced_;
  Vector part_;
  mutable Vector own_;       // scratch
  Vector u_start_, u_free_;  // of the touched ones
  Vector start_, free_change_, given_;
};

}  // namespace nsmb
