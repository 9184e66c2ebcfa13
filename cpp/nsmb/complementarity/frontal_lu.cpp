#include "nsmb/complementarity/frontal_lu.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/dense_cholesky.hpp"

namespace nsmb::internal {
namespace {

using Front = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

Front part_of(double* entries, Index rows, Index cols, Index stride) {
  return {entries, rows, cols, Eigen::OuterStride<>(stride)};
}

constexpr Index kPanel = 24;  // columns eliminated one by one before the rest is updated together

/// Compute LU with exchanges of rows, L with unit diagonal; row i was exchanged with exchanges[i].
bool lu_in_place(Eigen::Ref<Matrix> K, Index* exchanges) {
  const Index m = K.rows();
  for (Index begin = 0; begin < m; begin += kPanel) {
    const Index end = std::min(begin + kPanel, m);
    for (Index j = begin; j < end; ++j) {
      Index row = j;
      K.col(j).tail(m - j).cwiseAbs().maxCoeff(&row);
      row += j;
      const double pivot = K(row, j);
      if (!(std::abs(pivot) > 0.0)) return false;
      exchanges[j] = row;
      if (row != j) K.row(row).swap(K.row(j));
      const Index below = m - j - 1;
      K.col(j).tail(below) /= pivot;
      for (Index k = j + 1; k < end; ++k) {
        if (K(j, k) != 0.0) K.col(k).tail(below) -= K(j, k) * K.col(j).tail(below);
      }
    }
    const Index size = end - begin;
    const Index right = m - end;
    if (right == 0) break;
    auto upper = K.block(begin, end, size, right);
    K.block(begin, begin, size, size).triangularView<Eigen::UnitLower>().solveInPlace(upper);
    K.block(end, end, right, right).noalias() -= K.block(end, begin, right, size) * upper;
  }
  return true;
}

}  // namespace

void FrontalLu::set_sizes(const std::vector<Index>& size) {
  const std::size_t n = order_.size();
  offset_.resize(n + 1);
  list_offset_.resize(n + 1);
  offset_[0] = list_offset_[0] = 0;
  for (std::size_t k = 0; k < n; ++k) {
    offset_[k + 1] = offset_[k] + size[at(order_[k])];
    list_offset_[k + 1] = list_offset_[k] + size[k];
  }
  rows_ = offset_[n];
  local_.resize(n);
  exchanges_.resize(at(rows_));
  factor_.resize(supernodes_.size() + 1);
  update_.resize(supernodes_.size());
  factor_[0] = 0;
  for (std::size_t s = 0; s < supernodes_.size(); ++s) {
    const Supernode& node = supernodes_[s];
    const Index pivots = offset(node.end) - offset(node.begin);
    Index rest = 0;
    for (Index k = node.row_begin; k < node.row_end; ++k) rest += node_size(row_nodes_[at(k)]);
    const Index columns = pivots * (pivots + rest);
    factor_[s + 1] = factor_[s] + at(columns + (symmetric_ ? 0 : pivots * rest));
  }
  factors_.resize(factor_.back());
}

/// Add the blocks of K that belong to pivots of the front, rows and columns.
void FrontalLu::assemble(const Supernode& s, const BlockMatrix& K, Index front_rows) {
  for (Index k = s.begin; k < s.end; ++k) {
    const Index list = order_[at(k)];
    const Index own = node_size(k);
    if (own == 0) continue;
    for (Index b = K.begin(list); b < K.end(list); ++b) {
      const Index other = place_[at(K.group(b))];
      if (other < k) continue;
      const Index size = node_size(other);
      // (other, k) is below the diagonal, (k, other) to its right.
      const double* lower = K.entries(mirror_[at(b)]);
      double* column = front_.data() + at(local_[at(other)] + front_rows * local_[at(k)]);
      for (Index j = 0; j < own; ++j) {
        for (Index i = 0; i < size; ++i) column[i + front_rows * j] += lower[i + size * j];
      }
      if (symmetric_ || other == k) continue;
      const double* upper = K.entries(b);
      double* row = front_.data() + at(local_[at(k)] + front_rows * local_[at(other)]);
      for (Index j = 0; j < size; ++j) {
        for (Index i = 0; i < own; ++i) row[i + front_rows * j] += upper[i + own * j];
      }
    }
  }
}

void FrontalLu::add_update(const Supernode& child, Index front_rows) {
  const double* update =
      stack_.data() + update_[static_cast<std::size_t>(&child - supernodes_.data())];
  Index rows = 0;
  for (Index k = child.row_begin; k < child.row_end; ++k) rows += node_size(row_nodes_[at(k)]);
  Index column = 0;
  for (Index c = child.row_begin; c < child.row_end; ++c) {
    const Index column_node = row_nodes_[at(c)];
    for (Index j = 0; j < node_size(column_node); ++j, ++column) {
      const double* from = update + rows * column;
      double* to = front_.data() + at(front_rows * (local_[at(column_node)] + j));
      Index row = 0;
      // For a symmetric matrix only the lower half: rows of the same node or of later ones.
      Index r = child.row_begin;
      if (symmetric_) {
        r = c;
        row = column - j;
      }
      for (; r < child.row_end; ++r) {
        const Index row_node = row_nodes_[at(r)];
        const Index size = node_size(row_node);
        double* target = to + local_[at(row_node)];
        for (Index i = 0; i < size; ++i) target[i] += from[row + i];
        row += size;
      }
    }
  }
}

bool FrontalLu::eliminate(const Supernode& s, std::size_t k, Index pivots, Index rest,
                          bool symmetric) {
  const Index rows = pivots + rest;
  double* columns = factors_.data() + factor_[k];
  Front front = part_of(front_.data(), rows, rows, rows);
  auto F11 = front.topLeftCorner(pivots, pivots);
  auto F21 = front.bottomLeftCorner(rest, pivots);
  auto F22 = front.bottomRightCorner(rest, rest);
  if (symmetric) {
    if (!cholesky_in_place(F11)) return false;
    F11.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(F21);
    if (rest > 0) F22.selfadjointView<Eigen::Lower>().rankUpdate(F21, -1.0);
  } else {
    auto F12 = front.topRightCorner(pivots, rest);
    Index* exchanges = exchanges_.data() + at(offset(s.begin));
    if (!lu_in_place(F11, exchanges)) return false;
    for (Index i = 0; i < pivots; ++i) {
      if (exchanges[i] != i) F12.row(i).swap(F12.row(exchanges[i]));
    }
    F11.triangularView<Eigen::UnitLower>().solveInPlace(F12);
    F11.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(F21);
    if (rest > 0) F22.noalias() -= F21 * F12;
    Front(columns + pivots * rows, pivots, rest, Eigen::OuterStride<>(pivots)) = F12;
  }
  Front(columns, rows, pivots, Eigen::OuterStride<>(rows)) = front.leftCols(pivots);
  return true;
}

bool FrontalLu::factorize(const BlockMatrix& K, const std::vector<Index>& size, bool symmetric) {
  symmetric_ = symmetric;
  set_sizes(size);
  std::size_t top = 0;
  for (std::size_t k = 0; k < supernodes_.size(); ++k) {
    const Supernode& s = supernodes_[k];
    const Index pivots = offset(s.end) - offset(s.begin);
    Index rows = 0;
    for (Index node = s.begin; node < s.end; ++node) {
      local_[at(node)] = rows;
      rows += node_size(node);
    }
    for (Index r = s.row_begin; r < s.row_end; ++r) {
      local_[at(row_nodes_[at(r)])] = rows;
      rows += node_size(row_nodes_[at(r)]);
    }
    const Index rest = rows - pivots;
    if (front_.size() < at(rows * rows)) front_.resize(at(rows * rows));
    std::fill_n(front_.begin(), rows * rows, 0.0);
    assemble(s, K, rows);
    for (Index c = children_first_[k + 1]; c-- > children_first_[k];) {
      const Supernode& child = supernodes_[at(children_[at(c)])];
      add_update(child, rows);
      top = update_[at(children_[at(c)])];
    }
    if (pivots > 0 && !eliminate(s, k, pivots, rest, symmetric)) return false;
    update_[k] = top;
    if (stack_.size() < top + at(rest * rest)) stack_.resize(top + at(rest * rest));
    Front(stack_.data() + top, rest, rest, Eigen::OuterStride<>(rest)) =
        part_of(front_.data(), rows, rows, rows).bottomRightCorner(rest, rest);
    top += at(rest * rest);
  }
  return true;
}

void FrontalLu::solve(Vector& x) {
  work_.resize(rows_);
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Index list = order_[k];
    for (Index i = 0; i < node_size(static_cast<Index>(k)); ++i) {
      work_[offset_[k] + i] = x[list_offset_[at(list)] + i];
    }
  }
  const auto gather = [&](const Supernode& s) {
    Index row = 0;
    for (Index r = s.row_begin; r < s.row_end; ++r) {
      const Index node = row_nodes_[at(r)];
      for (Index i = 0; i < node_size(node); ++i) part_[row++] = work_[offset(node) + i];
    }
  };
  const auto rest_of = [&](const Supernode& s) {
    Index rest = 0;
    for (Index r = s.row_begin; r < s.row_end; ++r) rest += node_size(row_nodes_[at(r)]);
    return rest;
  };
  for (std::size_t k = 0; k < supernodes_.size(); ++k) {
    const Supernode& s = supernodes_[k];
    const Index pivots = offset(s.end) - offset(s.begin);
    if (pivots == 0) continue;
    const Index rest = rest_of(s);
    const Front columns =
        part_of(factors_.data() + factor_[k], pivots + rest, pivots, pivots + rest);
    auto own = work_.segment(offset(s.begin), pivots);
    if (symmetric_) {
      columns.topRows(pivots).triangularView<Eigen::Lower>().solveInPlace(own);
    } else {
      const Index* exchanges = exchanges_.data() + at(offset(s.begin));
      for (Index i = 0; i < pivots; ++i) std::swap(own[i], own[exchanges[i]]);
      columns.topRows(pivots).triangularView<Eigen::UnitLower>().solveInPlace(own);
    }
    if (rest == 0) continue;
    part_.resize(rest);
    part_.noalias() = columns.bottomRows(rest) * own;
    Index row = 0;
    for (Index r = s.row_begin; r < s.row_end; ++r) {
      const Index node = row_nodes_[at(r)];
      for (Index i = 0; i < node_size(node); ++i) work_[offset(node) + i] -= part_[row++];
    }
  }
  for (std::size_t k = supernodes_.size(); k-- > 0;) {
    const Supernode& s = supernodes_[k];
    const Index pivots = offset(s.end) - offset(s.begin);
    if (pivots == 0) continue;
    const Index rest = rest_of(s);
    double* entries = factors_.data() + factor_[k];
    const Front columns = part_of(entries, pivots + rest, pivots, pivots + rest);
    auto own = work_.segment(offset(s.begin), pivots);
    part_.resize(rest);
    gather(s);
    if (symmetric_) {
      if (rest > 0) own.noalias() -= columns.bottomRows(rest).transpose() * part_;
      columns.topRows(pivots).transpose().triangularView<Eigen::Upper>().solveInPlace(own);
    } else {
      const double* beside = entries + pivots * (pivots + rest);
      if (rest > 0) own.noalias() -= Eigen::Map<const Matrix>(beside, pivots, rest) * part_;
      columns.topRows(pivots).triangularView<Eigen::Upper>().solveInPlace(own);
    }
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Index list = order_[k];
    for (Index i = 0; i < node_size(static_cast<Index>(k)); ++i) {
      x[list_offset_[at(list)] + i] = work_[offset_[k] + i];
    }
  }
}

}  // namespace nsmb::internal
