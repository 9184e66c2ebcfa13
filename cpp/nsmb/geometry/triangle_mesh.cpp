#include "nsmb/geometry/triangle_mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

TriangleMeshShape::TriangleMeshShape(std::shared_ptr<const TriangleTopology> topology,
                                     std::vector<Vector3> vertices)
    : topology_(std::move(topology)), vertices_(std::move(vertices)) {
  if (std::ssize(vertices_) != topology_->vertices()) {
    reject("vertices", std::to_string(topology_->vertices()) + " points",
           std::to_string(vertices_.size()));
  }
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    if (!vertices_[v].allFinite()) {
      reject("vertices", "finite numbers", "vertex " + std::to_string(v) + " that is not");
    }
  }
  find_normals();
  std::vector<Bounds> boxes;
  boxes.reserve(normals_.size());
  for (const TriangleTopology::Triangle& t : topology_->triangles()) {
    Bounds box;
    for (const Index v : t) box.add(vertices_[at(v)]);
    boxes.push_back(box);
  }
  tree_ = BoxTree3(boxes);
  size_ = (tree_.bounds().high - tree_.bounds().low).maxCoeff();
  integrate();
  find_bends();
}

void TriangleMeshShape::find_normals() {
  for (const TriangleTopology::Triangle& t : topology_->triangles()) {
    const Vector3 &a = vertices_[at(t[0])], &b = vertices_[at(t[1])], &c = vertices_[at(t[2])];
    const Vector3 area = (b - a).cross(c - a);
    const double longest =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    if (!(area.norm() > surfaces::kThin * longest)) {
      reject("triangles", "triangles with an area",
             "triangle " + std::to_string(normals_.size()) + " with its vertices " +
                 std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " + std::to_string(t[2]) +
                 " on a line");
    }
    normals_.push_back(area.normalized());
  }
}

void TriangleMeshShape::integrate() {
  depth_ = std::numeric_limits<double>::infinity();
  if (!is_closed()) return;
  middle_ = 0.5 * (tree_.bounds().low + tree_.bounds().high);
  double area = 0.0;
  for (const TriangleTopology::Triangle& t : topology_->triangles()) {
    const Vector3 a = vertices_[at(t[0])] - middle_, b = vertices_[at(t[1])] - middle_,
                  c = vertices_[at(t[2])] - middle_;
    integrals_.add(a, b, c);
    area += 0.5 * (b - a).cross(c - a).norm();
  }
  volume_ = integrals_.volume();
  if (!(volume_ > 0.0)) {
    reject("triangles", "a closed surface, counter-clockwise seen from outside",
           "a surface that is inside out, with a volume of " + to_text(volume_) + " m³");
  }
  depth_ = 0.5 * volume_ / area;
}

MassProperties TriangleMeshShape::mass_properties(double density) const {
  if (!is_closed()) {
    reject("shape", "a closed surface, which has a finite volume",
           "a surface with " + std::to_string(topology_->open_edges()) + " open edges");
  }
  MassProperties result = integrals_.mass_properties(density);
  result.center += middle_;
  return result;
}

Bounds TriangleMeshShape::bounds(const Placement& pose) const {
  const Bounds& own = tree_.bounds();
  const Vector3 middle = pose.point(0.5 * (own.low + own.high));
  const Vector3 half = pose.A.cwiseAbs() * (0.5 * (own.high - own.low));
  return {middle - half, middle + half};
}

void TriangleMeshShape::get(Index triangle, SurfaceTriangle& found) const {
  const std::size_t k = at(triangle);
  found.vertex = topology_->triangles()[k];
  found.edge = topology_->edge_numbers()[k];
  found.neighbour = topology_->neighbours()[k];
  for (std::size_t i = 0; i < 3; ++i) found.corner[i] = vertices_[at(found.vertex[i])];
  found.normal = normals_[k];
}

void TriangleMeshShape::around(Index vertex, std::vector<Index>& found) const {
  const auto from = topology_->around().begin();
  const std::vector<Index>& begin = topology_->around_begin();
  found.assign(from + begin[at(vertex)], from + begin[at(vertex + 1)]);
}

void TriangleMeshShape::collect(const Bounds& box, std::vector<Index>& found) const {
  tree_.visit([&](const Bounds& other) { return box.overlaps(other); },
              [&](Index k) { found.push_back(k); });
}

void TriangleMeshShape::collect_below(const Vector3& up, double height,
                                      std::vector<Index>& found) const {
  const auto is_near = [&](const Bounds& box) {
    const Vector3 lowest = (up.array() > 0.0).select(box.low, box.high);
    return up.dot(lowest) <= height;
  };
  tree_.visit(is_near, [&](Index k) {
    for (const Index v : topology_->triangles()[at(k)]) {
      // Visit each vertex once: from the first triangle around it.
      if (topology_->around()[at(topology_->around_begin()[at(v)])] != k) continue;
      if (up.dot(vertices_[at(v)]) <= height) found.push_back(v);
    }
  });
}

}  // namespace nsmb
