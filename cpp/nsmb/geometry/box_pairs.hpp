// Two trees of boxes, one of them displaced and rotated: pairs of items that are near each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "nsmb/geometry/box_tree_3.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

/// Axis-aligned boxes in a second frame compared with those in a first one. Boxes count as
/// overlapping unless one of the six axes of both frames separates them by more than `margin` [m].
class BoxesInFrames {
 public:
  BoxesInFrames(const Placement& second, double margin)
      : pose_(second), span_(second.A.cwiseAbs()), margin_(margin) {}

  /// Return a lower bound of the distance, m, by the axis along which it is largest, or 0 if no
  /// axis separates the boxes.
  double apart(const Bounds& a, const Bounds& b) const {
    const Vector3 half_a = 0.5 * (a.high - a.low), half_b = 0.5 * (b.high - b.low);
    const Vector3 d = pose_.point(0.5 * (b.low + b.high)) - 0.5 * (a.low + a.high);
    double gap = 0.0;
    for (Index i = 0; i < 3; ++i) {
      const double along = std::abs(pose_.A.col(i).dot(d));
      gap = std::max({gap, std::abs(d(i)) - half_a(i) - span_.row(i).dot(half_b),
                      along - half_b(i) - span_.col(i).dot(half_a)});
    }
    return gap;
  }

  bool overlap(const Bounds& a, const Bounds& b) const {
    const Vector3 half_a = 0.5 * (a.high - a.low), half_b = 0.5 * (b.high - b.low);
    const Vector3 d = pose_.point(0.5 * (b.low + b.high)) - 0.5 * (a.low + a.high);
    for (Index i = 0; i < 3; ++i) {
      if (std::abs(d(i)) - half_a(i) - span_.row(i).dot(half_b) > margin_) return false;
    }
    for (Index i = 0; i < 3; ++i) {
      const double along = std::abs(pose_.A.col(i).dot(d));
      if (along - half_b(i) - span_.col(i).dot(half_a) > margin_) return false;
    }
    return true;
  }

 private:
  Placement pose_;
  Matrix3 span_;
  double margin_;
};

using NodePairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Call `visit(item of a, item of b)` for all items whose boxes are within `reach` [m], with the
/// pose `second` of frame b in a; always in the same order. Return the number of pairs of boxes
/// that were tested.
template <class Visit>
Index visit_pairs(const BoxTree3& a, const BoxTree3& b, const Placement& second, double reach,
                  NodePairs& stack, const Visit& visit) {
  if (a.empty() || b.empty()) return 0;
  // Margin for rounding: faces on the plane between two boxes are near both.
  const double size = (a.node_box(0).high - a.node_box(0).low).norm() +
                      (b.node_box(0).high - b.node_box(0).low).norm() + second.r.norm();
  const BoxesInFrames frames(second, reach + tolerances::areal::kBoxMargin * size);
  Index tests = 1;
  stack.clear();
  if (frames.overlap(a.node_box(0), b.node_box(0))) stack.emplace_back(0, 0);
  const auto push = [&](std::size_t i, std::size_t k) {
    ++tests;
    if (frames.overlap(a.node_box(i), b.node_box(k))) stack.emplace_back(i, k);
  };
  while (!stack.empty()) {
    const auto [i, k] = stack.back();
    stack.pop_back();
    if (a.is_leaf(i) && b.is_leaf(k)) {
      for (std::size_t m = a.begin(i); m < a.end(i); ++m) {
        for (std::size_t n = b.begin(k); n < b.end(k); ++n) {
          ++tests;
          if (frames.overlap(a.item_box(m), b.item_box(n))) visit(a.item(m), b.item(n));
        }
      }
    } else if (a.is_leaf(i)) {
      push(i, k + 1);
      push(i, b.second_child(k));
    } else if (b.is_leaf(k)) {
      push(i + 1, k);
      push(a.second_child(i), k);
    } else {
      for (const std::size_t own : {i + 1, a.second_child(i)}) {
        push(own, k + 1);
        push(own, b.second_child(k));
      }
    }
  }
  return tests;
}

/// Return a lower bound of the distance of all items of two trees, m, with the pose `second` of
/// frame b in a; 0 where boxes of items overlap, infinity if a tree is empty.
double distance_of_boxes(const BoxTree3& a, const BoxTree3& b, const Placement& second,
                         NodePairs& stack);

}  // namespace nsmb
