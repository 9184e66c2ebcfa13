// Axis-aligned boxes in a binary tree: search for items near a point or region.
//
// The branching of the tree is fixed once and shared by its copies; the boxes belong to each copy.
// When the items move, `refit` takes their new boxes and keeps the branching.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/geometry/placement.hpp"

namespace nsmb {

class BoxTree3 {
 public:
  BoxTree3() = default;
  /// Build the tree from one box for each item.
  explicit BoxTree3(const std::vector<Bounds>& items);

  /// Set new boxes of the same items. Allocates nothing. Throws std::invalid_argument for another
  /// number of items.
  void refit(const std::vector<Bounds>& items);

  bool empty() const { return boxes_.empty(); }
  const Bounds& bounds() const { return boxes_.front(); }  // of all items

  // For searches that descend two trees at once (box_pairs.hpp). Node 0 is the root; a leaf has the
  // items begin(i) ... end(i) - 1 in the order of the tree.
  bool is_leaf(std::size_t i) const { return begin(i) != end(i); }
  std::size_t begin(std::size_t i) const { return branching_->nodes[i].begin; }
  std::size_t end(std::size_t i) const { return branching_->nodes[i].end; }
  std::size_t second_child(std::size_t i) const { return branching_->nodes[i + 1].after; }
  const Bounds& node_box(std::size_t i) const { return boxes_[i]; }
  const Bounds& item_box(std::size_t k) const { return items_[k]; }
  Index item(std::size_t k) const { return branching_->order[k]; }

  /// Call `visit(item)` for each item whose box is near. If `near(box)` holds for a box, it must
  /// hold for every box around it. The order is always the same.
  template <class Near, class Visit>
  void visit(const Near& near, const Visit& visit) const {
    if (empty()) return;
    const std::vector<Node>& nodes = branching_->nodes;
    const std::vector<Index>& order = branching_->order;
    std::size_t i = 0;
    while (i < nodes.size()) {
      const Node& node = nodes[i];
      if (!near(boxes_[i])) {
        i = node.after;
        continue;
      }
      for (std::size_t k = node.begin; k < node.end; ++k) {
        if (near(items_[k])) visit(order[k]);
      }
      ++i;
    }
  }

 private:
  struct Node {
    std::size_t after = 0;           // the node that follows all descendants
    std::size_t begin = 0, end = 0;  // of its items in `order`; empty: inner node
  };
  struct Branching {
    std::vector<Node> nodes;  // each before its descendants
    std::vector<Index> order;
  };

  static void branch(const std::vector<Vector3>& centers, std::size_t begin, std::size_t end,
                     Branching& found);

  std::shared_ptr<const Branching> branching_;
  std::vector<Bounds> boxes_;  // of the nodes
  std::vector<Bounds> items_;  // in the order of the tree
};

}  // namespace nsmb
