// Order of elimination and supernodes of FrontalLu.
#include <Eigen/OrderingMethods>
#include <algorithm>
#include <numeric>

#include "nsmb/complementarity/frontal_lu.hpp"
#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

/// Return the parents in the elimination tree; `place` maps nodes to positions.
std::vector<Index> elimination_tree(const BlockMatrix& pattern, const std::vector<Index>& order,
                                    const std::vector<Index>& place) {
  const std::size_t n = order.size();
  std::vector<Index> parent(n, -1);
  std::vector<Index> ancestor(n, -1);
  for (std::size_t k = 0; k < n; ++k) {
    for (Index b = pattern.begin(order[k]); b < pattern.end(order[k]); ++b) {
      Index i = place[at(pattern.group(b))];
      while (i >= 0 && i < static_cast<Index>(k)) {
        const Index next = ancestor[at(i)];
        ancestor[at(i)] = static_cast<Index>(k);
        if (next < 0) parent[at(i)] = static_cast<Index>(k);
        i = next;
      }
    }
  }
  return parent;
}

/// Return positions in an order in which children precede their parents and subtrees are
/// contiguous.
std::vector<Index> postorder(const std::vector<Index>& parent) {
  const std::size_t n = parent.size();
  std::vector<Index> first(n, -1), next(n, -1), order, open;
  for (std::size_t k = n; k-- > 0;) {
    if (parent[k] < 0) continue;
    next[k] = first[at(parent[k])];
    first[at(parent[k])] = static_cast<Index>(k);
  }
  order.reserve(n);
  for (std::size_t root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    open.push_back(static_cast<Index>(root));
    while (!open.empty()) {
      const Index k = open.back();
      if (first[at(k)] >= 0) {
        open.push_back(first[at(k)]);
        first[at(k)] = next[at(first[at(k)])];
      } else {
        order.push_back(k);
        open.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

void FrontalLu::order(const BlockMatrix& pattern) {
  const Index n = pattern.lists();
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> graph(n, n);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(pattern.inner.size());
  for (Index i = 0; i < n; ++i) {
    for (Index b = pattern.begin(i); b < pattern.end(i); ++b) {
      entries.emplace_back(i, pattern.group(b), 1.0);
    }
  }
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(graph, permutation);
  order_.resize(at(n));
  for (Index k = 0; k < n; ++k) order_[at(k)] = permutation.indices()[k];
  place_.resize(at(n));
  const auto invert = [&] {
    for (Index k = 0; k < n; ++k) place_[at(order_[at(k)])] = k;
  };
  invert();
  const std::vector<Index> post = postorder(elimination_tree(pattern, order_, place_));
  std::vector<Index> ordered(at(n));
  for (Index k = 0; k < n; ++k) ordered[at(k)] = order_[at(post[at(k)])];
  order_.swap(ordered);
  invert();
}

void FrontalLu::find_structures(const BlockMatrix& pattern, std::vector<std::vector<Index>>& below,
                                std::vector<Index>& parent) const {
  const std::size_t n = order_.size();
  parent = elimination_tree(pattern, order_, place_);
  below.assign(n, {});
  std::vector<Index> seen(n, -1);
  std::vector<std::vector<Index>> children(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto own = static_cast<Index>(k);
    const auto add = [&](Index i) {
      if (i <= own || seen[at(i)] == own) return;
      seen[at(i)] = own;
      below[k].push_back(i);
    };
    for (Index b = pattern.begin(order_[k]); b < pattern.end(order_[k]); ++b) {
      add(place_[at(pattern.group(b))]);
    }
    for (const Index child : children[k]) {
      for (const Index i : below[at(child)]) add(i);
    }
    std::sort(below[k].begin(), below[k].end());
    if (parent[k] >= 0) children[at(parent[k])].push_back(own);
  }
}

/// Merge a node with the one before if that is its child and few zeros are stored.
void FrontalLu::merge(const std::vector<std::vector<Index>>& below,
                      const std::vector<Index>& parent, const std::vector<Index>& size) {
  const std::size_t n = order_.size();
  supernodes_.clear();
  row_nodes_.clear();
  const auto weight = [&](const std::vector<Index>& nodes) {
    Index sum = 0;
    for (const Index k : nodes) sum += size[at(order_[at(k)])];
    return sum;
  };
  Index zeros = 0;
  Index pivots = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Index own = size[at(order_[k])];
    bool joins = k > 0 && parent[k - 1] == static_cast<Index>(k);
    if (joins) {
      const Index rest = weight(below[k]);
      const Index before = weight(below[k - 1]);
      const Index added = (rest + own - before) * pivots;
      const Index all = (pivots + own) * (pivots + own + rest);
      const bool small = pivots + own <= tolerances::factorization_tuning::kSmallFront;
      const double share = small ? tolerances::factorization_tuning::kZerosOfSmallFronts
                                 : tolerances::factorization_tuning::kZerosOfFronts;
      joins = static_cast<double>(zeros + added) <= share * static_cast<double>(all);
      if (joins) zeros += added;
    }
    if (!joins) {
      supernodes_.push_back({static_cast<Index>(k), static_cast<Index>(k), 0, 0, -1});
      zeros = 0;
      pivots = 0;
    }
    supernodes_.back().end = static_cast<Index>(k) + 1;
    pivots += own;
  }
  std::vector<Index> supernode_of(n);
  for (std::size_t s = 0; s < supernodes_.size(); ++s) {
    Supernode& node = supernodes_[s];
    node.row_begin = static_cast<Index>(row_nodes_.size());
    const std::vector<Index>& rows = below[at(node.end - 1)];
    row_nodes_.insert(row_nodes_.end(), rows.begin(), rows.end());
    node.row_end = static_cast<Index>(row_nodes_.size());
    for (Index k = node.begin; k < node.end; ++k) supernode_of[at(k)] = static_cast<Index>(s);
  }
  children_first_.assign(supernodes_.size() + 1, 0);
  for (Supernode& node : supernodes_) {
    if (node.row_begin == node.row_end) continue;
    node.parent = supernode_of[at(row_nodes_[at(node.row_begin)])];
    ++children_first_[at(node.parent) + 1];
  }
  std::partial_sum(children_first_.begin(), children_first_.end(), children_first_.begin());
  children_.resize(at(children_first_.back()));
  std::vector<Index> next(children_first_.begin(), children_first_.end() - 1);
  for (std::size_t s = 0; s < supernodes_.size(); ++s) {
    const Index up = supernodes_[s].parent;
    if (up >= 0) children_[at(next[at(up)]++)] = static_cast<Index>(s);
  }
}

void FrontalLu::analyse(const BlockMatrix& pattern, const std::vector<Index>& size) {
  order(pattern);
  std::vector<std::vector<Index>> below;
  std::vector<Index> parent;
  find_structures(pattern, below, parent);
  merge(below, parent, size);
  set_sizes(size);
  expected_.entries = factor_.back();
  expected_.rows = rows_;
  expected_.work = 0.0;
  for (const Supernode& node : supernodes_) {
    const auto pivots = static_cast<double>(offset(node.end) - offset(node.begin));
    double rest = 0.0;
    for (Index k = node.row_begin; k < node.row_end; ++k) {
      rest += static_cast<double>(node_size(row_nodes_[at(k)]));
    }
    expected_.work += pivots * (pivots * pivots / 3.0 + pivots * rest + rest * rest);
  }
  mirror_.resize(pattern.inner.size());
  std::vector<Index> next(pattern.start.begin(), pattern.start.end() - 1);
  // Lists are visited in ascending order: the blocks (j, i) of all i come in the order of list j.
  for (Index i = 0; i < pattern.lists(); ++i) {
    for (Index b = pattern.begin(i); b < pattern.end(i); ++b) {
      mirror_[at(b)] = next[at(pattern.group(b))]++;
    }
  }
}

}  // namespace nsmb::internal
