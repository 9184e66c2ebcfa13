// Closed meshes with distributed pressure: shared data, and the vertices of one instance.
//
// Beneath each triangle lies a cell of the layer: the prism between its vertices and the inner
// vertices. It is divided into three tetrahedra so that neighbours have the same diagonals. The
// depth is linear in each tetrahedron, zero on the surface, and continuous over the whole layer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "nsmb/geometry/box_pairs.hpp"
#include "nsmb/geometry/triangle_mesh.hpp"
#include "nsmb/geometry/triangle_pair.hpp"

namespace nsmb {

/// A closed mesh with its layer. Immutable; shared by all instances.
class ArealMesh {
 public:
  /// `depth`: thickness of the layer, m; zero for half of the volume over the area, which is a
  /// quarter of the thickness of a plate. The layer is thinner where the surface is bent too
  /// strongly for it. Throws std::invalid_argument with the location for a surface that is open or
  /// intersects itself.
  ArealMesh(std::shared_ptr<const TriangleMeshShape> shape, double depth);

  const TriangleTopology& topology() const { return shape_->topology(); }
  const std::vector<Vector3>& places() const { return shape_->places(); }
  double depth() const { return depth_; }
  /// Depths of the vertices, m.
  const std::vector<double>& depths() const { return depths_; }
  /// The tree for the original vertices, whose branching all instances share.
  const BoxTree3& tree() const { return tree_; }
  /// Largest distance of inner vertices from outer ones, m; longer mitres are cut off there.
  double reach() const { return reach_; }
  /// Distance from a surface within which bodies that are completely inside are searched for, m: a
  /// fraction of the size of triangles.
  double first_reach() const { return first_reach_; }
  /// A few roundings of coordinates, m.
  double touching() const { return tolerances::areal::kTouching * shape_->size(); }

 private:
  void check_closed() const;
  void check_intersections() const;
  void fit_layer();

  std::shared_ptr<const TriangleMeshShape> shape_;
  double depth_;
  std::vector<double> depths_;
  double reach_ = 0.0, first_reach_ = 0.0;
  BoxTree3 tree_;
};

/// A plane with its normal in canonical order, so that both cells at a face compute identical
/// values.
struct CellPlane {
  Vector3 normal = Vector3::Zero();
  double offset = 0.0;
  double margin = 0.0;  // upper bound of the values of points on it
  bool inner_positive = true;

  double value(const Vector3& p) const { return normal.dot(p) - offset; }
  /// Return true for a point inside. Each point is inside exactly one of two neighbours.
  bool is_inside(double value) const { return inner_positive ? value > 0.0 : !(value > 0.0); }
};

/// A tetrahedron. Plane i is opposite to corner i.
struct LayerTetrahedron {
  std::array<Vector3, 4> corner;
  std::array<CellPlane, 4> plane;
  Vector3 slope = Vector3::Zero();  // of the depth
  double offset = 0.0;

  double depth(const Vector3& p) const { return slope.dot(p) + offset; }
};

struct LayerCell {
  std::array<LayerTetrahedron, 3> parts;
  Bounds box;
  /// Adjacent cells, by the corner of the triangle, in the order of vertex numbers, that they are
  /// opposite to.
  TriangleTopology::Triangle beside{};
};

/// Neighbour across plane i of part m of a cell: another part, an adjacent cell, or nothing.
enum class LayerFace : char { Part, Beside0, Beside1, Beside2, Surface, Inside };
inline constexpr std::array<std::array<LayerFace, 4>, 3> kLayerFaces{
    {{LayerFace::Beside0, LayerFace::Beside1, LayerFace::Part, LayerFace::Surface},
     {LayerFace::Beside0, LayerFace::Part, LayerFace::Part, LayerFace::Beside2},
     {LayerFace::Inside, LayerFace::Part, LayerFace::Beside1, LayerFace::Beside2}}};

/// Vertices of one instance in its own frame, and derived data computed on demand. One per thread.
class ArealInstance {
 public:
  explicit ArealInstance(std::shared_ptr<const ArealMesh> mesh);

  const ArealMesh& mesh() const { return *mesh_; }
  const TriangleTopology& topology() const { return mesh_->topology(); }
  Index triangles() const { return static_cast<Index>(topology().triangles().size()); }

  /// Vertices to be written, followed by `update`, which refits the tree and discards derived data.
  /// Allocates nothing.
  std::vector<Vector3>& vertices() { return vertices_; }
  const std::vector<Vector3>& vertices() const { return vertices_; }
  void update();

  NumberedTriangle triangle(Index k) const;
  /// Return the outward unit normal.
  const Vector3& normal(Index k) const;
  const BoxTree3& tree() const { return tree_; }
  /// Return the cell, valid until the next call.
  const LayerCell& cell(Index k) const;

 private:
  const Vector3& inner(Index v) const;
  void fill(Index k, LayerCell& cell) const;

  std::shared_ptr<const ArealMesh> mesh_;
  std::vector<Vector3> vertices_;
  std::vector<Bounds> boxes_;
  BoxTree3 tree_;
  // Derived data is valid if its number is that of the last update.
  std::uint64_t update_ = 1;
  mutable std::vector<std::uint64_t> normal_known_, inner_known_;
  mutable std::vector<Vector3> normals_, inner_;
  mutable std::vector<std::int32_t> slot_;  // of each triangle among the cells; -1: none
  mutable std::vector<LayerCell> cells_;
  mutable std::vector<Index> filled_;  // triangles of the cells
};

}  // namespace nsmb
