// Terrain given by heights over a grid, two triangles in each cell.
//
// Vertex (i, j) is at x = i dx, y = j dy, in the frame of the shape, displaced by the origin. The
// diagonal of a cell joins this vertex and vertex (i + 1, j + 1). The triangles are 2k, on the +x
// side of it, and 2k + 1, on the +y side, with k = i (n_y - 1) + j.
#pragma once

#include <vector>

#include "nsmb/geometry/triangle_surface.hpp"

namespace nsmb {

class HeightFieldShape : public TriangleSurface {
 public:
  /// `heights` (n_x n_y) in m, of vertex (i, j) at i n_y + j. Throws std::invalid_argument for
  /// fewer than two along an axis, for numbers that are not finite, and spacings that are not
  /// positive.
  HeightFieldShape(std::vector<double> heights, Index n_x, Index n_y, double dx, double dy,
                   const Vector3& origin);

  ShapeKind kind() const override { return ShapeKind::HeightField; }
  Bounds bounds(const Placement& pose) const override;
  double volume() const override { return 0.0; }
  MassProperties mass_properties(double density) const override;
  double size() const override { return (bounds_.high - bounds_.low).maxCoeff(); }

  Index triangles() const override { return 2 * (n_x_ - 1) * (n_y_ - 1); }
  Index edges() const override {
    return (n_x_ - 1) * n_y_ + n_x_ * (n_y_ - 1) + (n_x_ - 1) * (n_y_ - 1);
  }
  Index vertices() const override { return n_x_ * n_y_; }
  void get(Index triangle, SurfaceTriangle& found) const override;
  Vector3 normal(Index triangle) const override;
  Vector3 vertex(Index v) const override { return place(v / n_y_, v % n_y_); }
  void around(Index vertex, std::vector<Index>& found) const override;
  void collect(const Bounds& box, std::vector<Index>& found) const override;
  void collect_below(const Vector3& up, double height, std::vector<Index>& found) const override;
  double depth() const override { return std::numeric_limits<double>::infinity(); }

 private:
  Vector3 place(Index i, Index j) const;
  /// Return the triangle of a cell, or -1 beyond the grid.
  Index triangle_of(Index i, Index j, Index half) const;

  std::vector<double> heights_;
  Index n_x_, n_y_;
  double dx_, dy_;
  Vector3 origin_;
  Bounds bounds_;
};

}  // namespace nsmb
