// LU factors of a sparse matrix without symmetry, column after column.
#pragma once

#include <vector>

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// P A Q = L U: Q by minimum degree of A + Aᵀ, so that few entries fill in; P by partial pivoting
/// that keeps the diagonal while it is large enough. Each column of the factors is the solution of
/// a triangular system with a sparse right-hand side, whose pattern is found first [Gilbert and
/// Peierls 1988], so that the work is that of the products alone.
///
/// Entries of the pattern that are zero are left out: one for all that may come costs little.
/// Allocates while its factors grow, and never again for the same entries and pivots.
class SparseLu {
 public:
  /// The order of elimination for matrices of this pattern.
  explicit SparseLu(SparsityPattern pattern);

  /// Of the values in the order of the pattern. False: a pivot vanishes or is not finite.
  bool factorise(const double* values);
  /// x = A⁻¹ x.
  void solve(double* x);

  Index size() const { return n_; }
  /// Numbers in the factors of the last factorisation.
  std::size_t entries() const { return lower_.size() + upper_.size() + pivots_.size(); }

 private:
  struct Entry {
    Index row;
    double value;
  };

  Index find_pattern(Index column, Index step, const double* values);
  bool choose_pivot(Index column, Index top, Index& row) const;

  SparsityPattern pattern_;
  Index n_ = 0;
  std::vector<Index> order_;  // column that is eliminated in step k
  std::vector<Index> step_;   // in which a row is the pivot; -1: not yet

  std::vector<Entry> lower_, upper_;              // below and above the diagonal, by columns
  std::vector<std::size_t> lower_at_, upper_at_;  // (n + 1) where columns begin
  std::vector<double> pivots_;

  // Of the column at work: its entries, the last ones of found_ in topological order.
  std::vector<double> column_;
  std::vector<Index> found_, path_, mark_;
  std::vector<std::size_t> next_;
};

}  // namespace nsmb
