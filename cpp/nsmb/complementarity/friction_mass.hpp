// The mass matrix of the global form. M⁻¹ is computed by blocks, or by one sparse factorization
// where M does not decompose into small blocks (finite elements).
#pragma once

#include <Eigen/SparseCholesky>
#include <cstdint>
#include <memory>
#include <vector>

#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb::internal {

/// Mass matrix in nodes. Rows coupled by M form a node (a rigid body: up to six rows); v is in the
/// order of the nodes.
class MassMatrix {
 public:
  static constexpr Index kLargestNode = 12;  // rows of two bodies; larger nodes are not bodies
  static constexpr Index kBodyRows = 6;

  /// Set the matrix. Consecutive rows with the same number in `alike` (rows of M; 0: no group) also
  /// form one node, as long as it is no larger than a body, because M of a sphere is diagonal.
  /// Throws std::invalid_argument unless M is positive definite.
  void assign(const SparseMatrix& M, const std::vector<std::uint64_t>& alike);

  bool is_block_diagonal() const { return !sparse_; }
  Index rows() const { return static_cast<Index>(place_.size()); }
  Index nodes() const { return static_cast<Index>(first_.size()) - 1; }
  /// For a block-diagonal M: first row of each node, new position of each row of M, and its node.
  const std::vector<Index>& first() const { return first_; }
  const std::vector<Index>& place() const { return place_; }
  const std::vector<Index>& node() const { return node_; }
  Index size(Index node) const {
    const auto k = static_cast<std::size_t>(node);
    return first_[k + 1] - first_[k];
  }

  /// Compute z = L⁻¹ z for the rows of one node, in the order of the nodes, M = L Lᵀ.
  void solve_lower(Index node, double* z) const;
  /// Compute z = M⁻¹ z, rows in the order of M.
  void solve(Vector& z) const;

 private:
  void find_nodes(const SparseMatrix& M, const std::vector<std::uint64_t>& alike);
  void factorize_nodes(const SparseMatrix& M);
  void solve_upper(Index node, double* z) const;

  std::vector<Index> first_, place_, node_;
  std::vector<std::size_t> value_;           // (nodes) first entry of each block
  std::vector<double> lower_;                // Cholesky factors of the blocks
  std::vector<Index> parent_, size_, next_;  // scratch
  std::unique_ptr<Eigen::SimplicialLLT<SparseMatrix>> sparse_;
  mutable Vector permuted_;
};

}  // namespace nsmb::internal
