// What a step resists impulses with: M, and where loads are stiff A, unit by unit.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/system/cliques.hpp"

namespace nsmb {

/// Workspace. A unit is a clique, or several that loads join; no impulse on one moves another.
class StepInertia {
 public:
  /// `joined`: cliques that are one unit; all others are units by themselves.
  StepInertia(Mechanics& mechanics, const Cliques& cliques,
              const std::vector<std::vector<Index>>& joined = {});

  const Cliques& cliques() const { return cliques_; }
  /// As cliques, of units.
  const Cliques& units() const { return units_; }
  Index unit_of(Index clique) const { return unit_of_[at(clique)]; }
  Index size(Index unit) const { return size_[at(unit)]; }
  /// Where the velocities of a clique begin among those of its unit, and how many there are.
  Index place(Index clique) const { return place_[at(clique)]; }
  Index clique_size(Index clique) const { return clique_size_[at(clique)]; }
  /// Cliques of a unit, ascending.
  const std::vector<Index>& cliques_of(Index unit) const { return cliques_of_[at(unit)]; }

  /// Of a unit, in its order.
  const std::vector<Index>& velocities_of(Index unit) const { return velocities_[at(unit)]; }

  /// From now on M is that at (t, q), where `mechanics` is put to.
  void stand(double t, const ConstVectorRef& q);
  /// `mechanics` has been put elsewhere.
  void leave() { stands_ = false; }
  /// What is the same everywhere is as `other`, of the same system, has computed it: another place
  /// rounds it differently.
  void know_as(const StepInertia& other);
  /// M of all units, and no A.
  void take_mass();
  /// Symmetric, positive definite; false: it is not, and M stays.
  bool take(Index unit, const Matrix& A);
  /// Of all units M instead, for the time.
  void use_mass(bool does) { uses_mass_ = does; }
  /// Some unit has another A than M.
  bool is_loaded() const;
  /// Of a unit.
  const Matrix& block(Index unit);
  /// M of a unit.
  const Matrix& mass(Index unit);

  /// Of velocities (nu) those of a unit, and back.
  void gather(Index unit, const ConstVectorRef& u, Vector& part) const;
  void scatter(Index unit, const Vector& part, VectorRef u) const;

 private:
  void find_constant_units();
  void add_mass_of(Index clique, Matrix& whole);

  Mechanics& mechanics_;
  const Cliques& cliques_;
  Cliques units_;
  std::vector<Index> unit_of_, place_, clique_size_, size_;
  std::vector<std::vector<Index>> cliques_of_;
  std::vector<std::vector<Index>> velocities_;  // of each unit, clique by clique
  std::vector<Matrix> A_;                       // of the units; empty: M
  bool uses_mass_ = false, stands_ = false;
  double t_ = 0.0;
  Vector q_;
  struct Mass {
    Matrix M;
    long place = 0;            // where it was asked for; 0: nowhere
    bool is_constant = false;  // the same everywhere
  };
  std::vector<Mass> masses_;  // of the units
  long places_ = 0;
  Matrix M_, inverse_;
  Vector unit_velocity_;  // (nu) scratch
  DenseCholesky llt_;
};

}  // namespace nsmb
