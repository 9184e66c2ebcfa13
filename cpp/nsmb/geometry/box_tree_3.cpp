#include "nsmb/geometry/box_tree_3.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

constexpr std::size_t kLeaf = 4;  // items

}  // namespace

BoxTree3::BoxTree3(const std::vector<Bounds>& items) {
  auto branching = std::make_shared<Branching>();
  std::vector<Vector3> centers;
  centers.reserve(items.size());
  for (const Bounds& box : items) centers.push_back(0.5 * (box.low + box.high));
  branching->order.resize(items.size());
  std::iota(branching->order.begin(), branching->order.end(), Index{0});
  if (!items.empty()) branch(centers, 0, items.size(), *branching);
  boxes_.resize(branching->nodes.size());
  items_.resize(items.size());
  branching_ = std::move(branching);
  refit(items);
}

void BoxTree3::branch(const std::vector<Vector3>& centers, std::size_t begin, std::size_t end,
                      Branching& found) {
  const std::size_t own = found.nodes.size();
  found.nodes.push_back({0, begin, end});
  if (end - begin > kLeaf) {
    found.nodes[own].end = begin;
    Bounds box;
    for (std::size_t k = begin; k < end; ++k) {
      box.add(centers[static_cast<std::size_t>(found.order[k])]);
    }
    Index axis = 0;
    (box.high - box.low).maxCoeff(&axis);
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t k) {
      return found.order.begin() + static_cast<std::ptrdiff_t>(k);
    };
    std::nth_element(at(begin), at(middle), at(end), [&](Index a, Index b) {
      const double x = centers[static_cast<std::size_t>(a)](axis);
      const double y = centers[static_cast<std::size_t>(b)](axis);
      return x < y || (x == y && a < b);
    });
    branch(centers, begin, middle, found);
    branch(centers, middle, end, found);
  }
  found.nodes[own].after = found.nodes.size();
}

void BoxTree3::refit(const std::vector<Bounds>& items) {
  if (items.size() != items_.size()) {
    reject("items", std::to_string(items_.size()) + " boxes", std::to_string(items.size()));
  }
  if (items.empty()) return;
  const std::vector<Node>& nodes = branching_->nodes;
  for (std::size_t k = 0; k < items_.size(); ++k) {
    items_[k] = items[static_cast<std::size_t>(branching_->order[k])];
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    Bounds box;
    for (std::size_t k = node.begin; k < node.end; ++k) box.add(items_[k]);
    if (node.begin == node.end) {  // two halves: the next node, and the one after its descendants
      box.add(boxes_[i + 1]);
      box.add(boxes_[nodes[i + 1].after]);
    }
    boxes_[i] = box;
  }
}

}  // namespace nsmb
