// M of a system at one (t, q), and solutions with it.
#pragma once

#include <vector>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/system/cliques.hpp"
#include "nsmb/system/mass_solver.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// Workspace. A constant M is factorised once; a system that solves with M itself, as trees of many
/// bodies do, is asked for its entries only where they are needed. Of many bodies M is taken by its
/// cliques, block by block.
class MassMatrix {
 public:
  MassMatrix(const System& system, SystemWorkspace& work);

  /// Throws std::domain_error when M is not positive definite at (t, q).
  void factorise(double t, const ConstVectorRef& q);
  /// A constant M is that of the place where `other`, of the same system, has made it.
  void know_as(const MassMatrix& other) {
    if (!is_constant_ || !other.is_known_) return;
    is_known_ = false;
    factorise(other.t_, other.q_);
  }
  /// B := M⁻¹ B.
  void solve(MatrixRef B);
  /// The same in the velocities of one clique of b (nu), all others being left as they are.
  void solve(Index clique, VectorRef b);
  /// The blocks it is taken by; null: as a whole.
  const Cliques* cliques() const { return cliques_; }
  /// M itself.
  const Matrix& entries();
  bool is_constant() const { return is_constant_; }
  /// Where M is solved with by its entries and as a whole, as beside bilateral constraints.
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
  double t_ = 0.0;  // where M_ or what stands for it was made
  Vector q_;        // (nq)
  bool is_old_ = false;
};

}  // namespace nsmb
