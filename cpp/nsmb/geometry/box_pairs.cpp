#include "nsmb/geometry/box_pairs.hpp"

#include <array>

namespace nsmb {

namespace {

std::array<std::size_t, 2> children(const BoxTree3& tree, std::size_t i) {
  return {i + 1, tree.second_child(i)};
}

}  // namespace

double distance_of_boxes(const BoxTree3& a, const BoxTree3& b, const Placement& second,
                         NodePairs& stack) {
  double least = kInfinity;
  if (a.empty() || b.empty()) return least;
  const BoxesInFrames frames(second, 0.0);
  const auto apart = [&](const std::pair<std::size_t, std::size_t>& pair) {
    return frames.apart(a.node_box(pair.first), b.node_box(pair.second));
  };
  // The nearer of two pairs is visited first.
  const auto push = [&](const std::pair<std::size_t, std::size_t>& p,
                        const std::pair<std::size_t, std::size_t>& q) {
    const bool p_is_nearer = apart(p) < apart(q);
    stack.push_back(p_is_nearer ? q : p);
    stack.push_back(p_is_nearer ? p : q);
  };
  stack.clear();
  stack.emplace_back(0, 0);
  while (!stack.empty() && least > 0.0) {
    const auto [i, k] = stack.back();
    stack.pop_back();
    if (!(apart({i, k}) < least)) continue;
    const bool a_ends = a.is_leaf(i), b_ends = b.is_leaf(k);
    if (a_ends && b_ends) {
      for (std::size_t m = a.begin(i); m < a.end(i); ++m) {
        for (std::size_t n = b.begin(k); n < b.end(k); ++n) {
          least = std::min(least, frames.apart(a.item_box(m), b.item_box(n)));
        }
      }
      continue;
    }
    // The larger box is subdivided.
    const Vector3 size_a = a.node_box(i).high - a.node_box(i).low;
    const Vector3 size_b = b.node_box(k).high - b.node_box(k).low;
    if (b_ends || (!a_ends && size_a.squaredNorm() > size_b.squaredNorm())) {
      const auto own = children(a, i);
      push({own[0], k}, {own[1], k});
    } else {
      const auto own = children(b, k);
      push({i, own[0]}, {i, own[1]});
    }
  }
  return least;
}

}  // namespace nsmb
