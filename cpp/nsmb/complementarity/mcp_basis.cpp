#include "nsmb/complementarity/mcp_basis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

constexpr Index kPanel = 32;  // columns that are eliminated before the others are updated

}  // namespace

void McpBasis::resize(Index n) {
  const auto size = static_cast<std::size_t>(n);
  columns_.resize(size);
  solid_.reserve(size);
  swaps_.resize(size);
  lu_.resize(n, n);
  part_.resize(n);
  product_.resize(n);
  updates_d_.resize(n, kMaxUpdates);
  update_slot_.resize(kMaxUpdates);
  updates_ = 0;
}

bool McpBasis::factorize(const Matrix& A, const Vector& g, const std::vector<McpColumn>& columns) {
  A_ = &A;
  g_ = &g;
  columns_ = columns;
  updates_ = 0;
  solid_.clear();
  for (Index i = 0; i < A.rows(); ++i) {
    if (columns_[i] != McpColumn::Unit) solid_.push_back(i);
  }
  const auto m = static_cast<Index>(solid_.size());
  for (Index k = 0; k < m; ++k) {
    const bool cover = columns_[solid_[k]] == McpColumn::Cover;
    for (Index i = 0; i < m; ++i) lu_(i, k) = cover ? g[solid_[i]] : A(solid_[i], solid_[k]);
  }
  return eliminate();
}

/// Gaussian elimination with row exchanges, panel by panel. Own implementation, because a
/// factorization of changing size must not allocate.
bool McpBasis::eliminate() {
  const auto m = static_cast<Index>(solid_.size());
  for (Index first = 0; first < m; first += kPanel) {
    const Index width = std::min(kPanel, m - first);
    const Index next = first + width;
    for (Index k = first; k < next; ++k) {
      Index pivot = 0;
      const double largest = lu_.col(k).segment(k, m - k).cwiseAbs().maxCoeff(&pivot);
      if (!(largest > pivoting::kSingularBasis)) return false;
      pivot += k;
      swaps_[k] = pivot;
      if (pivot != k) {
        for (Index j = 0; j < m; ++j) std::swap(lu_(k, j), lu_(pivot, j));
      }
      const Index below = m - k - 1;
      lu_.col(k).segment(k + 1, below) /= lu_(k, k);
      for (Index j = k + 1; j < next; ++j) {
        if (lu_(k, j) != 0.0) {
          lu_.col(j).segment(k + 1, below) -= lu_(k, j) * lu_.col(k).segment(k + 1, below);
        }
      }
    }
    const auto panel = lu_.block(next, first, m - next, width);
    for (Index j = next; j < m; ++j) {
      for (Index k = first; k < next; ++k) {
        const double factor = lu_(k, j);
        if (factor == 0.0) continue;
        for (Index i = k + 1; i < next; ++i) lu_(i, j) -= factor * lu_(i, k);
      }
      lu_.col(j).segment(next, m - next).noalias() -= panel * lu_.col(j).segment(first, width);
    }
  }
  return true;
}

void McpBasis::solve(Vector& h) {
  const auto m = static_cast<Index>(solid_.size());
  if (m > 0) {
    for (Index k = 0; k < m; ++k) part_[k] = -h[solid_[k]];
    for (Index k = 0; k < m; ++k) std::swap(part_[k], part_[swaps_[k]]);
    const auto lu = lu_.topLeftCorner(m, m);
    auto part = part_.head(m);
    lu.triangularView<Eigen::UnitLower>().solveInPlace(part);
    lu.triangularView<Eigen::Upper>().solveInPlace(part);
    product_.setZero();
    for (Index k = 0; k < m; ++k) {
      if (part_[k] == 0.0) continue;
      if (columns_[solid_[k]] == McpColumn::Cover) {
        product_ += part_[k] * *g_;
      } else {
        product_ += part_[k] * A_->col(solid_[k]);
      }
    }
    h += product_;
    for (Index k = 0; k < m; ++k) h[solid_[k]] = part_[k];
  }
  for (int k = 0; k < updates_; ++k) {
    const Index slot = update_slot_[k];
    const auto d = updates_d_.col(k);
    const double value = h[slot] / d[slot];
    if (value != 0.0) h -= value * d;
    h[slot] = value;
  }
}

void McpBasis::update(Index slot, const Vector& d) {
  updates_d_.col(updates_) = d;
  update_slot_[updates_] = slot;
  ++updates_;
}

}  // namespace nsmb::internal
