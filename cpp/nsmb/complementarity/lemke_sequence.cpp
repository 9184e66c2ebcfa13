#include "nsmb/complementarity/lemke_sequence.hpp"

#include "nsmb/core/check.hpp"

namespace nsmb {

LemkeSequence solve_lemke_sequence(const ConstMatrixRef& A, const ConstMatrixRef& b,
                                   const LemkeOptions& options, bool warm_start) {
  const Index n = b.rows();
  const Index count = b.cols();
  check_shape("A", A, n, n * count);
  LemkeSequence sequence;
  sequence.x.resize(n, count);
  sequence.residual.resize(count);
  sequence.pivots.resize(static_cast<std::size_t>(count));
  sequence.status.resize(static_cast<std::size_t>(count));
  LemkeWorkspace workspace;
  LcpResult result;
  for (Index k = 0; k < count; ++k) {
    const bool warm = warm_start && result.status == LcpStatus::Solved;
    solve_lemke(A.middleCols(k * n, n), b.col(k), options, workspace, result,
                warm ? &result.x : nullptr);
    sequence.x.col(k) = result.x;
    sequence.residual[k] = result.residual;
    sequence.pivots[static_cast<std::size_t>(k)] = result.pivots;
    sequence.status[static_cast<std::size_t>(k)] = result.status;
  }
  return sequence;
}

}  // namespace nsmb
