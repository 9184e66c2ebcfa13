#include "nsmb/geometry/triangle_pair.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

namespace nsmb {

namespace {

bool is_negative(double value) { return value < 0.0; }

/// Return on which side of the line the edge of corners i, i + 1 passes.
bool passes_left(const Vector3& from, const Vector3& along, const NumberedTriangle& t,
                 std::size_t i) {
  std::size_t k = (i + 1) % 3;
  const bool swapped = t.vertex[k] < t.vertex[i];
  if (swapped) std::swap(i, k);
  const double volume = along.cross(t.corner[i] - from).dot(t.corner[k] - from);
  return is_negative(volume) == swapped;
}

bool edges_pierce(const NumberedTriangle& a, const NumberedTriangle& b, double least) {
  std::array<double, 3> heights;
  for (std::size_t i = 0; i < 3; ++i) heights[i] = b.height(a.corner[i]);
  const auto is_shared = [&](std::size_t i) {
    return a.vertex[i] == b.vertex[0] || a.vertex[i] == b.vertex[1] || a.vertex[i] == b.vertex[2];
  };
  Piercing found;
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t from = i, to = (i + 1) % 3;
    if (is_shared(from) || is_shared(to)) continue;
    if (std::min(std::abs(heights[from]), std::abs(heights[to])) <= least) continue;
    if (a.vertex[to] < a.vertex[from]) std::swap(from, to);
    if (pierces(a.corner[from], a.corner[to], heights[from], heights[to], b, found)) return true;
  }
  return false;
}

}  // namespace

bool pierces(const Vector3& from, const Vector3& to, double height_from, double height_to,
             const NumberedTriangle& triangle, Piercing& found) {
  if (is_negative(height_from) == is_negative(height_to)) return false;
  const Vector3 along = to - from;
  const bool side = passes_left(from, along, triangle, 0);
  if (passes_left(from, along, triangle, 1) != side) return false;
  if (passes_left(from, along, triangle, 2) != side) return false;
  found.leaves = is_negative(height_from);
  found.share = height_from / (height_from - height_to);
  found.point = from + found.share * along;
  return true;
}

bool intersect(const NumberedTriangle& a, const NumberedTriangle& b, double least) {
  Index shared = 0;
  for (const Index v : a.vertex) {
    shared += v == b.vertex[0] || v == b.vertex[1] || v == b.vertex[2];
  }
  return shared < 2 && (edges_pierce(a, b, least) || edges_pierce(b, a, least));
}

}  // namespace nsmb
