// Closed meshes that press on others over an area: what is shared, and the places of one instance.
//
// Beneath each triangle lies a cell of the layer: the prism between its vertices and those moved
// inwards, parted into three tetrahedra so that neighbours have the same diagonals. The depth is
// linear in each tetrahedron, zero on the surface, and continuous over the whole layer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "nsmb/geometry/box_pairs.hpp"
#include "nsmb/geometry/triangle_mesh.hpp"
#include "nsmb/geometry/triangle_pair.hpp"

namespace nsmb {

/// Immutable; shared by all instances.
class ArealMesh {
 public:
  /// `depth`: m, of the layer; zero for half of the volume over the area, which is a quarter of the
  /// thickness of a plate. Where the surface is bent too much for it the layer is thinner. Throws
  /// std::invalid_argument for a surface that is open or intersects itself, with the place.
  ArealMesh(std::shared_ptr<const TriangleMeshShape> shape, double depth);

  const TriangleTopology& topology() const { return shape_->topology(); }
  const std::vector<Vector3>& places() const { return shape_->places(); }
  double depth() const { return depth_; }
  /// Of each vertex, m.
  const std::vector<double>& depths() const { return depths_; }
  /// The tree at the places of the description, whose branching all instances share.
  const BoxTree3& tree() const { return tree_; }
  /// m, how far inner vertices are from outer ones at most; longer mitres are cut there.
  double reach() const { return reach_; }
  /// m, a part of the size of triangles: within it of a surface is looked for what is all inside.
  double first_reach() const { return first_reach_; }
  /// m, some roundings of places.
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

/// A plane with its normal in canonical order, so that both cells at a face compute the same
/// number.
struct CellPlane {
  Vector3 normal = Vector3::Zero();
  double offset = 0.0;
  double margin = 0.0;  // values of points on it are less
  bool inner_positive = true;

  double value(const Vector3& p) const { return normal.dot(p) - offset; }
  /// Each point is inside of one of two neighbours alone.
  bool is_inside(double value) const { return inner_positive ? value > 0.0 : !(value > 0.0); }
};

/// Planes by the corner they are opposite to.
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
  /// Cells beside, by what corner of the triangle, in the order of numbers, they lie opposite to.
  TriangleTopology::Triangle beside{};
};

/// What is across plane i of part m of a cell: its other parts, the cells beside, or nothing.
enum class LayerFace : char { Part, Beside0, Beside1, Beside2, Surface, Inside };
inline constexpr std::array<std::array<LayerFace, 4>, 3> kLayerFaces{
    {{LayerFace::Beside0, LayerFace::Beside1, LayerFace::Part, LayerFace::Surface},
     {LayerFace::Beside0, LayerFace::Part, LayerFace::Part, LayerFace::Beside2},
     {LayerFace::Inside, LayerFace::Part, LayerFace::Beside1, LayerFace::Beside2}}};

/// Places of one instance in its own frame, and what follows from them when it is asked for. One
/// per thread.
class ArealInstance {
 public:
  explicit ArealInstance(std::shared_ptr<const ArealMesh> mesh);

  const ArealMesh& mesh() const { return *mesh_; }
  const TriangleTopology& topology() const { return mesh_->topology(); }
  Index triangles() const { return static_cast<Index>(topology().triangles().size()); }

  /// To be written, then `update`: the tree is refitted, what else was known is forgotten.
  /// Allocates nothing.
  std::vector<Vector3>& vertices() { return vertices_; }
  const std::vector<Vector3>& vertices() const { return vertices_; }
  void update();

  NumberedTriangle triangle(Index k) const;
  /// Unit vector outwards.
  const Vector3& normal(Index k) const;
  const BoxTree3& tree() const { return tree_; }
  /// Valid until the next call.
  const LayerCell& cell(Index k) const;

 private:
  const Vector3& inner(Index v) const;
  void fill(Index k, LayerCell& cell) const;

  std::shared_ptr<const ArealMesh> mesh_;
  std::vector<Vector3> vertices_;
  std::vector<Bounds> boxes_;
  BoxTree3 tree_;
  // Known since the last update, if it was the one of that number.
  std::uint64_t update_ = 1;
  mutable std::vector<std::uint64_t> normal_known_, inner_known_;
  mutable std::vector<Vector3> normals_, inner_;
  mutable std::vector<std::int32_t> slot_;  // of each triangle among the cells; -1: not known
  mutable std::vector<LayerCell> cells_;
  mutable std::vector<Index> filled_;  // triangles of the cells
};

}  // namespace nsmb
