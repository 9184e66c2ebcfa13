// Linear equations of a few contact rows, and the workspaces they are solved in.
#pragma once

#include <cstddef>
#include <map>

#include "nsmb/core/dense_lu.hpp"

namespace nsmb {

/// A λ = right.
struct RowEquations {
  explicit RowEquations(Index n);
  /// Factors of the A of the last time are kept.
  void factorise();
  /// λ, by these factors.
  void substitute();

  Matrix A, factorised;
  Vector right, lambda;
  DenseLu lu;  // of `factorised`
};

/// One workspace for each number of rows, made where it is asked for first.
class RowWorkspaces {
 public:
  RowEquations& of(std::size_t rows) {
    return by_size_.try_emplace(static_cast<Index>(rows), static_cast<Index>(rows)).first->second;
  }

 private:
  std::map<Index, RowEquations> by_size_;
};

}  // namespace nsmb
