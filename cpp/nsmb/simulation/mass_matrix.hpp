// M of a system at one (t, q), and solutions with it.
#pragma once

#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/system/cliques.hpp"
#include "nsmb/system/mass_solver.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// A workspace for M and its factors. A constant M is factorised once. A system that solves with M
/// itself, such as a tree of many bodies, provides its entries only where they are needed. For many
/// bodies M is factorised by its cliques, block by block.
class MassMatrix {
 public:
  MassMatrix(const System& system, SystemWorkspace& work);

  /// Factorise M at (t, q). Throws std::domain_error if M is not positive definite there.
  void factorise(double t, const ConstVectorRef& q);
  /// Evaluate a constant M at the same (t, q) as `other`, of the same system.
  void know_as(const MassMatrix& other) {
    if (!is_constant_ || !other.is_known_) return;
    is_known_ = false;
    factorise(other.t_, other.q_);
  }
  /// Compute B := M⁻¹ B.
  void solve(MatrixRef B);
  /// Do the same in the velocities of one clique of b (nu), and leave all others unchanged.
  void solve(Index clique, VectorRef b);
  /// Return the cliques of the blocks of M; null: M is one block.
  const Cliques* cliques() const { return cliques_; }
  /// Return the entries of M.
  const Matrix& entries();
  bool is_constant() const { return is_constant_; }
  /// Return the factors of M, if it is one block and solved by its entries, as with bilateral
  /// constraints.
  const DenseCholesky& cholesky() const { return llt_; }

 private:
  struct Block {
    Matrix M;
    DenseCholesky llt;
    Vector part;  // of a vector, scratch
  };
  void factorise_blocks();
  void check(const DenseCholesky& llt) const;

  const System& system_;
  SystemWorkspace& work_;
  Matrix M_;
  DenseCholesky llt_;
  const MassSolver* solver_;  // null: by the entries
  const Cliques* cliques_;
  std::vector<Block> blocks_;  // of the cliques, where it is solved by the entries
  bool is_constant_, is_known_ = false;
  double t_ = 0.0;  // where M_ or its factors were computed
  Vector q_;        // (nq)
  bool is_old_ = false;
};

}  // namespace nsmb
