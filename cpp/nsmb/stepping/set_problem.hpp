// The contact problem of a step:
//
//   M v = M u_F + H Λ,   y = Hᵀ v + w,   w = w̃ + ε γ_k at impacts
//
// over the velocities of the units in contact, see step_inertia.hpp. M, or A instead, is stored by
// blocks, and H is sparse. Units with bilateral constraints are reduced to the velocities s that
// the constraints leave, v = v_b + Z s:
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

/// A workspace for the contact problem of a step.
class SetProblem {
 public:
  SetProblem(Mechanics& mechanics, const ContactModel& model, StepInertia& inertia);

  /// Assemble the problem. u_start (nu) are the velocities before a step of length h, and u_free
  /// (nu) those after it without impulses.
  void assemble(const ContactSet& set, double h, const ConstVectorRef& u_start,
                const ConstVectorRef& u_free);
  /// Assemble M and H alone, with the first rows[k] rows of contact k.
  void assemble_rows(const ContactSet& set, const std::vector<Index>& rows);
  /// Compute Wᵀu + w̃ of these rows, in order, at the velocities u (nu).
  void rates(const ContactSet& set, const std::vector<Index>& rows, const ConstVectorRef& u,
             VectorRef y) const;
  /// Set the directions W (nu, nb) of bilateral constraints for the next problems, for now with Wᵀ
  /// u = 0.
  void constrain(const Matrix& W);
  /// Replace u_F of constrained units by velocities that satisfy Wᵀ u = b (nb). The impulses are
  /// added to Lambda_B (nb) unless it is null.
  void hold(const Vector& b, VectorRef u, Vector* Lambda_B);
  /// Change the velocities of the problem by v, for an impact before the forces.
  void strike(const Vector& v);
  /// Apply restitution to contact k, an impact. Its friction coefficient becomes that at rest.
  void restitute(const FoundContact& contact, std::size_t k);
  /// Use the mean of the velocities before and after the step in the law, for tangential rows only
  /// if the contact `sticks`. Previous velocities up to `held` in m/s count as zero, so that solver
  /// residuals are not reversed.
  void take_mean(const FoundContact& contact, bool sticks, double held);
  /// Return the largest rate in m/s, at the start or after the step without impulses.
  double fastest() const;
  /// Set friction coefficients of contacts without impact to those at the mean slip of the step,
  /// which ends with y (rows). Return false if no coefficient depends on slip.
  bool take_mean_slip(const ContactSet& set, const Vector& y);
  /// Copy the velocities of the problem to the velocities (nu).
  void scatter(const Vector& v, VectorRef u) const;
  /// Add the impulses of constraints that accompany impulses x, which change the velocities by v.
  void add_constraint_impulses(const ContactSet& set, const Vector& v, const Vector& x,
                               Vector& Lambda_B);

  const SparseFrictionProblem& problem() const { return problem_; }
  /// Cliques of the units in contact, ascending.
  const std::vector<Index>& touched() const { return touched_cliques_; }
  /// Return vᵀM v of a touched clique, and the same for the velocity change by forces in the step.
  double energy(Index clique, const Vector& v) const;
  double energy_of_forces(Index clique) const;
  /// Velocities of the problem under forces alone.
  const Vector& free() const { return u_free_; }
  /// Velocities before the step, after any impact that comes first.
  const Vector& start_velocities() const { return u_start_; }
  /// Relative velocities (rows) before the step, including w̃.
  const Vector& start() const { return start_; }
  /// Change of the relative velocities (rows) by forces.
  const Vector& free_change() const { return free_change_; }
  /// Velocities (rows) required by restitution, 0 without restitution.
  const Vector& given() const { return given_; }

 private:
  void number_velocities(const ContactSet& set);
  void add_inertia(Index unit);
  void add_directions(const ContactSet& set, const FoundContact& contact, Index rows, Index column);
  void insert(const Vector& part, Index first, Index column);
  std::array<std::size_t, 2> in_order(const FoundContact& contact) const;
  /// Return the directions of a contact for one clique, shape (rows, size of the clique).
  Eigen::Map<const Matrix> directions(const ContactSet& set, const FoundContact& contact,
                                      std::size_t side) const;
  /// Return the rows of Z that belong to a clique.
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
  std::vector<Index> place_;    // (units) first index of its velocities; -1: not in contact
  std::vector<Index> touched_;  // units, ascending
  std::vector<Index> touched_cliques_;
  std::vector<Eigen::Triplet<double>> entries_;
  UnitConstraints constraints_;  // by units
  bool has_constraints_ = false;
  SparseFrictionProblem problem_;
  std::vector<char> strikes_;  // (contacts)
  Matrix reduced_;
  Vector part_;
  mutable Vector own_;       // scratch
  Vector u_start_, u_free_;  // of the units in contact
  Vector start_, free_change_, given_;
};

}  // namespace nsmb
