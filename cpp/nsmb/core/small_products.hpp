// Products of matrices and vectors of a few components, for which calling Eigen's kernels costs
// many times the arithmetic.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Up to this many rows and columns a loop is faster.
inline constexpr Index kSmallProduct = 16;

namespace internal {

template <typename A>
bool is_small(const A& a) {
  return a.rows() <= kSmallProduct && a.cols() <= kSmallProduct;
}

// y += sign A x, sign = ±1.
template <typename A, typename X, typename Y>
void add_small_product(const A& a, const X& x, Y&& y, double sign) {
  const double* columns = a.data();
  const double* factors = x.data();
  double* result = y.data();
  const Index rows = a.rows(), count = a.cols(), stride = a.outerStride();
  for (Index i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (Index j = 0; j < count; ++j) sum += columns[j * stride + i] * factors[j];
    result[i] += sign * sum;
  }
}

}  // namespace internal

/// y += A x. Views of consecutive components; the sums have the order of Eigen's kernel.
template <typename A, typename X, typename Y>
void add_product(const A& a, const X& x, Y&& y) {
  if (!internal::is_small(a) || a.rows() == 1) {
    y.noalias() += a * x;
    return;
  }
  internal::add_small_product(a, x, y, 1.0);
}

/// y -= A x
template <typename A, typename X, typename Y>
void subtract_product(const A& a, const X& x, Y&& y) {
  if (!internal::is_small(a) || a.rows() == 1) {
    y.noalias() -= a * x;
    return;
  }
  internal::add_small_product(a, x, y, -1.0);
}

/// y += Aᵀx, even and odd terms by themselves as in Eigen's kernel.
template <typename A, typename X, typename Y>
void add_transposed_product(const A& a, const X& x, Y&& y) {
  if (!internal::is_small(a) || a.cols() == 1) {
    y.noalias() += a.transpose() * x;
    return;
  }
  const double* column = a.data();
  const double* factors = x.data();
  double* result = y.data();
  const Index count = a.rows(), pairs = count - count % 2;
  for (Index i = 0; i < a.cols(); ++i, column += a.outerStride()) {
    double even = 0.0, odd = 0.0;
    for (Index j = 0; j < pairs; j += 2) {
      even += column[j] * factors[j];
      odd += column[j + 1] * factors[j + 1];
    }
    double sum = even + odd;
    if (pairs < count) sum += column[pairs] * factors[pairs];
    result[i] += sum;
  }
}

/// L Lᵀ x = b for up to four unknowns, x over b: no more, because there the sums have the order of
/// Eigen's kernel.
inline constexpr Index kSmallSolve = 4;
template <typename B>
void solve_small_cholesky(const Matrix& L, B&& b) {
  const Index n = L.rows();
  for (Index i = 0; i < n; ++i) {
    b(i) /= L(i, i);
    for (Index j = i + 1; j < n; ++j) b(j) -= b(i) * L(j, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    double sum = 0.0;
    for (Index j = i + 1; j < n; ++j) sum += L(j, i) * b(j);
    b(i) = (b(i) - sum) / L(i, i);
  }
}

}  // namespace nsmb
