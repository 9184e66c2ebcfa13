#include "nsmb/complementarity/friction_mass.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb::internal {
namespace {

Index root_of(std::vector<Index>& parent, Index i) {
  while (parent[at(i)] != i) {
    parent[at(i)] = parent[at(parent[at(i)])];
    i = parent[at(i)];
  }
  return i;
}

[[noreturn]] void reject_mass(Index row) {
  reject("M", "a positive definite matrix",
         "a matrix that is not positive definite at row " + std::to_string(row));
}

}  // namespace

void MassMatrix::find_nodes(const SparseMatrix& M, const std::vector<std::uint64_t>& alike) {
  const Index n = M.rows();
  std::vector<Index>& parent = parent_;
  parent.resize(at(n));
  std::iota(parent.begin(), parent.end(), Index{0});
  for (Index j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(M, j); it; ++it) {
      if (it.value() == 0.0) continue;
      const Index a = root_of(parent, it.row());
      const Index b = root_of(parent, j);
      if (a != b) parent[at(std::max(a, b))] = std::min(a, b);
    }
  }
  std::vector<Index>& rows = next_;  // of the node of each root
  rows.assign(at(n), 0);
  for (Index i = 0; i < n; ++i) ++rows[at(root_of(parent, i))];
  for (Index i = 0; i + 1 < n; ++i) {
    if (alike[at(i)] == 0 || alike[at(i)] != alike[at(i) + 1]) continue;
    const Index a = root_of(parent, i);
    const Index b = root_of(parent, i + 1);
    if (a == b || rows[at(a)] + rows[at(b)] > kBodyRows) continue;
    parent[at(std::max(a, b))] = std::min(a, b);
    rows[at(std::min(a, b))] += rows[at(std::max(a, b))];
  }
  // Nodes in the order of their first rows.
  node_.assign(at(n), -1);
  std::vector<Index>& size = size_;
  size.clear();
  for (Index i = 0; i < n; ++i) {
    const Index root = root_of(parent, i);
    if (root == i) {
      node_[at(i)] = static_cast<Index>(size.size());
      size.push_back(0);
    } else {
      node_[at(i)] = node_[at(root)];
    }
    ++size[at(node_[at(i)])];
  }
  first_.assign(size.size() + 1, 0);
  std::partial_sum(size.begin(), size.end(), first_.begin() + 1);
  place_.resize(at(n));
  next_.assign(first_.begin(), first_.end() - 1);
  for (Index i = 0; i < n; ++i) place_[at(i)] = next_[at(node_[at(i)])]++;
}

void MassMatrix::factorize_nodes(const SparseMatrix& M) {
  value_.resize(at(nodes()));
  std::size_t total = 0;
  for (Index k = 0; k < nodes(); ++k) {
    value_[at(k)] = total;
    const Index rows = size(k);
    total += at(rows * rows);
  }
  lower_.assign(total, 0.0);
  for (Index j = 0; j < M.cols(); ++j) {
    const Index k = node_[at(j)];
    const Index begin = first_[at(k)];
    const Index rows = size(k);
    for (SparseMatrix::InnerIterator it(M, j); it; ++it) {
      if (it.value() == 0.0) continue;
      const Index entry = place_[at(it.row())] - begin + rows * (place_[at(j)] - begin);
      lower_[value_[at(k)] + at(entry)] += it.value();
    }
  }
  for (Index k = 0; k < nodes(); ++k) {
    const Index rows = size(k);
    double* L = lower_.data() + value_[at(k)];
    for (Index j = 0; j < rows; ++j) {
      for (Index i = j; i < rows; ++i) {
        double sum = L[i + rows * j];
        for (Index q = 0; q < j; ++q) sum -= L[i + rows * q] * L[j + rows * q];
        if (i == j && !(sum > 0.0)) reject_mass(first_[at(k)] + j);
        L[i + rows * j] = i == j ? std::sqrt(sum) : sum / L[j + rows * j];
      }
    }
  }
}

void MassMatrix::assign(const SparseMatrix& M, const std::vector<std::uint64_t>& alike) {
  sparse_.reset();
  find_nodes(M, alike);
  Index largest = 0;
  for (Index k = 0; k < nodes(); ++k) largest = std::max(largest, size(k));
  if (largest <= kLargestNode) {
    factorize_nodes(M);
    permuted_.resize(M.rows());
    return;
  }
  sparse_ = std::make_unique<Eigen::SimplicialLLT<SparseMatrix>>(M);
  if (sparse_->info() != Eigen::Success) reject_mass(0);
}

void MassMatrix::solve_lower(Index node, double* z) const {
  const Index rows = size(node);
  const double* L = lower_.data() + value_[at(node)];
  for (Index i = 0; i < rows; ++i) {
    for (Index q = 0; q < i; ++q) z[i] -= L[i + rows * q] * z[q];
    z[i] /= L[i + rows * i];
  }
}

void MassMatrix::solve_upper(Index node, double* z) const {
  const Index rows = size(node);
  const double* L = lower_.data() + value_[at(node)];
  for (Index i = rows - 1; i >= 0; --i) {
    for (Index q = i + 1; q < rows; ++q) z[i] -= L[q + rows * i] * z[q];
    z[i] /= L[i + rows * i];
  }
}

void MassMatrix::solve(Vector& z) const {
  if (sparse_) {
    z = sparse_->solve(z).eval();
    return;
  }
  for (Index i = 0; i < rows(); ++i) permuted_[place_[at(i)]] = z[i];
  for (Index k = 0; k < nodes(); ++k) {
    solve_lower(k, permuted_.data() + first_[at(k)]);
    solve_upper(k, permuted_.data() + first_[at(k)]);
  }
  for (Index i = 0; i < rows(); ++i) z[i] = permuted_[place_[at(i)]];
}

}  // namespace nsmb::internal
