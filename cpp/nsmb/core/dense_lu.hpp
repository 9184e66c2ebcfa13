// LU factorisations of dense matrices. Eigen's templates are instantiated in the source file alone:
// each further file that factorises by itself takes seconds longer to compile.
#pragma once

#include <Eigen/LU>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// P A = L U, rows exchanged. Workspace: allocates where the size changes.
class DenseLu {
 public:
  DenseLu() = default;
  explicit DenseLu(Index n);
  void compute(const ConstMatrixRef& A);
  /// True if all pivots are finite and none is zero.
  bool is_regular() const;
  double determinant() const;
  /// x := A⁻¹b. Allocates nothing; x is not b.
  void solve_to(const ConstVectorRef& b, VectorRef x) const;
  /// X := A⁻¹B by columns. X is not B.
  void solve_columns_to(const ConstMatrixRef& B, MatrixRef X) const;

 private:
  Eigen::PartialPivLU<Matrix> lu_;
};

/// P A = L U of a complex matrix, rows exchanged.
class ComplexLu {
 public:
  void compute(const Eigen::Ref<const Eigen::MatrixXcd>& A);
  /// x := A⁻¹b; x is not b.
  void solve_to(const Eigen::Ref<const Eigen::VectorXcd>& b, Eigen::Ref<Eigen::VectorXcd> x) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXcd> lu_;
};

/// P A Q = L U, rows and columns exchanged: reveals the rank. Allocates.
class FullLu {
 public:
  explicit FullLu(const ConstMatrixRef& A);
  double smallest_pivot() const;
  double largest_pivot() const;
  /// Unknowns without a pivot are zero.
  Vector solve(const ConstVectorRef& b) const;
  Matrix inverse() const;
  /// Basis of the kernel by columns. Pivots up to this part of the largest one count as zero.
  Matrix kernel(double threshold);

 private:
  Eigen::FullPivLU<Matrix> lu_;
};

}  // namespace nsmb
