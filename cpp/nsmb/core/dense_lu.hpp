// LU factorisations of dense matrices. Eigen's templates are instantiated only in the source file,
// because each further file that factorises takes seconds longer to compile.
#pragma once

#include <Eigen/LU>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Factorisation P A = L U with row exchanges. A workspace: allocates when the size changes.
class DenseLu {
 public:
  DenseLu() = default;
  explicit DenseLu(Index n);
  void compute(const ConstMatrixRef& A);
  /// Return true if all pivots are finite and none is zero.
  bool is_regular() const;
  double determinant() const;
  /// Compute x := A⁻¹b. Allocates nothing; x must not be b.
  void solve_to(const ConstVectorRef& b, VectorRef x) const;
  /// Compute X := A⁻¹B by columns. X must not be B.
  void solve_columns_to(const ConstMatrixRef& B, MatrixRef X) const;

 private:
  Eigen::PartialPivLU<Matrix> lu_;
};

/// Factorisation P A = L U of a complex matrix, with row exchanges.
class ComplexLu {
 public:
  void compute(const Eigen::Ref<const Eigen::MatrixXcd>& A);
  /// Compute x := A⁻¹b; x must not be b.
  void solve_to(const Eigen::Ref<const Eigen::VectorXcd>& b, Eigen::Ref<Eigen::VectorXcd> x) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXcd> lu_;
};

/// Factorisation P A Q = L U with row and column exchanges, which reveals the rank. Allocates.
class FullLu {
 public:
  explicit FullLu(const ConstMatrixRef& A);
  double smallest_pivot() const;
  double largest_pivot() const;
  /// Solve A x = b. Unknowns without a pivot are zero.
  Vector solve(const ConstVectorRef& b) const;
  Matrix inverse() const;
  /// Return a basis of the kernel by columns. Pivots up to this fraction of the largest one count
  /// as zero.
  Matrix kernel(double threshold);

 private:
  Eigen::FullPivLU<Matrix> lu_;
};

}  // namespace nsmb
