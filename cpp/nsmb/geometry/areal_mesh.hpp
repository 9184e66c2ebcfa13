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
  /// The trees at the places of the description, whose branching all instances share.
  const BoxTree3& surface_tree() const { return surface_tree_; }
  const BoxTree3& layer_tree() const { return layer_tree_; }

 private:
  void check_closed() const;
  void check_intersections() const;
  void fit_layer();

  std::shared_ptr<const TriangleMeshShape> shape_;
  double depth_;
  std::vector<double> depths_;
  BoxTree3 surface_tree_, layer_tree_;
};

/// A plane with its normal in canonical order, so that both cells at a face compute the same
/// number.
struct CellPlane {
  Vector3 normal = Vector3::Zero();
  double offset = 0.0;
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

using LayerCell = std::array<LayerTetrahedron, 3>;

/// Places of one instance in its own frame, and what follows from them. One per thread.
class ArealInstance {
 public:
  explicit ArealInstance(std::shared_ptr<const ArealMesh> mesh);

  const ArealMesh& mesh() const { return *mesh_; }
  const TriangleTopology& topology() const { return mesh_->topology(); }
  Index triangles() const { return static_cast<Index>(topology().triangles().size()); }

  /// To be written, then `update`: normals, layer and trees follow, cells when they are asked for.
  /// Allocates nothing.
  std::vector<Vector3>& vertices() { return vertices_; }
  const std::vector<Vector3>& vertices() const { return vertices_; }
  void update();

  NumberedTriangle triangle(Index k) const;
  /// Unit vector outwards.
  const Vector3& normal(Index k) const { return normals_[at(k)]; }
  const BoxTree3& surface_tree() const { return surface_tree_; }
  const BoxTree3& layer_tree() const { return layer_tree_; }
  /// Valid until the next call.
  const LayerCell& cell(Index k);

 private:
  void find_normals();
  void find_inner();
  void refit();
  void fill(Index k, LayerCell& cell) const;

  std::shared_ptr<const ArealMesh> mesh_;
  std::vector<Vector3> vertices_, normals_, inner_;
  std::vector<Bounds> boxes_;
  BoxTree3 surface_tree_, layer_tree_;
  std::vector<std::int32_t> slot_;  // of each triangle among the cells; -1: not known
  std::vector<LayerCell> cells_;
};

}  // namespace nsmb
