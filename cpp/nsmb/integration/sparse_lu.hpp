// LU factorisation of an unsymmetric sparse matrix, column by column.
#pragma once

#include <vector>

#include "nsmb/integration/integrator.hpp"

namespace nsmb {

/// The factors P A Q = L U. Q is the minimum-degree ordering of A + Aᵀ, which limits fill-in. P is
/// partial pivoting that keeps the diagonal while it is large enough. Each column of the factors
/// solves a triangular system with a sparse right-hand side. Its pattern is found first [Gilbert
/// and Peierls 1988], so that the work is that of the products alone.
///
/// Zero entries of the pattern are omitted, so that a pattern with all possible entries costs
/// little. Memory is allocated while the factors grow, and never again for the same entries and
/// pivots.
class SparseLu {
 public:
  /// Determine the order of elimination for matrices of this pattern.
  explicit SparseLu(SparsityPattern pattern);

  /// Factorise the values, in the order of the pattern. Return false if a pivot vanishes or is not
  /// finite.
  bool factorise(const double* values);
  /// Compute x = A⁻¹ x.
  void solve(double* x);

  Index size() const { return n_; }
  /// Return the number of entries in the last factors.
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
  std::vector<Index> step_;   // step in which a row is the pivot; -1: not yet

  std::vector<Entry> lower_, upper_;              // below and above the diagonal, by columns
  std::vector<std::size_t> lower_at_, upper_at_;  // (n + 1), starts of columns
  std::vector<double> pivots_;

  // The current column: its entries, and in the last part of found_ its rows in topological order.
  std::vector<double> column_;
  std::vector<Index> found_, path_, mark_;
  std::vector<std::size_t> next_;
};

}  // namespace nsmb
