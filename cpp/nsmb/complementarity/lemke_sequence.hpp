// Sequences of problems of one size.
#pragma once

#include <vector>

#include "nsmb/complementarity/lemke.hpp"

namespace nsmb {

/// Results of `solve_lemke_sequence`, one column or entry per problem.
struct LemkeSequence {
  Matrix x;         // (n, count)
  Vector residual;  // (count)
  std::vector<int> pivots;
  std::vector<LcpStatus> status;
};

/// Solve problems of one size in sequence with one workspace: A (n, n count) side by side, b (n,
/// count). With `warm_start` each solve starts from the previous solution.
LemkeSequence solve_lemke_sequence(const ConstMatrixRef& A, const ConstMatrixRef& b,
                                   const LemkeOptions& options, bool warm_start);

}  // namespace nsmb
