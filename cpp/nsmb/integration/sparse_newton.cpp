#include "nsmb/integration/sparse_newton.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/integration/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

ColumnColours colour_columns(const SparsityPattern& pattern) {
  const auto n = static_cast<Index>(pattern.begin.size()) - 1;
  std::vector<std::vector<Index>> columns_of(at(n));  // columns with an entry in a row
  for (Index j = 0; j < n; ++j) {
    for (Index k = pattern.begin[at(j)]; k < pattern.begin[at(j + 1)]; ++k) {
      columns_of[at(pattern.rows[at(k)])].push_back(j);
    }
  }
  // Colour full columns first, since they leave the least choice.
  std::vector<Index> order(at(n));
  std::iota(order.begin(), order.end(), Index{0});
  const auto length = [&](Index j) { return pattern.begin[at(j + 1)] - pattern.begin[at(j)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return length(a) > length(b); });
  ColumnColours result;
  result.colour.assign(at(n), -1);
  std::vector<Index> taken(at(n + 1), -1);  // column that last ruled out a colour
  for (const Index j : order) {
    for (Index k = pattern.begin[at(j)]; k < pattern.begin[at(j + 1)]; ++k) {
      for (const Index other : columns_of[at(pattern.rows[at(k)])]) {
        if (result.colour[at(other)] >= 0) taken[at(result.colour[at(other)])] = j;
      }
    }
    Index colour = 0;
    while (taken[at(colour)] == j) ++colour;
    result.colour[at(j)] = colour;
    result.count = std::max(result.count, colour + 1);
  }
  return result;
}

SparsityPattern with_diagonal(const SparsityPattern& pattern, Index n) {
  const std::size_t columns = pattern.begin.empty() ? 0 : pattern.begin.size() - 1;
  if (columns != at(n) || pattern.begin.front() != 0 ||
      pattern.begin.back() != static_cast<Index>(pattern.rows.size()) ||
      !std::is_sorted(pattern.begin.begin(), pattern.begin.end())) {
    reject("jacobian_pattern", std::to_string(n) + " consecutive columns",
           std::to_string(columns) + " columns of " + std::to_string(pattern.rows.size()) +
               " entries");
  }
  SparsityPattern result;
  result.begin.push_back(0);
  for (Index j = 0; j < n; ++j) {
    std::vector<Index> rows(pattern.rows.begin() + pattern.begin[at(j)],
                            pattern.rows.begin() + pattern.begin[at(j + 1)]);
    rows.push_back(j);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.front() < 0 || rows.back() >= n) {
      reject("jacobian_pattern", "rows 0 ... " + std::to_string(n - 1),
             std::to_string(rows.front() < 0 ? rows.front() : rows.back()) + " in column " +
                 std::to_string(j));
    }
    result.rows.insert(result.rows.end(), rows.begin(), rows.end());
    result.begin.push_back(static_cast<Index>(result.rows.size()));
  }
  return result;
}

SparseNewton::SparseNewton(SparsityPattern pattern)
    : pattern_(std::move(pattern)),
      colours_(colour_columns(pattern_)),
      lu_(pattern_),
      y_(Vector::Zero(lu_.size())),
      f_(Vector::Zero(lu_.size())) {}

bool SparseNewton::pays(const SparsityPattern& pattern) {
  const auto n = static_cast<double>(pattern.begin.size()) - 1.0;
  return n >= sparse_tuning::kLarge &&
         static_cast<double>(pattern.rows.size()) <= sparse_tuning::kThin * n * n;
}

void SparseNewton::store(Index column, double y, const double* f, double* values) const {
  const double step = y_(column) - y;
  for (Index k = pattern_.begin[at(column)]; k < pattern_.begin[at(column + 1)]; ++k) {
    const Index row = pattern_.rows[at(k)];
    values[k] = (f_(row) - f[row]) / step;
  }
}

void SparseNewton::gather(const Matrix& dfdy, double* values) const {
  for (Index j = 0; j < size(); ++j) {
    for (Index k = pattern_.begin[at(j)]; k < pattern_.begin[at(j + 1)]; ++k) {
      values[k] = dfdy(pattern_.rows[at(k)], j);
    }
  }
}

}  // namespace nsmb
