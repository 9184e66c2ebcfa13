// Products of matrices and vectors with few components, for which calling Eigen's kernels costs
// many times the arithmetic.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Largest number of rows and columns for which a loop is faster.
inline constexpr Index kSmallProduct = 16;

namespace internal {

template <typename A>
bool is_small(const A& a) {
  return a.rows() <= kSmallProduct && a.cols() <= kSmallProduct;
}

// Compute y += sign A x, sign = ±1.
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

/// Compute y += A x for views of contiguous components. Sums have the order of Eigen's kernel.
template <typename A, typename X, typename Y>
void add_product(const A& a, const X& x, Y&& y) {
  if (!internal::is_small(a) || a.rows() == 1) {
    y.noalias() += a * x;
    return;
  }
  internal::add_small_product(a, x, y, 1.0);
}

/// Compute y -= A x.
template <typename A, typename X, typename Y>
void subtract_product(const A& a, const X& x, Y&& y) {
  if (!internal::is_small(a) || a.rows() == 1) {
    y.noalias() -= a * x;
    return;
  }
  internal::add_small_product(a, x, y, -1.0);
}

/// Compute y += Aᵀx, summing even and odd terms separately as in Eigen's kernel.
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

/// Solve L Lᵀ x = b for up to four unknowns; x overwrites b. The limit is four because only up to
/// there the sums have the order of Eigen's kernel.
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
