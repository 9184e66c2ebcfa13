// Shared edges and vertices of the triangles of a mesh, independent of positions.
#pragma once

#include <array>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// The topology of a mesh. Immutable; shared by all surfaces with the same connectivity.
class TriangleTopology {
 public:
  using Triangle = std::array<Index, 3>;

  /// Vertices of each triangle, counter-clockwise seen from outside. Throws std::invalid_argument
  /// for numbers out of range, a repeated vertex or triangle, an edge of more than two triangles,
  /// and neighbours that run in opposite senses.
  TriangleTopology(Index vertices, std::vector<Triangle> triangles);

  Index vertices() const { return vertices_; }
  Index edges() const { return edges_; }
  Index open_edges() const { return open_edges_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }
  /// Neighbours of each triangle, by edge: edge i leads from vertex i to the next one. -1: an open
  /// edge.
  const std::vector<Triangle>& neighbours() const { return neighbours_; }
  const std::vector<Triangle>& edge_numbers() const { return edge_numbers_; }
  /// Triangles around vertex v, ascending: around()[around_begin()[v]] up to the entry before
  /// that of v + 1.
  const std::vector<Index>& around() const { return around_; }
  const std::vector<Index>& around_begin() const { return around_begin_; }

 private:
  void check_triangles() const;
  void join_edges();
  void list_around();

  Index vertices_, edges_ = 0, open_edges_ = 0;
  std::vector<Triangle> triangles_, neighbours_, edge_numbers_;
  std::vector<Index> around_, around_begin_;
};

}  // namespace nsmb
