#include "nsmb/geometry/areal_mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/areal_layer.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

using Triangle = TriangleTopology::Triangle;

void surface_boxes(const TriangleTopology& topology, const std::vector<Vector3>& places,
                   std::vector<Bounds>& boxes) {
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    boxes[k] = Bounds();
    for (const Index v : topology.triangles()[k]) boxes[k].add(places[at(v)]);
  }
}

/// Return the corners of the three tetrahedra of a prism with the outer corners `a` and the inner
/// ones `b`. Diagonals lead from the lower number outside to the higher one inside.
template <class T>
std::array<std::array<T, 4>, 3> parted(const std::array<T, 3>& a, const std::array<T, 3>& b) {
  return {{{a[0], a[1], a[2], b[2]}, {a[0], a[1], b[1], b[2]}, {a[0], b[0], b[1], b[2]}}};
}

double six_volumes(const std::array<Vector3, 4>& c) {
  return (c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]);
}

/// Return the plane through three corners, computed in the order of their numbers.
CellPlane plane_through(std::array<std::pair<Index, Vector3>, 3> c, const Vector3& opposite,
                        double touching) {
  std::sort(c.begin(), c.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  CellPlane plane;
  plane.normal = (c[1].second - c[0].second).cross(c[2].second - c[0].second);
  plane.offset = plane.normal.dot(c[0].second);
  plane.margin = touching * plane.normal.norm();
  plane.inner_positive = plane.value(opposite) > 0.0;
  return plane;
}

}  // namespace

ArealMesh::ArealMesh(std::shared_ptr<const TriangleMeshShape> shape, double depth)
    : shape_(std::move(shape)), depth_(depth) {
  if (!shape_) reject("surface", "a mesh of triangles", "none");
  check_closed();
  if (depth_ != 0.0) check_positive("depth", depth_);
  // Half of the penetration up to which two meshes are found.
  if (depth_ == 0.0) depth_ = shape_->depth();
  std::vector<Bounds> boxes(topology().triangles().size());
  surface_boxes(topology(), places(), boxes);
  tree_ = BoxTree3(boxes);
  check_intersections();
  fit_layer();
}

void ArealMesh::check_closed() const {
  if (shape_->is_closed()) return;
  const std::vector<Triangle>& neighbours = topology().neighbours();
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (neighbours[k][i] >= 0) continue;
      const Triangle& t = topology().triangles()[k];
      reject("surface", "a closed surface",
             "a surface with " + std::to_string(topology().open_edges()) +
                 " open edges, such as that of triangle " + std::to_string(k) + " from vertex " +
                 std::to_string(t[i]) + " to " + std::to_string(t[(i + 1) % 3]));
    }
  }
}

void ArealMesh::check_intersections() const {
  const auto get = [&](Index k) {
    NumberedTriangle t;
    t.vertex = topology().triangles()[at(k)];
    for (std::size_t i = 0; i < 3; ++i) t.corner[i] = places()[at(t.vertex[i])];
    t.normal = shape_->normal(k);
    return t;
  };
  const double least = touching();
  NodePairs stack;
  visit_pairs(tree_, tree_, Placement(), 0.0, stack, [&](Index i, Index k) {
    if (i >= k || !intersect(get(i), get(k), least)) return;
    reject("surface", "a surface that does not intersect itself",
           "triangles " + std::to_string(i) + " and " + std::to_string(k) +
               " that pass through each other");
  });
}

void ArealMesh::fit_layer() {
  const std::vector<Triangle>& triangles = topology().triangles();
  depths_.assign(places().size(), depth_);
  std::vector<Vector3> mitres, inner(places().size());
  for (Index v = 0; v < topology().vertices(); ++v) {
    mitres.push_back(mitre(topology(), places(), v, [&](Index k) { return shape_->normal(k); }));
  }
  std::vector<char> is_thick(places().size());
  for (bool fits = false; !fits;) {
    fits = true;
    std::fill(is_thick.begin(), is_thick.end(), 0);
    for (std::size_t v = 0; v < inner.size(); ++v) {
      inner[v] = places()[v] - depths_[v] * mitres[v];
    }
    for (std::size_t k = 0; k < triangles.size(); ++k) {
      bool turned;
      const Triangle t = ordered(triangles[k], turned);
      std::array<Vector3, 3> a, b;
      double thickness = 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        a[i] = places()[at(t[i])];
        b[i] = inner[at(t[i])];
        thickness += depths_[at(t[i])] / 3.0;
      }
      const double prism = (a[1] - a[0]).cross(a[2] - a[0]).norm() * thickness;
      const auto parts = parted(a, b);
      for (std::size_t m = 0; m < 3; ++m) {
        // For a prism below a counter-clockwise triangle the second one is positive.
        const double volume = six_volumes(parts[m]) * ((m == 1) != turned ? 1.0 : -1.0);
        if (volume > areal::kLeastCell * prism) continue;
        for (const Index v : t) is_thick[at(v)] = 1;
      }
    }
    for (std::size_t v = 0; v < is_thick.size(); ++v) {
      if (!is_thick[v]) continue;
      fits = false;
      depths_[v] *= areal::kThinner;
      if (depths_[v] > areal::kThinnest * depth_) continue;
      reject("surface", "a surface with room for a layer of " + to_text(depth_) + " m or less",
             "a surface that is too sharp or folded at vertex " + std::to_string(v));
    }
  }
  for (std::size_t v = 0; v < inner.size(); ++v) {
    reach_ = std::max(reach_, depths_[v] * mitres[v].norm());
  }
  double area = 0.0;
  for (const Triangle& t : triangles) {
    const Vector3& a = places()[at(t[0])];
    area += 0.5 * (places()[at(t[1])] - a).cross(places()[at(t[2])] - a).norm();
  }
  const double size = std::sqrt(area / static_cast<double>(triangles.size()));
  first_reach_ = std::min(reach_, areal_tuning::kFirstReach * size);
}

