// Triangle surfaces, closed or open: their neighbourhoods, and the edges that can be touched.
//
// The body is behind the surface, on the side from which its triangles run clockwise. Features:
// triangles, then edges, then vertices.
#pragma once

#include <array>
#include <vector>

#include "nsmb/geometry/shape.hpp"

namespace nsmb {

/// One triangle with its surroundings. Edge i leads from corner i to the next one.
struct SurfaceTriangle {
  std::array<Index, 3> vertex{}, edge{};
  std::array<Index, 3> neighbour{};  // triangles; -1: an open edge
  std::array<Vector3, 3> corner;
  Vector3 normal = Vector3::UnitZ();
};

/// Bend of a surface along an edge.
enum class Bend : signed char { Flat, Convex, Concave, Open };

class TriangleSurface : public Shape {
 public:
  virtual Index triangles() const = 0;
  virtual Index edges() const = 0;
  virtual Index vertices() const = 0;
  virtual void get(Index triangle, SurfaceTriangle& found) const = 0;
  virtual Vector3 normal(Index triangle) const = 0;
  virtual Vector3 vertex(Index v) const = 0;
  /// Write the triangles that share a vertex to `found`.
  virtual void around(Index vertex, std::vector<Index>& found) const = 0;
  /// Collect the triangles whose boxes overlap `box`, always in the same order.
  virtual void collect(const Bounds& box, std::vector<Index>& found) const = 0;
  /// Append the vertices with up · x <= height.
  virtual void collect_below(const Vector3& up, double height, std::vector<Index>& found) const = 0;
  /// Return the penetration in another surface up to which contacts are found, m; infinite for open
  /// surfaces.
  virtual double depth() const = 0;

  Bend bend(Index edge) const { return bends_[static_cast<std::size_t>(edge)]; }
  /// Return 3 k + i: edge i of triangle k, the first one that has it.
  Index side_of(Index edge) const { return sides_[static_cast<std::size_t>(edge)]; }
  /// Return true if some of the edges at this vertex are convex or open.
  bool stands_out(Index vertex) const { return stands_out_[static_cast<std::size_t>(vertex)]; }

  Index edge_feature(Index edge) const { return triangles() + edge; }
  Index vertex_feature(Index vertex) const { return triangles() + edges() + vertex; }
  Index features() const override { return triangles() + edges() + vertices(); }

 protected:
  /// Compute the bends. Call when the triangles are known, and again when they have moved.
  void find_bends();

 private:
  std::vector<Bend> bends_;
  std::vector<Index> sides_;
  std::vector<char> stands_out_;
};

}  // namespace nsmb
