#include "nsmb/geometry/height_field.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

/// Return the cells of a row of `count` that overlap from `low` to `high`, in cells from its start.
std::pair<Index, Index> cells_between(double low, double high, Index count) {
  const double last = static_cast<double>(count - 1);
  // A cell that only touches the range is included.
  const double first = std::ceil(low) - 1.0;
  if (!(first <= last) || !(high >= 0.0)) return {0, -1};
  return {static_cast<Index>(std::max(first, 0.0)),
          static_cast<Index>(std::min(std::floor(high), last))};
}

}  // namespace

HeightFieldShape::HeightFieldShape(std::vector<double> heights, Index n_x, Index n_y, double dx,
                                   double dy, const Vector3& origin)
    : heights_(std::move(heights)), n_x_(n_x), n_y_(n_y), dx_(dx), dy_(dy), origin_(origin) {
  if (n_x < 2 || n_y < 2 || std::ssize(heights_) != n_x * n_y) {
    reject("heights", "two or more along each axis", shape_text(n_x, n_y));
  }
  check_positive("dx", dx);
  check_positive("dy", dy);
  if (!std::isfinite(dx * static_cast<double>(n_x)) ||
      !std::isfinite(dy * static_cast<double>(n_y))) {
    reject("spacing", "a grid of finite size", "an infinite size");
  }
  if (!origin.allFinite()) reject("origin", "finite numbers", "inf or NaN");
  for (Index v = 0; v < vertices(); ++v) {
    const double h = heights_[static_cast<std::size_t>(v)];
    if (!std::isfinite(h)) {
      reject("heights", "finite numbers",
             to_text(h) + " at [" + std::to_string(v / n_y) + ", " + std::to_string(v % n_y) + "]");
    }
    bounds_.add(vertex(v));
  }
  find_bends();
}

Vector3 HeightFieldShape::place(Index i, Index j) const {
  return origin_ + Vector3(static_cast<double>(i) * dx_, static_cast<double>(j) * dy_,
                           heights_[static_cast<std::size_t>(i * n_y_ + j)]);
}

Index HeightFieldShape::triangle_of(Index i, Index j, Index half) const {
  if (i < 0 || j < 0 || i >= n_x_ - 1 || j >= n_y_ - 1) return -1;
  return 2 * (i * (n_y_ - 1) + j) + half;
}

void HeightFieldShape::get(Index triangle, SurfaceTriangle& found) const {
  const Index cell = triangle / 2, i = cell / (n_y_ - 1), j = cell % (n_y_ - 1);
  const Index along_y = (n_x_ - 1) * n_y_, diagonals = along_y + n_x_ * (n_y_ - 1);
  const Index v = i * n_y_ + j;
  if (triangle % 2 == 0) {
    found.vertex = {v, v + n_y_, v + n_y_ + 1};
    found.edge = {v, along_y + (i + 1) * (n_y_ - 1) + j, diagonals + cell};
    found.neighbour = {triangle_of(i, j - 1, 1), triangle_of(i + 1, j, 1), triangle + 1};
  } else {
    found.vertex = {v, v + n_y_ + 1, v + 1};
    found.edge = {diagonals + cell, v + 1, along_y + i * (n_y_ - 1) + j};
    found.neighbour = {triangle - 1, triangle_of(i, j + 1, 0), triangle_of(i - 1, j, 0)};
  }
  for (std::size_t k = 0; k < 3; ++k) found.corner[k] = vertex(found.vertex[k]);
  found.normal = normal(triangle);
}

Vector3 HeightFieldShape::normal(Index triangle) const {
  const Index cell = triangle / 2, i = cell / (n_y_ - 1), j = cell % (n_y_ - 1);
  const auto h = [&](Index a, Index b) {
    return heights_[static_cast<std::size_t>((i + a) * n_y_ + j + b)];
  };
  // The slope along x is that of the triangle's edge along x; likewise along y.
  const bool first = triangle % 2 == 0;
  const double slope_x = (first ? h(1, 0) - h(0, 0) : h(1, 1) - h(0, 1)) / dx_;
  const double slope_y = (first ? h(1, 1) - h(1, 0) : h(0, 1) - h(0, 0)) / dy_;
  return Vector3(-slope_x, -slope_y, 1.0).normalized();
}

void HeightFieldShape::around(Index vertex, std::vector<Index>& found) const {
  const Index i = vertex / n_y_, j = vertex % n_y_;
  found.clear();
  for (const Index t :
       {triangle_of(i - 1, j - 1, 0), triangle_of(i - 1, j - 1, 1), triangle_of(i - 1, j, 0),
        triangle_of(i, j - 1, 1), triangle_of(i, j, 0), triangle_of(i, j, 1)}) {
    if (t >= 0) found.push_back(t);
  }
}

void HeightFieldShape::collect(const Bounds& box, std::vector<Index>& found) const {
  if (!box.overlaps(bounds_)) return;
  const Vector3 low = box.low - origin_, high = box.high - origin_;
  const auto [i_begin, i_end] = cells_between(low.x() / dx_, high.x() / dx_, n_x_ - 1);
  const auto [j_begin, j_end] = cells_between(low.y() / dy_, high.y() / dy_, n_y_ - 1);
  for (Index i = i_begin; i <= i_end; ++i) {
    for (Index j = j_begin; j <= j_end; ++j) {
      const auto h = [&](Index a, Index b) {
        return heights_[static_cast<std::size_t>((i + a) * n_y_ + j + b)];
      };
      const double h_0 = h(0, 0), h_2 = h(1, 1);
      for (Index half = 0; half < 2; ++half) {
        const double h_1 = half == 0 ? h(1, 0) : h(0, 1);
        if (std::max({h_0, h_1, h_2}) < low.z() || std::min({h_0, h_1, h_2}) > high.z()) continue;
        found.push_back(triangle_of(i, j, half));
      }
    }
  }
}

void HeightFieldShape::collect_below(const Vector3& up, double height,
                                     std::vector<Index>& found) const {
  for (Index v = 0; v < vertices(); ++v) {
    if (up.dot(vertex(v)) <= height) found.push_back(v);
  }
}

MassProperties HeightFieldShape::mass_properties(double) const {
  reject("shape", "a closed surface, which has a finite volume", "a height field");
}

Bounds HeightFieldShape::bounds(const Placement& pose) const {
  const Vector3 middle = pose.point(0.5 * (bounds_.low + bounds_.high));
  const Vector3 half = pose.A.cwiseAbs() * (0.5 * (bounds_.high - bounds_.low));
  return {middle - half, middle + half};
}

}  // namespace nsmb
