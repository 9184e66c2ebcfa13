// A mesh of triangles, closed or open, as a shape.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/geometry/box_tree_3.hpp"
#include "nsmb/geometry/polyhedron.hpp"
#include "nsmb/geometry/triangle_surface.hpp"
#include "nsmb/geometry/triangle_topology.hpp"

namespace nsmb {

class TriangleMeshShape : public TriangleSurface {
 public:
  /// Throws std::invalid_argument for vertices that are not finite, triangles without area, and a
  /// closed surface that is inside out.
  TriangleMeshShape(std::shared_ptr<const TriangleTopology> topology,
                    std::vector<Vector3> vertices);

  const TriangleTopology& topology() const { return *topology_; }
  const std::shared_ptr<const TriangleTopology>& shared_topology() const { return topology_; }
  const std::vector<Vector3>& places() const { return vertices_; }  // of the vertices
  bool is_closed() const { return topology_->open_edges() == 0; }

  ShapeKind kind() const override { return ShapeKind::TriangleMesh; }
  Bounds bounds(const Placement& pose) const override;
  double volume() const override { return volume_; }
  MassProperties mass_properties(double density) const override;
  double size() const override { return size_; }

  Index triangles() const override { return static_cast<Index>(normals_.size()); }
  Index edges() const override { return topology_->edges(); }
  Index vertices() const override { return topology_->vertices(); }
  void get(Index triangle, SurfaceTriangle& found) const override;
  Vector3 normal(Index triangle) const override {
    return normals_[static_cast<std::size_t>(triangle)];
  }
  Vector3 vertex(Index v) const override { return vertices_[static_cast<std::size_t>(v)]; }
  void around(Index vertex, std::vector<Index>& found) const override;
  void collect(const Bounds& box, std::vector<Index>& found) const override;
  void collect_below(const Vector3& up, double height, std::vector<Index>& found) const override;
  double depth() const override { return depth_; }

 private:
  void find_normals();
  void integrate();

  std::shared_ptr<const TriangleTopology> topology_;
  std::vector<Vector3> vertices_, normals_;
  BoxTree3 tree_;
  TetrahedraSum integrals_;  // about the middle of the box
  Vector3 middle_ = Vector3::Zero();
  double volume_ = 0.0, size_ = 0.0, depth_ = 0.0;
};

}  // namespace nsmb
