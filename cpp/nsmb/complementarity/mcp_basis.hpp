// Dense basis matrices whose columns are e_i, -a_i or -g: factors and product-form updates.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb::internal {

enum class McpColumn : signed char { Unit, Matrix, Cover };  // column i is e_i, -A.col(i), -g

/// C = (columns), solved with an LU factorization of the rows and columns that are not unit
/// columns. Each column exchanged since then adds one elementary matrix.
class McpBasis {
 public:
  static constexpr int kMaxUpdates = 50;

  void resize(Index n);
  /// Factorize. Return false if singular. A (n, n) and g (n) must outlive the calls of solve.
  bool factorize(const Matrix& A, const Vector& g, const std::vector<McpColumn>& columns);
  /// h <- C⁻¹ h.
  void solve(Vector& h);
  /// Replace column `slot` by C d, d[slot] != 0.
  void update(Index slot, const Vector& d);
  int updates() const { return updates_; }

 private:
  bool eliminate();

  const Matrix* A_ = nullptr;
  const Vector* g_ = nullptr;
  std::vector<McpColumn> columns_;
  std::vector<Index> solid_;  // slots without a unit column
  Matrix lu_;                 // (n, n), only its leading block is used
  std::vector<Index> swaps_;  // row exchanged with row k at step k
  Vector part_, product_;     // (n)
  Matrix updates_d_;          // (n, kMaxUpdates)
  std::vector<Index> update_slot_;
  int updates_ = 0;
};

}  // namespace nsmb::internal
