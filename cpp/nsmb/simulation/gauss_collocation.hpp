// Gauss collocation of order 8 for linear equations Y' = J(t) Y + B(t).
#pragma once

#include <vector>

#include "nsmb/core/dense_lu.hpp"

namespace nsmb {

class GaussCollocation {
 public:
  static constexpr Index kStages = 4;

  /// Y has n rows and m columns; B is nonzero in the last `np` of them.
  GaussCollocation(Index n, Index m, Index np);

  /// Return the node of a stage in [0, 1].
  static double place(Index stage);
  /// Return J (n, n) and B (n, np) at a stage, to be filled in.
  Matrix& J(Index stage) { return J_[static_cast<std::size_t>(stage)]; }
  Matrix& B(Index stage) { return B_[static_cast<std::size_t>(stage)]; }

  /// Take a step: K_i = J_i (Y + h Σ a_ij K_j) + B_i,  Y := Y + h Σ b_i K_i.
  void step(double h, Matrix& Y);

 private:
  Index n_, np_;
  std::vector<Matrix> J_, B_;
  Matrix stages_, right_, solution_;
  DenseLu lu_;
};

}  // namespace nsmb
