#include "nsmb/integration/sparse_lu.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <cmath>
#include <utility>

#include "nsmb/integration/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

SparseLu::SparseLu(SparsityPattern pattern)
    : pattern_(std::move(pattern)), n_(static_cast<Index>(pattern_.begin.size()) - 1) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < n_; ++j) {
    for (Index k = pattern_.begin[at(j)]; k < pattern_.begin[at(j + 1)]; ++k) {
      entries.emplace_back(static_cast<int>(pattern_.rows[at(k)]), static_cast<int>(j), 1.0);
    }
  }
  Eigen::SparseMatrix<double> ones(n_, n_);
  ones.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic> permutation;
  Eigen::AMDOrdering<int>()(ones, permutation);
  order_.resize(at(n_));
  for (Index k = 0; k < n_; ++k) order_[at(k)] = permutation.indices()(k);
  step_.resize(at(n_));
  lower_at_.resize(at(n_ + 1));
  upper_at_.resize(at(n_ + 1));
  pivots_.resize(at(n_));
  column_.assign(at(n_), 0.0);
  found_.resize(at(n_));
  path_.resize(at(n_));
  next_.resize(at(n_));
  mark_.assign(at(n_), -1);
}

/// Find the rows of L⁻¹ a for a column a, from found_[top] on, each after the rows it depends on.
Index SparseLu::find_pattern(Index column, Index step, const double* values) {
  Index top = n_;
  for (Index k = pattern_.begin[at(column)]; k < pattern_.begin[at(column + 1)]; ++k) {
    const Index start = pattern_.rows[at(k)];
    if (values[k] == 0.0 || mark_[at(start)] == step) continue;
    // Descend along the columns of L. A row is placed before the rows it leads to.
    Index depth = 0;
    path_[0] = start;
    mark_[at(start)] = step;
    const auto begin_of = [&](Index row) {
      return step_[at(row)] < 0 ? lower_.size() : lower_at_[at(step_[at(row)])];
    };
    const auto end_of = [&](Index row) {
      return step_[at(row)] < 0 ? lower_.size() : lower_at_[at(step_[at(row)] + 1)];
    };
    next_[0] = begin_of(start);
    while (depth >= 0) {
      const Index row = path_[at(depth)];
      std::size_t& next = next_[at(depth)];
      while (next < end_of(row) && mark_[at(lower_[next].row)] == step) ++next;
      if (next == end_of(row)) {
        found_[at(--top)] = row;
        --depth;
        continue;
      }
      const Index below = lower_[next].row;
      mark_[at(below)] = step;
      ++depth;
      path_[at(depth)] = below;
      next_[at(depth)] = begin_of(below);
    }
  }
  return top;
}

bool SparseLu::choose_pivot(Index column, Index top, Index& row) const {
  double largest = 0.0;
  for (Index k = top; k < n_; ++k) {
    const Index i = found_[at(k)];
    if (step_[at(i)] >= 0) continue;
    const double size = std::abs(column_[at(i)]);
    if (!(size <= largest)) {
      largest = size;
      row = i;
    }
  }
  if (!(largest > 0.0) || !std::isfinite(largest)) return false;
  const bool is_free = step_[at(column)] < 0;
  if (is_free && std::abs(column_[at(column)]) >= sparse_tuning::kDiagonal * largest) row = column;
  return true;
}

bool SparseLu::factorise(const double* values) {
  lower_.clear();
  upper_.clear();
  for (Index i = 0; i < n_; ++i) step_[at(i)] = mark_[at(i)] = -1;
  lower_at_[0] = upper_at_[0] = 0;
  for (Index step = 0; step < n_; ++step) {
    const Index column = order_[at(step)];
    const Index top = find_pattern(column, step, values);
    for (Index k = pattern_.begin[at(column)]; k < pattern_.begin[at(column + 1)]; ++k) {
      column_[at(pattern_.rows[at(k)])] += values[k];
    }
    for (Index k = top; k < n_; ++k) {
      const Index i = found_[at(k)];
      const Index before = step_[at(i)];
      if (before < 0) continue;
      const double factor = column_[at(i)];
      for (std::size_t e = lower_at_[at(before)]; e < lower_at_[at(before + 1)]; ++e) {
        column_[at(lower_[e].row)] -= lower_[e].value * factor;
      }
    }
    Index pivot = -1;
    const bool is_regular = choose_pivot(column, top, pivot);
    const double diagonal = is_regular ? column_[at(pivot)] : 1.0;
    for (Index k = top; k < n_; ++k) {
      const Index i = found_[at(k)];
      const double value = std::exchange(column_[at(i)], 0.0);
      if (step_[at(i)] >= 0) {
        upper_.push_back({step_[at(i)], value});
      } else if (i != pivot) {
        lower_.push_back({i, value / diagonal});
      }
    }
    if (!is_regular) return false;
    pivots_[at(step)] = diagonal;
    step_[at(pivot)] = step;
    lower_at_[at(step + 1)] = lower_.size();
    upper_at_[at(step + 1)] = upper_.size();
  }
  for (Entry& entry : lower_) entry.row = step_[at(entry.row)];
  return true;
}

void SparseLu::solve(double* x) {
  for (Index i = 0; i < n_; ++i) column_[at(step_[at(i)])] = x[i];
  for (Index k = 0; k < n_; ++k) {
    const double value = column_[at(k)];
    if (value == 0.0) continue;
    for (std::size_t e = lower_at_[at(k)]; e < lower_at_[at(k + 1)]; ++e) {
      column_[at(lower_[e].row)] -= lower_[e].value * value;
    }
  }
  for (Index k = n_; k-- > 0;) {
    const double value = column_[at(k)] / pivots_[at(k)];
    x[order_[at(k)]] = value;
    for (std::size_t e = upper_at_[at(k)]; e < upper_at_[at(k + 1)]; ++e) {
      column_[at(upper_[e].row)] -= upper_[e].value * value;
    }
  }
  for (double& value : column_) value = 0.0;
}

}  // namespace nsmb
