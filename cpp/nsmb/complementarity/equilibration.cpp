#include "nsmb/complementarity/equilibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nsmb {
namespace {

using Exponent = std::int16_t;

constexpr int kSweeps = 4;          // each sweep halves the distance of the exponents from zero
constexpr int kTableauLanes = 8;    // columns are padded to a multiple of this
constexpr Exponent kZero = -16384;  // exponent of zero, which stays below all others after scaling
constexpr Exponent kNotZero = -8192;
constexpr int kLimit = 500;  // scaled finite data neither overflow nor vanish prematurely

/// Return floor(log2 |value|), or 1024 for inf and NaN.
Exponent exponent_of(double value) {
  const auto biased =
      static_cast<int>((Eigen::numext::bit_cast<std::uint64_t>(value) >> 52) & 0x7ffu);
  return static_cast<Exponent>(biased == 0 ? kZero : biased - 1023);
}

double power_of_two(int exponent) {
  return Eigen::numext::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

Exponent clamped(int exponent) {
  return static_cast<Exponent>(std::clamp(exponent, -kLimit, kLimit));
}

}  // namespace

double reciprocal_power_of_two(double value) {
  if (value == 0.0) return 1.0;
  return std::ldexp(1.0, std::clamp(-std::ilogb(value), -kLimit, kLimit));
}

// Only integers are used: the exponent of the largest entry is the largest exponent, and scaling by
// a power of two adds to it.
bool equilibrate(const ConstMatrixRef& A, EquilibrationScratch& scratch, VectorRef row,
                 VectorRef column) {
  const Index n = A.rows();
  const Index stride = (n + kTableauLanes - 1) / kTableauLanes * kTableauLanes;
  scratch.exponents.assign(static_cast<std::size_t>(stride * n), kZero);
  scratch.row.assign(static_cast<std::size_t>(stride), 0);
  scratch.column.assign(static_cast<std::size_t>(n), 0);
  scratch.largest.resize(static_cast<std::size_t>(stride));
  Exponent* const exponents = scratch.exponents.data();
  Exponent* const r = scratch.row.data();
  Exponent* const c = scratch.column.data();
  Exponent* const largest = scratch.largest.data();

  Exponent highest = kZero;
  for (Index j = 0; j < n; ++j) {
    const double* const a = A.data() + j * A.outerStride();
    Exponent* const e = exponents + j * stride;
    for (Index i = 0; i < n; ++i) {
      e[i] = exponent_of(a[i]);
      highest = std::max(highest, e[i]);
    }
  }
  if (highest == 1024) return false;

  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::fill(largest, largest + stride, kZero);
    for (Index j = 0; j < n; ++j) {
      const Exponent* const e = exponents + j * stride;
      for (Index i = 0; i < stride; ++i) {
        largest[i] = std::max(largest[i], static_cast<Exponent>(e[i] + c[j]));
      }
    }
    bool changed = sweep == 0;
    for (Index i = 0; i < n; ++i) {
      if (largest[i] < kNotZero) continue;
      // 1 / sqrt(largest · row) · row, the geometric mean of the old row and 1 / largest
      const Exponent next = clamped(r[i] - ((largest[i] + r[i]) >> 1));
      changed = changed || next != r[i];
      r[i] = next;
    }
    if (!changed) break;
    for (Index j = 0; j < n; ++j) {
      const Exponent* const e = exponents + j * stride;
      Exponent top = kZero;
      for (Index i = 0; i < stride; ++i) top = std::max(top, static_cast<Exponent>(e[i] + r[i]));
      if (top > kNotZero) c[j] = clamped(-top);
    }
  }
  for (Index i = 0; i < n; ++i) row[i] = power_of_two(r[i]);
  for (Index j = 0; j < n; ++j) column[j] = power_of_two(c[j]);
  return true;
}

void equilibrate(const ConstMatrixRef& A, VectorRef row, VectorRef column) {
  EquilibrationScratch scratch;
  row.setOnes();
  column.setOnes();
  equilibrate(A, scratch, row, column);
}

}  // namespace nsmb