ArealInstance::ArealInstance(std::shared_ptr<const ArealMesh> mesh)
    : mesh_(std::move(mesh)),
      vertices_(mesh_->places()),
      boxes_(topology().triangles().size()),
      tree_(mesh_->tree()),
      normal_known_(boxes_.size(), 0),
      inner_known_(vertices_.size(), 0),
      normals_(boxes_.size()),
      inner_(vertices_.size()),
      slot_(boxes_.size(), -1) {}

void ArealInstance::update() {
  surface_boxes(topology(), vertices_, boxes_);
  tree_.refit(boxes_);
  ++update_;
  for (const Index k : filled_) slot_[at(k)] = -1;
  filled_.clear();
  cells_.clear();
}

const Vector3& ArealInstance::normal(Index k) const {
  if (normal_known_[at(k)] != update_) {
    normal_known_[at(k)] = update_;
    normals_[at(k)] = triangle_normal(topology(), vertices_, k);
  }
  return normals_[at(k)];
}

const Vector3& ArealInstance::inner(Index v) const {
  if (inner_known_[at(v)] != update_) {
    inner_known_[at(v)] = update_;
    const Vector3 inwards = mesh_->depths()[at(v)] *
                            mitre(topology(), vertices_, v, [&](Index k) { return normal(k); });
    const double length = inwards.norm();
    const double share = length > mesh_->reach() ? mesh_->reach() / length : 1.0;
    inner_[at(v)] = vertices_[at(v)] - share * inwards;
  }
  return inner_[at(v)];
}

NumberedTriangle ArealInstance::triangle(Index k) const {
  NumberedTriangle t;
  t.vertex = topology().triangles()[at(k)];
  for (std::size_t i = 0; i < 3; ++i) t.corner[i] = vertices_[at(t.vertex[i])];
  t.normal = normal(k);
  return t;
}

const LayerCell& ArealInstance::cell(Index k) const {
  std::int32_t& slot = slot_[at(k)];
  if (slot < 0) {
    slot = static_cast<std::int32_t>(cells_.size());
    cells_.emplace_back();
    filled_.push_back(k);
    fill(k, cells_.back());
  }
  return cells_[static_cast<std::size_t>(slot)];
}

void ArealInstance::fill(Index k, LayerCell& cell) const {
  bool turned;
  const Triangle t = ordered(topology().triangles()[at(k)], turned);
  const auto n = static_cast<Index>(vertices_.size());
  std::array<Vector3, 3> a, b;
  Triangle inside;
  std::array<double, 3> depth;
  for (std::size_t i = 0; i < 3; ++i) {
    a[i] = vertices_[at(t[i])];
    b[i] = inner(t[i]);
    inside[i] = t[i] + n;
    depth[i] = mesh_->depths()[at(t[i])];
    cell.box.add(a[i]);
    cell.box.add(b[i]);
  }
  cell.box.widen(mesh_->touching());
  const Triangle& own = topology().triangles()[at(k)];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto corner = std::find(own.begin(), own.end(), t[i]) - own.begin();
    // Edge j leads from corner j to the next one.
    cell.beside[i] = topology().neighbours()[at(k)][at(corner + 1) % 3];
  }
  const auto corners = parted(a, b);
  const auto numbers = parted(t, inside);
  const auto depths = parted<double>({0.0, 0.0, 0.0}, depth);
  for (std::size_t m = 0; m < 3; ++m) {
    LayerTetrahedron& cut = cell.parts[m];
    const std::array<Vector3, 4>& c = corners[m];
    cut.corner = c;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t p = (i + 1) % 4, q = (i + 2) % 4, r = (i + 3) % 4;
      cut.plane[i] =
          plane_through({{{numbers[m][p], c[p]}, {numbers[m][q], c[q]}, {numbers[m][r], c[r]}}},
                        c[i], mesh_->touching());
    }
    // The depth from its values at the corners: the gradient of each share points away from the
    // face opposite to its corner.
    cut.slope.setZero();
    cut.offset = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      const CellPlane& plane = cut.plane[i];
      const double share = depths[m][i] / plane.value(c[i]);
      cut.slope += share * plane.normal;
      cut.offset -= share * plane.offset;
    }
  }
}

}  // namespace nsmb
