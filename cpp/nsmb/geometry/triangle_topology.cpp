#include "nsmb/geometry/triangle_topology.hpp"

#include <algorithm>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

/// One side of an edge.
struct EdgeSide {
  Index low, high;  // vertices
  Index triangle;
  std::size_t place;  // index of its edge
};

std::string text_of(const TriangleTopology::Triangle& t) {
  std::string text;
  for (const Index vertex : t)
    text.append(text.empty() ? "(" : ", ").append(std::to_string(vertex));
  return text.append(")");
}

std::string edge_text(const EdgeSide& side) {
  return "vertices " + std::to_string(side.low) + ", " + std::to_string(side.high);
}

}  // namespace

TriangleTopology::TriangleTopology(Index vertices, std::vector<Triangle> triangles)
    : vertices_(vertices), triangles_(std::move(triangles)) {
  check_triangles();
  join_edges();
  list_around();
}

void TriangleTopology::check_triangles() const {
  if (triangles_.empty()) reject("triangles", "at least one", "none");
  std::vector<std::pair<Triangle, std::size_t>> sorted;
  sorted.reserve(triangles_.size());
  for (std::size_t k = 0; k < triangles_.size(); ++k) {
    const Triangle& t = triangles_[k];
    for (const Index v : t) {
      if (v < 0 || v >= vertices_) {
        reject("triangles", "vertices 0 ... " + std::to_string(vertices_ - 1),
               std::to_string(v) + " in triangle " + std::to_string(k));
      }
    }
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
      reject("triangles", "three different vertices each",
             text_of(t) + " as triangle " + std::to_string(k));
    }
    Triangle ordered = t;
    std::sort(ordered.begin(), ordered.end());
    sorted.emplace_back(ordered, k);
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first) continue;
    reject("triangles", "each triangle once",
           "triangles " + std::to_string(sorted[i - 1].second) + " and " +
               std::to_string(sorted[i].second) + " with the same vertices " +
               text_of(sorted[i].first));
  }
}

void TriangleTopology::join_edges() {
  std::vector<EdgeSide> sides;
  sides.reserve(3 * triangles_.size());
  for (std::size_t k = 0; k < triangles_.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Index a = triangles_[k][i], b = triangles_[k][(i + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<Index>(k), i});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const EdgeSide& x, const EdgeSide& y) {
    return std::tie(x.low, x.high, x.triangle) < std::tie(y.low, y.high, y.triangle);
  });
  const auto is_same = [&](std::size_t i, std::size_t k) {
    return k < sides.size() && sides[i].low == sides[k].low && sides[i].high == sides[k].high;
  };
  neighbours_.assign(triangles_.size(), {-1, -1, -1});
  edge_numbers_.assign(triangles_.size(), {-1, -1, -1});
  for (std::size_t i = 0; i < sides.size(); ++edges_) {
    const EdgeSide& a = sides[i];
    edge_numbers_[at(a.triangle)][a.place] = edges_;
    if (!is_same(i, i + 1)) {
      ++open_edges_;
      ++i;
      continue;
    }
    const EdgeSide& b = sides[i + 1];
    if (is_same(i, i + 2)) {
      reject("triangles", "edges of one or two triangles",
             "the edge of " + edge_text(a) + " in triangles " + std::to_string(a.triangle) + ", " +
                 std::to_string(b.triangle) + " and " + std::to_string(sides[i + 2].triangle));
    }
    if (triangles_[at(a.triangle)][a.place] == triangles_[at(b.triangle)][b.place]) {
      reject("triangles",
             "neighbours with the same orientation, counter-clockwise seen from outside",
             "triangles " + std::to_string(a.triangle) + " and " + std::to_string(b.triangle) +
                 " with opposite orientations at the edge of " + edge_text(a));
    }
    edge_numbers_[at(b.triangle)][b.place] = edges_;
    neighbours_[at(a.triangle)][a.place] = b.triangle;
    neighbours_[at(b.triangle)][b.place] = a.triangle;
    i += 2;
  }
}

void TriangleTopology::list_around() {
  around_begin_.assign(at(vertices_ + 1), 0);
  for (const Triangle& t : triangles_) {
    for (const Index v : t) ++around_begin_[at(v + 1)];
  }
  for (std::size_t v = 0; v < at(vertices_); ++v) around_begin_[v + 1] += around_begin_[v];
  around_.resize(3 * triangles_.size());
  std::vector<Index> next(around_begin_.begin(), around_begin_.end() - 1);
  for (std::size_t k = 0; k < triangles_.size(); ++k) {
    for (const Index v : triangles_[k]) around_[at(next[at(v)]++)] = static_cast<Index>(k);
  }
}

}  // namespace nsmb
