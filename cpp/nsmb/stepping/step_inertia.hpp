// The inertia against impulses in a step: M, or A where loads are stiff, unit by unit.
#pragma once

#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/system/cliques.hpp"

namespace nsmb {

/// A workspace for the inertia. A unit is a clique, or several cliques joined by loads. Impulses on
/// one unit do not move another.
class StepInertia {
 public:
  /// `joined` lists cliques that form one unit. Every other clique is a unit of its own.
  StepInertia(Mechanics& mechanics, const Cliques& cliques,
              const std::vector<std::vector<Index>>& joined = {});

  const Cliques& cliques() const { return cliques_; }
  /// The units, as cliques.
  const Cliques& units() const { return units_; }
  Index unit_of(Index clique) const { return unit_of_[at(clique)]; }
  Index size(Index unit) const { return size_[at(unit)]; }
  /// Index of the first velocity of a clique within its unit, and number of its velocities.
  Index place(Index clique) const { return place_[at(clique)]; }
  Index clique_size(Index clique) const { return clique_size_[at(clique)]; }
  /// Cliques of a unit, ascending.
  const std::vector<Index>& cliques_of(Index unit) const { return cliques_of_[at(unit)]; }

  /// Velocities of a unit, in its order.
  const std::vector<Index>& velocities_of(Index unit) const { return velocities_[at(unit)]; }

  /// Move `mechanics` to (t, q), and use M there from now on.
  void stand(double t, const ConstVectorRef& q);
  /// Report that `mechanics` has been moved to another state.
  void leave() { stands_ = false; }
  /// Take over constant masses from `other`, for the same system. Computed at another state they
  /// would be rounded differently.
  void know_as(const StepInertia& other);
  /// Use M for all units, and discard A.
  void take_mass();
  /// Use A for a unit. Return false, and keep M, if A is not symmetric positive definite.
  bool take(Index unit, const Matrix& A);
  /// Use M for all units temporarily.
  void use_mass(bool does) { uses_mass_ = does; }
  /// Return true if a unit uses a matrix A other than M.
  bool is_loaded() const;
  /// Return A or M of a unit.
  const Matrix& block(Index unit);
  /// Return M of a unit.
  const Matrix& mass(Index unit);

  /// Extract the velocities of a unit from those of the system (nu), or write them back.
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
  std::vector<std::vector<Index>> velocities_;  // of each unit, ordered by clique
  std::vector<Matrix> A_;                       // by units; empty: M
  bool uses_mass_ = false, stands_ = false;
  double t_ = 0.0;
  Vector q_;
  struct Mass {
    Matrix M;
    long place = 0;            // state at which it was computed; 0: never
    bool is_constant = false;  // independent of the state
  };
  std::vector<Mass> masses_;  // by units
  long places_ = 0;
  Matrix M_, inverse_;
  Vector unit_velocity_;  // (nu) scratch
  DenseCholesky llt_;
};

}  // namespace nsmb
