// Factors of a sparse matrix of small dense blocks with symmetric pattern, by the multifrontal
// method: each supernode is a dense front, so that nearly all work is products of dense matrices.
//
// Values need not be symmetric. Rows are then exchanged only within a front, and the caller
// corrects the loss of accuracy. Pattern and order of elimination are computed once. The size of
// every block may change from one factorization to the next and may be zero.
#pragma once

#include <vector>

#include "nsmb/complementarity/block_matrix.hpp"

namespace nsmb::internal {

class FrontalLu {
 public:
  /// Analyse a pattern of lists, which must contain (j, i) with (i, j), and each (i, i). `size`
  /// (lists) is typical.
  void analyse(const BlockMatrix& pattern, const std::vector<Index>& size);

  /// Cost of a factorization at the typical sizes.
  struct Expected {
    std::size_t entries = 0;  // of its factors
    Index rows = 0;
    double work = 0.0;  // multiplications
  };
  const Expected& expected() const { return expected_; }

  /// Factorize `K`, which has that pattern; list i holds the rows i. `size` gives the rows of each
  /// list. If `symmetric`, K is positive definite and only its lower half is read. Return false if
  /// a pivot vanishes.
  bool factorize(const BlockMatrix& K, const std::vector<Index>& size, bool symmetric);

  /// Compute x = K⁻¹ x, rows list by list.
  void solve(Vector& x);

  Index rows() const { return rows_; }
  /// Numbers in the factors of the last factorization.
  std::size_t entries() const { return factors_.size(); }

 private:
  struct Supernode {
    Index begin = 0, end = 0;          // its nodes, in the order of elimination
    Index row_begin = 0, row_end = 0;  // in row_nodes_: nodes below it
    Index parent = -1;
  };

  void order(const BlockMatrix& pattern);
  void find_structures(const BlockMatrix& pattern, std::vector<std::vector<Index>>& below,
                       std::vector<Index>& parent) const;
  void merge(const std::vector<std::vector<Index>>& below, const std::vector<Index>& parent,
             const std::vector<Index>& size);
  void set_sizes(const std::vector<Index>& size);
  void assemble(const Supernode& s, const BlockMatrix& K, Index front_rows);
  void add_update(const Supernode& child, Index front_rows);
  bool eliminate(const Supernode& s, std::size_t k, Index pivots, Index rest, bool symmetric);
  Index offset(Index node) const { return offset_[static_cast<std::size_t>(node)]; }
  Index node_size(Index node) const { return offset(node + 1) - offset(node); }

  // In the order of elimination: node k is list order_[k].
  std::vector<Index> order_, place_;  // and its inverse
  std::vector<Index> mirror_;         // block (j, i) of block (i, j)
  std::vector<Supernode> supernodes_;
  std::vector<Index> row_nodes_;
  std::vector<Index> children_first_, children_;
  Expected expected_;

  // Of one factorization.
  bool symmetric_ = false;
  Index rows_ = 0;
  std::vector<Index> offset_;        // (nodes + 1) first row, in the order of elimination
  std::vector<Index> list_offset_;   // (nodes + 1) first row, list by list
  std::vector<Index> local_;         // (nodes) first row in the current front
  std::vector<std::size_t> factor_;  // (supernodes + 1)
  std::vector<double> factors_;      // pivot columns, then (not symmetric) pivot rows
  std::vector<Index> exchanges_;     // (rows) of rows within the pivots of a front
  std::vector<double> front_;
  std::vector<double> stack_;        // updates not yet assembled into their parents
  std::vector<std::size_t> update_;  // (supernodes) position in the stack
  Vector work_, part_;
};

}  // namespace nsmb::internal
