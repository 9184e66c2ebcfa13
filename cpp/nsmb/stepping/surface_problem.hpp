// The problem of a step whose contacts a system has found:
//
//   M v = M u_F + H Λ,   y = Hᵀ v + w,   w = w̃ + ε γ_k where something strikes
//
// over the velocities of the cliques that are touched; M by its blocks, H sparse.
#pragma once

#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/system/contact_finder.hpp"

namespace nsmb {

/// Workspace.
class SurfaceProblem {
 public:
  /// Throws std::invalid_argument for a system that has other contacts, or constraints, besides.
  explicit SurfaceProblem(Mechanics& mechanics);

  /// With M at its last factorise(); u_start (nu) before the step, u_free (nu) without impulses.
  void assemble(const ContactSet& set, const ConstVectorRef& u_start, const ConstVectorRef& u_free);
  /// What restitution asks of a contact that strikes.
  void restitute(const FoundContact& contact);
  /// The velocities (nu) get those of the problem.
  void scatter(const Vector& v, VectorRef u) const;

  const SparseFrictionProblem& problem() const { return problem_; }
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
  void add_directions(const ContactSet& set, const FoundContact& contact);
  void add_laws(const ContactSet& set);
  Index size(Index clique) const;
  void gather(const ConstVectorRef& u, Vector& part) const;

  Mechanics& mechanics_;
  const ContactFinder& finder_;
  const Cliques& cliques_;
  std::vector<Index> place_;    // (cliques) where its velocities begin; -1: nothing touches it
  std::vector<Index> touched_;  // ascending
  std::vector<Eigen::Triplet<double>> entries_;
  SparseFrictionProblem problem_;
  Vector unit_;              // (nu) scratch
  Matrix inverse_, M_;       // of one clique
  Vector u_start_, u_free_;  // of the touched ones
  Vector start_, free_change_, given_;
};

}  // namespace nsmb
