// Linear equations of a few contact rows, and their workspaces.
#pragma once

#include <cstddef>
#include <map>

#include "nsmb/core/dense_lu.hpp"

namespace nsmb {

/// The linear equations A λ = right.
struct RowEquations {
  explicit RowEquations(Index n);
  /// Factorise A, unless it equals the A of the last call.
  void factorise();
  /// Compute λ with these factors.
  void substitute();

  Matrix A, factorised;
  Vector right, lambda;
  DenseLu lu;  // factors of `factorised`
};

/// A workspace for each number of rows, made on first use.
class RowWorkspaces {
 public:
  RowEquations& of(std::size_t rows) {
    return by_size_.try_emplace(static_cast<Index>(rows), static_cast<Index>(rows)).first->second;
  }

 private:
  std::map<Index, RowEquations> by_size_;
};

}  // namespace nsmb
