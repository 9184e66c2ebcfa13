#include "nsmb/simulation/mass_matrix.hpp"

#include <stdexcept>

#include "nsmb/core/check.hpp"
#include "nsmb/core/small_products.hpp"

namespace nsmb {

namespace {

// Number of entries of W up to which products with all of W cost no more than by cliques
// (measured).
constexpr Index kManyEntries = 1000;

// Number of velocities below which blocks gain little. Opposed contacts are known to settle with
// sums over all velocities: if a disc is wedged in a slot, the last digit decides.
constexpr Index kManyVelocities = 40;

// Return the cliques, or null if M is one block. The projection onto constraints needs the whole.
const Cliques* cliques_of(const System& system) {
  const Cliques* cliques = system.cliques();
  if (!cliques || cliques->count() < 2 || system.nb() > 0) return nullptr;
  if (system.nu() < kManyVelocities) return nullptr;
  return system.nu() * system.rows().size() > kManyEntries ? cliques : nullptr;
}

template <typename B>
void solve_column(const DenseCholesky& llt, B&& b) {
  if (b.size() <= kSmallSolve) return solve_small_cholesky(llt.entries(), b);
  llt.solve(b);
}

}  // namespace

MassMatrix::MassMatrix(const System& system, SystemWorkspace& work)
    : system_(system),
      work_(work),
      solver_(system.nb() == 0 ? system.mass_solver() : nullptr),
      cliques_(cliques_of(system)),
      is_constant_(system.constant_mass_matrix()),
      q_(system.nq()) {}

void MassMatrix::factorise(double t, const ConstVectorRef& q) {
  if (is_known_ && (is_constant_ || (t == t_ && q == q_))) return;
  is_known_ = false;
  t_ = t;
  q_ = q;
  is_old_ = solver_ != nullptr;
  if (solver_) return solver_->factorise_mass(t, q, work_);
  M_.resize(system_.nu(), system_.nu());
  system_.mass_matrix(t, q, M_, work_);
  if (cliques_) {
    factorise_blocks();
  } else {
    llt_.compute(M_);
    check(llt_);
  }
  is_known_ = true;
}

void MassMatrix::check(const DenseCholesky& llt) const {
  if (llt.is_definite() && llt.entries().allFinite()) return;
  throw std::domain_error("mass matrix: not positive definite at t = " + to_text(t_) + " s");
}

void MassMatrix::factorise_blocks() {
  blocks_.resize(static_cast<std::size_t>(cliques_->count()));
  for (Index clique = 0; clique < cliques_->count(); ++clique) {
    const VelocityRanges& members = cliques_->members(clique);
    Block& block = blocks_[static_cast<std::size_t>(clique)];
    Index size = 0;
    for (const VelocityRange& r : members) size += r.size;
    block.part.resize(size);
    block.M.resize(size, size);
    Index column = 0;
    for (const VelocityRange& c : members) {
      Index row = 0;
      for (const VelocityRange& r : members) {
        block.M.block(row, column, r.size, c.size) = M_.block(r.first, c.first, r.size, c.size);
        row += r.size;
      }
      column += c.size;
    }
    block.llt.compute(block.M);
    check(block.llt);
  }
}

void MassMatrix::solve(Index clique, VectorRef b) {
  if (solver_) return solver_->solve_mass(clique, b, work_);
  const VelocityRanges& members = cliques_->members(clique);
  Block& block = blocks_[static_cast<std::size_t>(clique)];
  Index place = 0;
  for (const VelocityRange& r : members) {
    block.part.segment(place, r.size) = b.segment(r.first, r.size);
    place += r.size;
  }
  solve_column(block.llt, block.part);
  place = 0;
  for (const VelocityRange& r : members) {
    b.segment(r.first, r.size) = block.part.segment(place, r.size);
    place += r.size;
  }
}

const Matrix& MassMatrix::entries() {
  if (is_old_) {
    M_.resize(system_.nu(), system_.nu());
    system_.mass_matrix(t_, q_, M_, work_);
  }
  is_old_ = false;
  return M_;
}

void MassMatrix::solve(MatrixRef B) {
  if (B.size() == 0) return;  // Eigen accesses its first entry
  if (solver_) return solver_->solve_mass(B, work_);
  if (cliques_) {
    for (Index k = 0; k < B.cols(); ++k) {
      for (Index clique = 0; clique < cliques_->count(); ++clique) solve(clique, B.col(k));
    }
    return;
  }
  if (B.cols() == 1) {  // a single column needs no blocks
    solve_column(llt_, B.col(0));
    return;
  }
  llt_.solve_columns(B);
}

}  // namespace nsmb
