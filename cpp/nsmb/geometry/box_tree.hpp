// Bounding boxes in a binary tree, built once in the frame of the body; oriented boxes in motion.
// If items move in that frame, the tree is kept and its boxes are refitted.
//
// Items are ordered along the contour, and each level halves them. Two boxes are separated when one
// of their four axes separates them (separating-axis theorem in the plane).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

struct Box {
  Eigen::Vector2d center = Eigen::Vector2d::Zero();
  Eigen::Vector2d half = Eigen::Vector2d::Zero();
};

Box box_around(const Eigen::Vector2d& a, const Eigen::Vector2d& b);
Box join(const Box& a, const Box& b);

class BoxTree {
 public:
  struct Node {
    Box box;
    Index begin = 0, end = 0;  // items
    Index right = -1;          // the left child is the next node; -1: a leaf
  };

  BoxTree() = default;
  explicit BoxTree(const std::vector<Box>& items);
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Refit the boxes of the same items.
  void refit(const std::vector<Box>& items);

 private:
  void build(const std::vector<Box>& items, Index begin, Index end);
  void fit_leaf(const std::vector<Box>& items, Node& leaf);
  std::vector<Node> nodes_;
};

/// Pose of frame 2 in frame 1.
struct RelativePose {
  Eigen::Matrix2d A;
  Eigen::Vector2d r;
};

/// Return false when an axis shows that the boxes are more than `reach` apart.
bool boxes_near(const Box& a, const Box& b, const RelativePose& pose, double reach);

/// Scratch and counters of one search.
struct TreeSearch {
  std::vector<std::pair<Index, Index>> stack;
  Index box_tests = 0;
};

/// Call `visit(i, j)` for each pair of items of leaves that are near. Allocates nothing once the
/// stack has grown to twice the depth.
template <class Visit>
void visit_near(const BoxTree& a, const BoxTree& b, const RelativePose& pose, double reach,
                TreeSearch& search, const Visit& visit) {
  search.stack.clear();
  search.box_tests = 0;
  if (a.nodes().empty() || b.nodes().empty()) return;
  search.stack.emplace_back(0, 0);
  while (!search.stack.empty()) {
    const auto [i, j] = search.stack.back();
    search.stack.pop_back();
    const BoxTree::Node& p = a.nodes()[static_cast<std::size_t>(i)];
    const BoxTree::Node& q = b.nodes()[static_cast<std::size_t>(j)];
    ++search.box_tests;
    if (!boxes_near(p.box, q.box, pose, reach)) continue;
    if (p.right < 0 && q.right < 0) {
      for (Index k = p.begin; k < p.end; ++k) {
        for (Index l = q.begin; l < q.end; ++l) visit(k, l);
      }
    } else if (q.right < 0 || (p.right >= 0 && p.box.half.sum() >= q.box.half.sum())) {
      search.stack.emplace_back(p.right, j);
      search.stack.emplace_back(i + 1, j);
    } else {
      search.stack.emplace_back(i, q.right);
      search.stack.emplace_back(i, j + 1);
    }
  }
}

}  // namespace nsmb
