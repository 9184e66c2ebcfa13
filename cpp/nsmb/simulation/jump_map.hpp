// What an instant does to the state, all its decisions frozen: the same decisions at states beside
// the one they were taken at.
#pragma once

#include <Eigen/Cholesky>
#include <map>
#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/transition.hpp"

namespace nsmb {

/// The decisions of one instant.
struct InstantDecisions {
  std::vector<bool> impacts;                 // one per impact: is it one without collision?
  std::vector<Index> touching;               // I_S
  std::vector<Index> rows_minus, rows_plus;  // of G: closed before, at rest where the next begins
  std::vector<bool> walls;  // (ne) walls that are where the mass is behind the instant
  ContactFeatures features;
};

class JumpMap {
 public:
  JumpMap(const System& system, const TransitionOptions& options);

  /// y behind the instant: onto the contacts closed before, impacts, onto those closed behind,
  /// walls to their masses. False: an impact problem has no solution here.
  bool apply(double t, const ConstVectorRef& y, const InstantDecisions& decisions,
             VectorRef y_plus);

  /// w_N of a contact at (t, y).
  const Vector& normal_direction(double t, const ConstVectorRef& y,
                                 const InstantDecisions& decisions, Index contact);

 private:
  struct RowSolver {
    explicit RowSolver(Index n) : G(n, n), gamma(n), ldlt(n) {}
    Matrix G;
    Vector gamma;
    Eigen::LDLT<Matrix> ldlt;
  };
  void project(const std::vector<Index>& rows, VectorRef u);
  void update_velocities(const ConstVectorRef& u);

  TransitionOptions options_;
  Mechanics mechanics_;
  ContactSolver solver_;
  ImpactResult impact_;
  Vector gamma_N_, gamma_T_, w_N_;
  std::map<std::size_t, RowSolver> row_solvers_;  // one per number of rows
};

}  // namespace nsmb
