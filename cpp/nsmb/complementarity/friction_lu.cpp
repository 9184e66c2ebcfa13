#include "nsmb/complementarity/friction_lu.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb::internal {
namespace {

constexpr Index kPanel = 24;   // columns eliminated one by one before the rest is updated together
constexpr Index kChunk = 192;  // columns updated together

}  // namespace

bool solve_in_place(Eigen::Ref<Matrix> K, VectorRef rhs, std::vector<Index>& pivots) {
  const Index m = K.rows();
  for (Index begin = 0; begin < m; begin += kPanel) {
    const Index end = std::min(begin + kPanel, m);
    for (Index j = begin; j < end; ++j) {
      Index row = j;
      K.col(j).tail(m - j).cwiseAbs().maxCoeff(&row);
      row += j;
      const double pivot = K(row, j);
      if (!(std::abs(pivot) > 0.0)) return false;
      pivots[static_cast<std::size_t>(j)] = row;
      if (row != j) {
        for (Index k = begin; k < end; ++k) std::swap(K(row, k), K(j, k));
      }
      const Index below = m - j - 1;
      K.col(j).tail(below) /= pivot;
      for (Index k = j + 1; k < end; ++k) {
        if (K(j, k) != 0.0) K.col(k).tail(below) -= K(j, k) * K.col(j).tail(below);
      }
    }
    for (Index j = begin; j < end; ++j) {
      const Index row = pivots[static_cast<std::size_t>(j)];
      if (row == j) continue;
      for (Index k = 0; k < begin; ++k) std::swap(K(row, k), K(j, k));
      for (Index k = end; k < m; ++k) std::swap(K(row, k), K(j, k));
    }
    const Index size = end - begin;
    // In chunks whose packed copies fit on the stack: Eigen allocates larger ones on the heap.
    for (Index left = end; left < m; left += kChunk) {
      const Index width = std::min(kChunk, m - left);
      auto upper = K.block(begin, left, size, width);
      K.block(begin, begin, size, size).triangularView<Eigen::UnitLower>().solveInPlace(upper);
      K.block(end, left, m - end, width).noalias() -= K.block(end, begin, m - end, size) * upper;
    }
  }
  for (Index j = 0; j < m; ++j) {
    const Index row = pivots[static_cast<std::size_t>(j)];
    if (row != j) std::swap(rhs[row], rhs[j]);
  }
  for (Index j = 0; j < m; ++j) rhs.tail(m - j - 1) -= rhs[j] * K.col(j).tail(m - j - 1);
  for (Index j = m - 1; j >= 0; --j) {
    rhs[j] /= K(j, j);
    rhs.head(j) -= rhs[j] * K.col(j).head(j);
  }
  return true;
}

}  // namespace nsmb::internal
