#include "nsmb/geometry/box_tree.hpp"

#include <cmath>

namespace nsmb {

namespace {
constexpr Index kLeafSize = 2;
}

Box box_around(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return {0.5 * (a + b), 0.5 * (b - a).cwiseAbs()};
}

Box join(const Box& a, const Box& b) {
  const Eigen::Vector2d low = (a.center - a.half).cwiseMin(b.center - b.half);
  const Eigen::Vector2d high = (a.center + a.half).cwiseMax(b.center + b.half);
  return box_around(low, high);
}

BoxTree::BoxTree(const std::vector<Box>& items) {
  if (items.empty()) return;
  nodes_.reserve(2 * items.size());
  build(items, 0, static_cast<Index>(items.size()));
}

void BoxTree::build(const std::vector<Box>& items, Index begin, Index end) {
  const std::size_t here = nodes_.size();
  nodes_.emplace_back();
  nodes_[here].begin = begin;
  nodes_[here].end = end;
  if (end - begin <= kLeafSize) {
    fit_leaf(items, nodes_[here]);
    return;
  }
  const Index middle = begin + (end - begin) / 2;
  build(items, begin, middle);
  const std::size_t right = nodes_.size();
  build(items, middle, end);
  nodes_[here].right = static_cast<Index>(right);
  nodes_[here].box = join(nodes_[here + 1].box, nodes_[right].box);
}

void BoxTree::fit_leaf(const std::vector<Box>& items, Node& leaf) {
  leaf.box = items[static_cast<std::size_t>(leaf.begin)];
  for (Index i = leaf.begin + 1; i < leaf.end; ++i) {
    leaf.box = join(leaf.box, items[static_cast<std::size_t>(i)]);
  }
}

// Children are stored after their parents.
void BoxTree::refit(const std::vector<Box>& items) {
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    Node& node = nodes_[k];
    if (node.right < 0) {
      fit_leaf(items, node);
    } else {
      node.box = join(nodes_[k + 1].box, nodes_[static_cast<std::size_t>(node.right)].box);
    }
  }
}

bool boxes_near(const Box& a, const Box& b, const RelativePose& pose, double reach) {
  const Eigen::Vector2d d = pose.A * b.center + pose.r - a.center;
  const Eigen::Matrix2d R = pose.A.cwiseAbs();
  const Eigen::Vector2d limit_a = a.half + R * b.half;
  if (std::abs(d.x()) > limit_a.x() + reach || std::abs(d.y()) > limit_a.y() + reach) return false;
  const Eigen::Vector2d e = pose.A.transpose() * d;
  const Eigen::Vector2d limit_b = b.half + R.transpose() * a.half;
  return std::abs(e.x()) <= limit_b.x() + reach && std::abs(e.y()) <= limit_b.y() + reach;
}

}  // namespace nsmb
